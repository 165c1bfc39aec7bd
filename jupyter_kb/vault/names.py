"""Which note a name can only mean, when people leave out what they think goes without saying."""

from __future__ import annotations

from collections.abc import Sequence

from jupyter_kb.errors import InvalidRequestError, NoteNotFoundError
from jupyter_kb.markdown.nearest import likely, nearest


def note_named(name: str, known: Sequence[str]) -> str:
    """The one of the `known` keys that `name` is: as it stands, else in another case, without `.md` or its folders.

    Raises
    ------
    NoteNotFoundError : `details["suggestions"]` holds up to three notes whose own names are near.
    InvalidRequestError : several notes answer to the name; `details["candidates"]` lists them.
    """
    if name in known:
        return name
    wanted = name.casefold()
    for form in (wanted, f"{wanted}.md"):
        whole = [key for key in known if key.casefold() == form]
        found = whole or [key for key in known if key.casefold().endswith(f"/{form}")]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidRequestError(
                f"'{name}' could be {len(found)} notes", hint="give its folder too", candidates=found[:10]
            )
    raise NoteNotFoundError(f"there is no note '{name}' in this vault", suggestions=_similar(name, known))


def _similar(name: str, known: Sequence[str]) -> list[str]:
    """Compared without folders, which are what people leave out."""
    by_stem: dict[str, list[str]] = {}
    for key in known:
        by_stem.setdefault(_stem(key), []).append(key)
    wanted = _stem(name)
    stems = likely(wanted, {stem: stem for stem in by_stem}) or nearest(wanted, by_stem)
    return [key for stem in stems for key in by_stem[stem]][:3]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
