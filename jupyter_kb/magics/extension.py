"""What `%load_ext jupyter_kb` does to a shell, and how it is undone."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from jupyter_kb.magics import manual
from jupyter_kb.magics.completion import Matcher
from jupyter_kb.magics.magic import KBMagic
from jupyter_kb.magics.question import Question
from jupyter_kb.magics.session import Session

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

NAME = "kb"


def load(shell: InteractiveShell, session: Session | None = None) -> Session:
    """Give a shell `%kb`, its completions, and questions that end in a question mark. Nothing is connected yet."""
    unload(shell)
    session = session or Session()
    magic = KBMagic(shell, session)

    def kb(line: str, cell: str | None = None) -> object:
        return magic(line, cell)

    kb.__doc__ = manual.overview()
    shell.register_magic_function(kb, magic_kind="line_cell", magic_name=NAME)  # type: ignore[call-arg, arg-type]
    shell.Completer.custom_matchers.append(Matcher(session))
    shell.input_transformer_manager.token_transformers.append(Question)
    _sessions[id(shell)] = session
    atexit.register(session.close)
    return session


def unload(shell: InteractiveShell) -> None:
    """Take all of that away again."""
    session = _sessions.pop(id(shell), None)
    if session is None:
        return
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop(NAME, None)
    matchers = shell.Completer.custom_matchers
    matchers[:] = [matcher for matcher in matchers if not isinstance(matcher, Matcher)]
    transformers = shell.input_transformer_manager.token_transformers
    transformers[:] = [transformer for transformer in transformers if transformer is not Question]
    atexit.unregister(session.close)
    session.close()


def current() -> Session | None:
    """The session of the shell that runs here, where it has `%kb`."""
    from IPython.core.getipython import get_ipython

    return _sessions.get(id(get_ipython()))


_sessions: dict[int, Session] = {}
