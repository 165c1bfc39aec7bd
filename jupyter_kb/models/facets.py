"""What the notes of a vault have in common: values to filter by, each with the number of notes that have it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TagCount:
    """A tag without `#`, in the spelling used most. `count` is that of the notes which a filter by it finds, so notes
    with a tag nested in it count, too."""

    name: str
    count: int


@dataclass(frozen=True, kw_only=True)
class FolderCount:
    """A folder by its path from the vault's root, and the number of notes anywhere below it."""

    path: str
    count: int


@dataclass(frozen=True, kw_only=True)
class ValueCount:
    """A scalar of front matter, or an item of a list, as text; numbers and booleans as JSON has them."""

    value: str
    count: int


@dataclass(frozen=True, kw_only=True)
class PropertyCount:
    """A name in front matter (nested ones joined by dots) with its most used values; `more_values` were left off."""

    name: str
    count: int
    values: tuple[ValueCount, ...]
    more_values: int = 0


@dataclass(frozen=True, kw_only=True)
class Facets:
    """Tags, folders and properties of `notes` notes, most used first, then by name; `more_…` of each were left off."""

    notes: int
    tags: tuple[TagCount, ...]
    folders: tuple[FolderCount, ...]
    properties: tuple[PropertyCount, ...]
    more_tags: int = 0
    more_folders: int = 0
    more_properties: int = 0
