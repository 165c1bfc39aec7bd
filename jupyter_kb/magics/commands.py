"""The words after `%kb`: what each takes, and what its help says. Nothing is done here."""

from __future__ import annotations

from jupyter_kb.magics.grammar import Command, Option, number, share

EVERYWHERE = (
    Option(names=("--quiet", "-q"), help="Show nothing; the value is there all the same."),
    Option(names=("--help", "-h"), help="Show this help."),
)
"""Options that every command has."""

_LIMIT = Option(names=("--limit", "-n"), metavar="N", read=number(1), help="At most N of them.")
_OFFSET = Option(names=("--offset",), metavar="N", read=number(0), help="Skip the first N.")
_OWN = Option(names=("--own",), help="Only the section's own text, up to its first sub-heading.")
_LINE = Option(names=("--line",), metavar="N", read=number(1), help="Name the section by a line in it.")
_KIND = Option(
    names=("--kind",), metavar="KIND", choices=("wikilink", "embed", "markdown"), help="Only this kind of link."
)

SEARCH = Command(
    name="search",
    summary="find the sections that answer a question, best first",
    takes="words",
    usage="%kb search QUERY",
    about='Ask as you would ask a person, or give words. `"two words"` asks for a phrase, `+word` must be there, '
    "`-word` must not, `word*` is the beginning of a word. Without a QUERY the notes that pass the filters are listed.",
    examples=(
        "%kb search how long may samples stay in light?",
        "hits = %kb search dark adaptation --tag method -n 5",
        "hits[0].text",
        "hits.to_frame()",
    ),
    options=(
        Option(
            names=("--mode",),
            metavar="MODE",
            choices=("hybrid", "semantic", "text", "headings"),
            help="By meaning and words, by meaning, by words, or by names of sections.",
        ),
        _LIMIT,
        _OFFSET,
        Option(
            names=("--per-file",),
            metavar="N",
            read=number(0),
            help="At most N sections of one note (3), 0 for any.",
        ),
        Option(names=("--path",), metavar="GLOB", help="Only notes whose path matches, or holds this text."),
        Option(names=("--tag",), metavar="TAG", repeated=True, help="Only notes with this tag. May be repeated."),
        Option(
            names=("--where",),
            metavar="CONDITION",
            repeated=True,
            help="Only notes with this front matter: `status=active`, `year>=2020`, `due`, `!due`. May be repeated.",
        ),
        Option(names=("--under",), metavar="HEADING", repeated=True, help="Only sections under this heading."),
        Option(names=("--modified-after",), metavar="DATE", help="Only notes changed on or after it: 2024-05-31."),
        Option(names=("--modified-before",), metavar="DATE", help="Only notes changed before it."),
        Option(
            names=("--granularity",),
            metavar="WHAT",
            choices=("section", "chunk", "document"),
            help="Find sections, pieces of about 1,000 characters, or notes.",
        ),
        Option(names=("--like",), metavar="NOTE#HEADING", help="Instead of a QUERY: what is like this section."),
        Option(
            names=("--order",),
            metavar="ORDER",
            choices=("path", "title", "modified"),
            help="Without a QUERY: the order of the list.",
        ),
        Option(names=("--descending",), help="Without a QUERY: the other way round."),
        Option(names=("--weight",), metavar="W", read=share, help="Share of meaning in mode hybrid, 0 to 1."),
        Option(names=("--rerank",), help="Let a reranker judge the best hits."),
        Option(names=("--explain", "-v"), help="Show scores and ranks too."),
        *EVERYWHERE,
    ),
)

OUTLINE = Command(
    name="outline",
    summary="the headings of a note",
    takes="note",
    usage="%kb outline NOTE",
    examples=("%kb outline npq-protocol",),
    options=EVERYWHERE,
)

GET = Command(
    name="get",
    summary="the exact text of a section, with its hash",
    takes="place",
    usage="%kb get NOTE > HEADING",
    about="Without HEADING: the whole note. What is shown here may then be replaced by `%%kb edit`.",
    examples=("%kb get npq-protocol > Dark adaptation time", "%kb get npq-protocol > Sequence --render"),
    options=(
        _OWN,
        _LINE,
        Option(names=("--render", "-r"), help="Show it as a page, not as the text it is."),
        *EVERYWHERE,
    ),
)

