"""Which file systems are reached over a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_kb.vault.mounts import network_mount

TABLE = r"""
/dev/vda / ext4 rw,relatime 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb /home/local xfs rw 0 0
me@host:/ /mnt/my\040notes fuse.sshfs rw 0 0
C:\134 /mnt/c 9p rw 0 0
/dev/sdc /mnt/usb fuseblk rw 0 0
vault /mnt/plain fuse.gocryptfs rw 0 0
x /mnt/odd fuse.something rw 0 0
old:/ /mnt/twice cifs rw 0 0
/dev/sdd /mnt/twice btrfs rw 0 0
portal /srv/notes/.cache/doc fuse.portal rw 0 0
garbage
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mounts"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(
    ("root", "kind"),
    [
        ("/notes", None),
        ("/home", "nfs4"),
        ("/home/me/notes", "nfs4"),
        ("/homely", None),
        ("/home/local/notes", None),
        ("/mnt/my notes/vault", "fuse.sshfs"),
        ("/mnt/c/Users", "9p"),
        ("/mnt/usb", None),
        ("/mnt/plain/a", None),
        ("/mnt/odd", "fuse.something"),
        ("/mnt/twice/a", None),
    ],
)
def test_the_innermost_mount_decides(table: Path, root: str, kind: str | None) -> None:
    assert network_mount(Path(root), lambda _: True, table) == kind


def test_a_network_folder_inside_the_vault_counts_where_notes_may_lie(table: Path) -> None:
    asked: list[str] = []

    def walks(key: str) -> bool:
        asked.append(key)
        return not key.startswith(".")

    assert network_mount(Path("/srv/notes"), walks, table) is None
    assert asked == [".cache/doc"]
    assert network_mount(Path("/srv"), walks, table) == "fuse.portal"


def test_without_a_table_nothing_is_said_to_be_remote(tmp_path: Path) -> None:
    assert network_mount(Path("/home"), lambda _: True, tmp_path / "none") is None
