"""What an edit did, or would do, as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jupyter_kb.models import EditResult, LinkPage
from jupyter_kb.render.lines import Line, Style, count, visible, words
from jupyter_kb.render.text import links


def edit(result: EditResult, *, deleted: Sequence[str] = ()) -> Iterator[Line]:
    """What an edit did, or would do: the section, its new hash, sub-sections lost with it, links left behind.

    `deleted` names the sub-sections of a section that is gone itself.
    """
    place = result.heading_path
    where = visible(result.file) + (f" > {visible(place)}" if place is not None else "")
    without = ", without the section" if place is None else ""
    yield Line(body=(("wrote " if result.written else "would write ", ""), (where, "file"), (without, "")))
    if result.content_hash:
        yield Line(lead=(("new hash     ", "muted"),), body=((result.content_hash[:16], ""),))
    lost = [path.removeprefix(f"{place} > ") for path in result.removed if path.startswith(f"{place} > ")]
    for verb, names in (("replace", lost), ("delete", deleted)):
        if names:
            told = f"{verb}d" if result.written else f"would {verb}"
            parts = f"{count(len(names), 'sub-section')}: {', '.join(names)}"
            yield words(f"{told}, and with it {visible(parts)}", "warning")
    if result.links_updated:
        total = sum(note.count for note in result.links_updated)
        told = "updated" if result.written else "would update"
        notes = ", ".join(f"{visible(note.file)} ({note.count})" for note in result.links_updated)
        yield words(f"{told} {count(total, 'link')} in {count(len(result.links_updated), 'note')}: {notes}")
    for left in result.links_left:
        yield words(f"left {count(left.count, 'link')} in {visible(left.file)}: {visible(left.reason)}", "warning")
    if result.broken_links:
        when = "are gone now" if result.written else "would be gone"
        yield words(f"{count(len(result.broken_links), 'link')} to headings that {when}:", "warning")
        yield from links(LinkPage(links=result.broken_links, total=len(result.broken_links)))


def diff(text: str) -> Iterator[Line]:
    """A unified diff in colours."""
    for line in text.splitlines():
        style: Style = ""
        if line.startswith(("+++", "---")):
            style = "file"
        elif line.startswith("@@"):
            style = "hunk"
        elif line.startswith(("+", "-")):
            style = "added" if line[0] == "+" else "removed"
        yield words(visible(line), style)
