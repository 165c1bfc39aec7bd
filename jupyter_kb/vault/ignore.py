"""Which files of a folder are notes of the vault: defaults, settings, and the vault's own `.kbignore`.

Later rules win: the defaults, then `.kbignore`, then the `exclude` setting. A negated pattern (`!.github/`) brings back
what an earlier rule, the defaults included, left out; only `.git` never comes back. As in Git, nothing below a
folder that is left out can be brought back on its own. `include` narrows what remains.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

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
        exclude = self._compile([*lines, *((line, None) for line in settings.exclude)], "exclude")
        self._exclude = [(_search(pattern), bool(pattern.include)) for pattern in reversed(exclude)]
        include = self._compile([(line, None) for line in settings.include], "include")
        self._include = GitIgnoreSpec(include, backend="simple") if include else None

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
        folder, _, name = key.rpartition("/")
        return self.walks(folder) and self.file_is_in(key, name)

    def walks(self, key: str) -> bool:
        """Whether a folder and all above it are walked, by all rules that need no look at the disk; "" is the root."""
        start = 0
        while start <= len(key) and key:
            at = key.find("/", start)
            at = len(key) if at < 0 else at
            if not self.folder_is_in(key[:at], key[start:at]):
                return False
            start = at + 1
        return True

    def verdict(self, path: str) -> bool | None:
        """What the last pattern that matches this very file or folder (with "/" at its end) says of it.

        True: left out. False: kept, by a negated pattern. None: no pattern matches. The walk asks from the top down, as
        Git does, so that patterns which match a parent only have had their say; the library's own verdict is made
        for whole paths of files and is wrong for folders.
        """
        for search, left_out in self._exclude:
            match = search(path)
            if match is None:
                continue
            if "ps_d" in match.re.groupindex and match["ps_d"]:
                # The pattern ended at a slash of the path: it matches this folder, or a parent of this file or folder.
                if match.end() == len(path):
                    return left_out
            elif not path.endswith("/") or search(path[:-1]):
                # `a/**` speaks of what is in the folder a, not of the folder itself.
                return left_out
        return None

    def _compile(self, lines: list[tuple[str, int | None]], setting: str) -> list[GitIgnoreSpecPattern]:
        patterns: list[GitIgnoreSpecPattern] = []
        for line, number in lines:
            if not line.strip() or line.startswith("#"):
                continue
            try:
                with warnings.catch_warnings(action="ignore"):
                    # One by one: a pattern that is malformed must not take the others with it.
                    pattern = GitIgnoreSpecPattern(line)
                if pattern.regex is not None:
                    patterns.append(pattern)
            except (ValueError, re.error, RecursionError, OverflowError) as error:
                where = FILE_NAME if number else f"the setting '{setting}'"
                self.problems.append(
                    Diagnostic(
                        file=FILE_NAME if number else "",
                        kind="ignore-pattern",
                        message=f"a pattern of {where} means nothing and was passed over: {line[:80]!r} ({error})",
                        line=number,
                        hint="patterns are written as in .gitignore",
                    )
                )
        return patterns


_ANY_FOLDER = re.compile(".*(?P<ps_d>/)", re.DOTALL)


def _search(pattern: GitIgnoreSpecPattern) -> Callable[[str], re.Match[str] | None]:
    """The library's expression, which marks the slash where a pattern ends by the group `ps_d`."""
    assert pattern.regex is not None
    # For `*/` it marks the first slash of a path, since any will do for the library; the walk needs the last.
    return (_ANY_FOLDER if pattern.regex.pattern == "(?P<ps_d>/)" else pattern.regex).search
