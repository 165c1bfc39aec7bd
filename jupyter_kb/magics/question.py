"""Lines that end in a question mark: a question to `%kb search`, not IPython's request for help."""

from __future__ import annotations

import re
import tokenize
from typing import Any

from IPython.core.inputtransformer2 import TokenTransformBase

_LINE = re.compile(r"(?P<before>[^%]*?)%kb[ \t]+(?P<rest>\S.*)", re.DOTALL)
_LONE_COMMAND = re.compile(r"[a-z]+ *\?+")


class Question(TokenTransformBase):
    """Takes `%kb … ?` before IPython makes a help request of its last word; `%kb?` remains one."""

    priority = 4  # before HelpEnd

    @classmethod
    def find(cls, tokens_by_line: list[list[Any]]) -> Question | None:
        """The first such line of a cell."""
        for line in tokens_by_line:
            if len(line) < 3 or line[-2].string != "?":
                continue
            first = 0
            while line[first].type in (tokenize.INDENT, tokenize.DEDENT):
                first += 1
            found = _LINE.fullmatch(line[first].line.rstrip())
            if found and line[first].start[0] == line[-2].start[0]:
                return cls(line[first].start)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """The line as a call of the magic."""
        text = lines[self.start_line]
        found = _LINE.fullmatch(text[self.start_col :].rstrip())
        if found is None or (found["before"].strip() and not found["before"].rstrip().endswith("=")):
            raise SyntaxError(text)
        rest = found["rest"]
        if _LONE_COMMAND.fullmatch(rest):
            rest = rest.rstrip("? ") + " --help"
        call = f"{found['before']}get_ipython().run_line_magic('kb', {rest!r})\n"
        return [*lines[: self.start_line], text[: self.start_col] + call, *lines[self.start_line + 1 :]]