BACKLINKS = Command(
    name="backlinks",
    summary="the links that point to a note or section",
    takes="place",
    usage="%kb backlinks NOTE > HEADING",
    examples=("%kb backlinks kestrel > Daily check",),
    options=(_KIND, _LIMIT, _OFFSET, *EVERYWHERE),
)

LINKS = Command(
    name="links",
    summary="the links in a note or section, and what they mean",
    takes="place",
    usage="%kb links NOTE > HEADING",
    examples=("%kb links npq-protocol > Sequence",),
    options=(
        Option(
            names=("--direction",),
            metavar="WAY",
            choices=("in", "out", "both"),
            help="Links in it (`out`, the default), to it (`in`), or `both`.",
        ),
        _KIND,
        _LIMIT,
        _OFFSET,
        *EVERYWHERE,
    ),
)

EDIT = Command(
    name="edit",
    summary="put a section into a cell; from there (%%kb edit) back into the note",
    takes="place",
    usage="%%kb edit NOTE > HEADING",
    about="`%kb edit` puts a cell below with the section in it. `%%kb edit` writes the cell into the section, if that "
    "is still as this notebook saw it last (`%kb get`), and shows the difference. If somebody changed it meanwhile, "
    "both texts are shown and nothing is written. The cell holds what stands below the heading, sub-sections included.",
    examples=(
        "%kb edit inbox > Ideas",
        "%%kb edit inbox > Ideas\n- Compare the two lamps.",
        "%%kb edit inbox > Ideas --operation append --hash 9f86d081884c\n- One more.",
    ),
    options=(
        Option(names=("--hash",), metavar="HASH", help="Hash of the text that you saw, or 12 digits of it."),
        Option(names=("--dry-run",), help="Show the difference; write nothing."),
        Option(
            names=("--operation",),
            metavar="OPERATION",
            choices=("replace", "append", "prepend"),
            help="Replace the text (the default), or add to its end or beginning.",
        ),
        Option(names=("--empty",), help="Take the text away; leave one blank line below, which IPython wants."),
        _OWN,
        _LINE,
        *EVERYWHERE,
    ),
    cell="both",
)

INSERT = Command(
    name="insert",
    summary="put a section into a cell below, as the text of a Markdown cell",
    takes="place",
    usage="%kb insert NOTE > HEADING",
    about="The new cell is a code cell: press Esc and M to make a Markdown cell of it.",
    examples=("%kb insert npq-protocol > Sequence",),
    options=(
        _OWN,
        _LINE,
        Option(names=("--magic",), help="Begin with `%%markdown`, so that the code cell shows it when it runs."),
        *EVERYWHERE,
    ),
)

STATUS = Command(
    name="status", summary="the vault and its index", takes="nothing", usage="%kb status", options=EVERYWHERE
)

REINDEX = Command(
    name="reindex",
    summary="look at all notes again, and tell what changed",
    takes="nothing",
    usage="%kb reindex",
    options=EVERYWHERE,
)

USE = Command(
    name="use",
    summary="choose the vault: one of the server's by its name, or a folder",
    takes="vault",
    usage="%kb use VAULT",
    about="Without VAULT: the vaults that there are.",
    examples=("%kb use lab", "%kb use ~/notes"),
    options=EVERYWHERE,
)

ABOUT = Command(
    name="help", summary="what a command does", takes="command", usage="%kb help COMMAND", options=EVERYWHERE
)

COMMANDS = {
    command.name: command
    for command in (SEARCH, OUTLINE, GET, BACKLINKS, LINKS, EDIT, INSERT, STATUS, REINDEX, USE, ABOUT)
}

TERMINAL = ("index", "embed", "diagnostics", "grep", "eval", "connect", "mcp", "magics", "completion")
"""What `jupyter kb` has besides: people try these in a notebook as well."""
