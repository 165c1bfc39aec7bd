"""Which files of a folder are notes of the vault: defaults, settings, and the vault's own `.kbignore`.

Later rules win: the defaults, then `.kbignore`, then the `exclude` setting. A negated pattern (`!.github/`) brings back
what an earlier rule, the defaults included, left out; only `.git` never comes back. As in Git, nothing below a
folder that is left out can be brought back on its own. `include` narrows what remains.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from pathspec import GitIgnoreSpec

from jupyter_kb.models import Diagnostic
from jupyter_kb.settings import Settings

FILE_NAME = ".kbignore"
# A folder that holds this file is a virtual environment, whatever its name.
VIRTUAL_ENVIRONMENT_MARK = "pyvenv.cfg"
_LEFT_OUT_FOLDERS = frozenset({"node_modules", "__pycache__", ".ipynb_checkpoints"})
_NEVER = ".git"


class IgnoreRules:
    """The rules of one vault at one moment, compiled. Keys are paths below the root, segments joined by `/`.

    Attributes
    ----------
    text : what `.kbignore` held, "" without one.
    problems : patterns that mean nothing; they were passed over.
    """

    def __init__(self, settings: Settings, text: str) -> None:
        self.text = text
        self.problems: list[Diagnostic] = []
        self._hidden = settings.hidden
        lines = [(line, number) for number, line in enumerate(text.splitlines(), 1)]
        self._exclude = self._compile([*lines, *((line, None) for line in settings.exclude)], "exclude")
        self._include = self._compile(((line, None) for line in settings.include), "include")

    def folder_is_in(self, key: str, name: str) -> bool:
        """Whether to walk into a folder whose parents are walked."""
        if name == _NEVER:
            return False
        verdict = self.verdict(key + "/")
        if verdict is None:
            return not (name in _LEFT_OUT_FOLDERS or (name.startswith(".") and not self._hidden))
        return not verdict

    def file_is_in(self, key: str, name: str) -> bool:
        """Whether a file in a folder that is walked is a note: extension `md` in any case, and no rule against it."""
        if len(name) <= 3 or name[-3:].lower() != ".md":
            return False
        verdict = self.verdict(key)
        if verdict or (verdict is None and name.startswith(".") and not self._hidden):
            return False
        return self._include is None or self._include.match_file(key)

    def holds(self, key: str) -> bool:
        """Whether a key names a note by all rules that need no look at the disk."""
        at = key.find("/")
        start = 0
        while at >= 0:
            if not self.folder_is_in(key[:at], key[start:at]):
                return False
            start, at = at + 1, key.find("/", at + 1)
        return self.file_is_in(key, key[start:])

    def verdict(self, path: str) -> bool | None:
        """True: a pattern leaves the path out. False: a negated one keeps it. None: no pattern speaks of it."""
        return None if self._exclude is None else self._exclude.check_file(path).include

    def _compile(self, lines: Iterable[tuple[str, int | None]], setting: str) -> GitIgnoreSpec | None:
        patterns: list[str] = []
        for line, number in lines:
            if not line.strip() or line.startswith("#"):
                continue
            try:
                with warnings.catch_warnings(action="ignore"):
                    # Pattern by pattern: one that is malformed must not take the others with it.
                    GitIgnoreSpec.from_lines([line], backend="simple").match_file("a")
            except (ValueError, re.error) as error:
                self.problems.append(
                    Diagnostic(
                        file=FILE_NAME if number else "",
                        kind="ignore-pattern",
                        message=f"the pattern {line!r} of {FILE_NAME if number else f'the setting {setting!r}'}"
                        f" means nothing and was passed over: {error}",
                        line=number,
                        hint="patterns are written as in .gitignore",
                    )
                )
            else:
                patterns.append(line)
        if not patterns:
            return None
        with warnings.catch_warnings(action="ignore"):
            return GitIgnoreSpec.from_lines(patterns, backend="simple")
