"""Prompts: what a person often wants of an agent with a vault, ready to be picked, with the notes already in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from mcp_types import (
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ListPromptsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from jupyter_kb.errors import InvalidRequestError
from jupyter_kb.mcp.addresses import Address
from jupyter_kb.mcp.resources import contents, section_at
from jupyter_kb.mcp.results import clean
from jupyter_kb.mcp.session import Session
from jupyter_kb.mcp.tools import InvalidArgumentError, Parameter, parameters_of, read_arguments
from jupyter_kb.mcp.toolsets.vault.notes import SCAN_WAIT
from jupyter_kb.models import Filters, SearchRequest, SectionRef
from jupyter_kb.operations import Operations

_PASSAGES = 8
_CANDIDATES = 15
_MOST = 100  # findings or links of one note

_FILE = "The note: its path, or its name"


@dataclass(frozen=True, kw_only=True)
class _Prompt:
    name: str
    title: str
    description: str
    function: Callable[..., list[ContentBlock]]
    parameters: tuple[Parameter, ...]


def _prompt(title: str, description: str) -> Callable[[Callable[..., list[ContentBlock]]], _Prompt]:
    """Make a prompt of a function: after the session, its keyword-only parameters are the arguments."""

    def build(function: Callable[..., list[ContentBlock]]) -> _Prompt:
        return _Prompt(
            name=function.__name__,
            title=title,
            description=description,
            function=function,
            parameters=parameters_of(function),
        )

    return build


def list_prompts() -> ListPromptsResult:
    """All prompts with their arguments."""
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    PromptArgument(
                        name=parameter.name, description=parameter.shown.text, required=parameter.required or None
                    )
                    for parameter in prompt.parameters
                ],
            )
            for prompt in PROMPTS.values()
        ]
    )


def get_prompt(session: Session, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
    """The messages of one prompt.

    Raises
    ------
    InvalidRequestError : there is no such prompt, or an argument is missing.
    KBError : a note or section that an argument names is not there (with near ones).
    """
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise InvalidRequestError(f"unknown prompt '{name}': this server has {', '.join(PROMPTS)}")
    given = {key: value for key, value in arguments.items() if value.strip()}  # forms send empty fields
    try:
        blocks = prompt.function(session, **read_arguments(prompt.parameters, given))
    except InvalidArgumentError as error:
        raise InvalidRequestError(str(error)) from None
    return GetPromptResult(
        description=prompt.description, messages=[PromptMessage(role="user", content=block) for block in blocks]
    )


def _text(*paragraphs: str) -> TextContent:
    return TextContent(type="text", text=clean("\n\n".join(paragraph for paragraph in paragraphs if paragraph)))


def _list(entries: Iterable[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)


# ── the prompts ─────────────────────────────────────────────────────────────────────────────────


@_prompt("Find and cite", "Answer a question from the notes alone, with the section behind each statement")
def find_and_cite(
    session: Session,
    *,
    question: Annotated[str, "What you want to know"],
    folder: Annotated[str, "Look only below this folder"] = "",
) -> list[ContentBlock]:
    """A question, and the passages that a search for it finds."""
    vault, operations = session.name(), session.operations()
    below = folder.strip("/")
    request = SearchRequest(
        query=question, limit=_PASSAGES, per_file=2, filters=Filters(path=f"{below}/**" if below else None)
    )
    found = operations.search(request, wait=SCAN_WAIT)
    passages = [
        f"[{number}] {Address(vault=vault, file=hit.file, heading_path=hit.heading_path or None)}\n{hit.text}"
        for number, hit in enumerate(found.hits, 1)
    ]
    return [
        _text(
            f"Answer this question from the notes of the vault '{vault}', and from nothing else:",
            question,
            f"Look only below the folder {below}." if below else "",
            "A search for it found these passages, each below the address of its section:" if passages else "",
            *passages,
            "" if passages else "A search for it found nothing: call search with other words before you give up.",
            "A passage may be only a part of its section. Call get_section before you rely on one that looks cut, and "
            "search with other words where the passages do not answer the whole question.",
            "Put the address of the section behind each statement, as a Markdown link named after its heading. Say "
            "plainly what the notes leave open or contradict. Add nothing that is not in them.",
        )
    ]


@_prompt("Review a note", "Read a note critically: errors, gaps, unclear parts, broken links")
def review_note(
    session: Session,
    *,
    file: Annotated[str, _FILE],
    section: Annotated[str | None, "Only this section of it (heading path)"] = None,
) -> list[ContentBlock]:
    """A note, and what the index has found wrong with it."""
    operations = session.operations()
    found = section_at(operations, file, section)
    lines = range(found.line_range.start, found.line_range.end + 1)
    entries, _ = operations.diagnostics(path=_exactly(found.file), limit=_MOST, wait=SCAN_WAIT)
    findings = [
        f"line {entry.line}: {entry.message}" if entry.line else entry.message
        for entry in entries
        if entry.file == found.file and (not entry.line or entry.line in lines)
    ]
    what = f"the section '{found.heading_path}' of the note {found.file}" if section else f"the note {found.file}"
    return [
        EmbeddedResource(type="resource", resource=contents(session.name(), found)),
        _text(
            f"Review {what}, whose text is above.",
            "Look for statements that contradict each other or other notes (search for those), steps that are missing, "
            "text that no longer holds, headings that do not say what stands below them, and passages that a reader "
            "new to the subject would not understand.",
            f"The index has found this already:\n{_list(findings)}" if findings else "",
            "List what you would change, the most important first. For each: the heading path, the words in question, "
            "why, and the new wording. Change nothing yet. What the person agrees to, write with edit_section, one "
            "section at a time, with the content_hash of a fresh get_section.",
        ),
    ]


@_prompt("Suggest links", "Find other notes that a note should link to, and where")
def suggest_links(session: Session, *, file: Annotated[str, _FILE]) -> list[ContentBlock]:
    """A note, the links it has, and notes that treat the like."""
    operations = session.operations()
    found = section_at(operations, file, None)
    page = operations.links(found.file, direction="out", limit=_MOST, wait=SCAN_WAIT)
    linked = dict.fromkeys(link.target.file for link in page.links if link.target and link.target.file != found.file)
    candidates = _alike(operations, session.name(), found.file, frozenset(linked))
    return [
        EmbeddedResource(type="resource", resource=contents(session.name(), found)),
        _text(
            f"Suggest links from the note {found.file}, whose text is above, to other notes of the vault.",
            f"It links to these already:\n{_list(linked)}" if linked else "It links to no other note so far.",
            f"These treat something alike, the most alike first:\n{_list(candidates)}" if candidates else "",
            "Read with get_section what you are not sure of, and search for the subjects that the note names without a "
            "link. Suggest a link only where it helps the reader of that sentence; a few good ones are better than "
            "many.",
            "For each: the heading path, the sentence as it is, and the sentence with the link as [[note]], or "
            "[[note#Heading]] where one section of it is meant. Change nothing yet. What the person agrees to, write "
            "with edit_section and the content_hash of a fresh get_section.",
        ),
    ]


def _alike(operations: Operations, vault: str, file: str, known: frozenset[str]) -> list[str]:
    """Notes like a note that it does not link to, each with its title and address."""
    request = SearchRequest(like=SectionRef(file=file), granularity="document", limit=_CANDIDATES * 2)
    hits = operations.search(request, wait=SCAN_WAIT).hits
    others = [hit for hit in hits if hit.file != file and hit.file not in known]
    return [f"{hit.title} ({Address(vault=vault, file=hit.file)})" for hit in others[:_CANDIDATES]]


def _exactly(file: str) -> str | None:
    """A path filter for one note; none where its name would be read as a pattern."""
    return None if any(mark in file for mark in "*?[{") else file


PROMPTS = {prompt.name: prompt for prompt in (find_and_cite, review_note, suggest_links)}
