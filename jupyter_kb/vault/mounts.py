"""On what kind of file system a folder lies: over a network, the system does not tell of other machines' changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

_TABLE = Path("/proc/self/mounts")
_NETWORK = re.compile(
    "nfs4?|cifs|smb3|smbfs|9p|virtiofs|vboxsf|vmhgfs|prl_fs|drvfs|afs|ceph|glusterfs|lustre|gpfs|beegfs|orangefs|pvfs2"
    "|ocfs2|gfs2|davfs|ncpfs|coda"
    # What a file system in user space shows may change behind it, unless it is a local disk and nothing but that.
    r"|fuse(\.(?!(ntfs|ntfs-3g|exfat|gocryptfs|encfs|cryfs)$).*)?"
)
_ESCAPE = re.compile(r"\\([0-7]{3})")


def network_mount(root: Path, walks: Callable[[str], bool], table: Path = _TABLE) -> str | None:
    """The type (`nfs4`, `fuse.sshfs`) of the network file system that holds `root`, or one below it, if any.

    `root` is absolute and free of links. `walks` says of a folder below it (by its key) whether it matters. `table` has
    the form of /proc/mounts; where there is none, the answer is None.
    """
    try:
        lines = table.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return None
    depth, holder = 0, ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point, kind = Path(_unescaped(fields[1])), fields[2]
        if root.is_relative_to(point):
            if len(point.parts) >= depth:  # of several at one place, the last covers the others
                depth, holder = len(point.parts), kind
        elif _is_network(kind) and point.is_relative_to(root) and walks(point.relative_to(root).as_posix()):
            return kind
    return holder if _is_network(holder) else None


def _is_network(kind: str) -> bool:
    return _NETWORK.fullmatch(kind) is not None


def _unescaped(text: str) -> str:
    r"""A field of the table; blanks stand there as `\040`."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)
