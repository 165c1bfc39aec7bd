"""How a vault is read, indexed and written: plain frozen values, no reading of files or environment here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What may differ from vault to vault.

    Attributes
    ----------
    include : gitignore-style patterns; when given, only notes matching one of them are in the vault.
    exclude : gitignore-style patterns left out, on top of the defaults and the vault's `.kbignore`.
    hidden : walk hidden files and folders too.
    max_file_bytes : larger files are listed with a diagnostic, not read (bytes).
    language : Snowball stemmer for the text index (`english`, `german`, …; `none` for no stemming).
    read_only : refuse every write into the vault.
    lock_timeout : seconds to wait for another process's write to the same file.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    max_file_bytes: int = 8 * 1024 * 1024
    language: str = "english"
    read_only: bool = False
    lock_timeout: float = 10.0
