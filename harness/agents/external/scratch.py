"""The temporary folder in which an external agent's command works."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

HOME = "home"
"""The command's working folder and home, within its scratch folder."""
LARGEST_QUOTA = 2_000_000_000
"""Bytes that a command may write into its scratch folder, and into any one file."""
_LEAST_QUOTA = 64_000_000
_SHARE_OF_FREE = 4
_BLOCK = 4_096


@dataclass(frozen=True)
class UnixUser:
    """Another user of this machine, by user id and group id."""

    user: int
    group: int


@dataclass(frozen=True)
class ScratchFolder:
    """A temporary folder and its owner (None: this process's user)."""

    path: Path
    owner: UnixUser | None

    def write_private(self, name: str, text: str) -> None:
        """Write the file *name*, readable by the folder's owner alone."""
        file = self.path / name
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="replace") as opened:  # noqa: PTH123
            opened.write(text)
        self._give(file)

    def create_home(self) -> None:
        """Create the empty home folder, and give both folders to the owner."""
        (self.path / HOME).mkdir(mode=0o700)
        self._give(self.path / HOME)
        self._give(self.path)

    def _give(self, path: Path) -> None:
        if self.owner is not None:
            os.chown(path, self.owner.user, self.owner.group)


def quota(path: Path) -> int:
    """Return how many bytes a command may write below *path*.

    It is less on a disk that is nearly full, so that the command leaves space for other programs.
    """
    return max(_LEAST_QUOTA, min(LARGEST_QUOTA, shutil.disk_usage(path).free // _SHARE_OF_FREE))


def used_bytes(path: Path, enough: int) -> int:
    """Return how many bytes are used below *path*, counted until there are *enough*.

    Each entry counts as at least one block. A folder that cannot be read counts as *enough*,
    because anything may be in it.
    """
    used, waiting = 0, [path]
    while waiting and used < enough:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    used += _size(entry)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
        except PermissionError:
            return enough
        except OSError:  # removed meanwhile
            continue
    return used


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return max(_BLOCK, entry.stat(follow_symlinks=False).st_blocks * 512)
    except FileNotFoundError:
        return 0


@contextmanager
def scratch_folder(owner: UnixUser | None) -> Iterator[ScratchFolder]:
    """Create a folder that only *owner* can read; it is removed when the block is left."""
    path = Path(tempfile.mkdtemp(prefix="agent-"))
    try:
        scratch = ScratchFolder(path, owner)
        scratch.create_home()
        yield scratch
    finally:
        _remove(path, owner)


def _remove(path: Path, owner: UnixUser | None) -> None:
    """Remove a folder, even if folders in it are read-only."""
    if owner is None:
        for folder, names, _ in os.walk(path):
            for inner in (os.path.join(folder, name) for name in names):  # noqa: PTH118
                with suppress(OSError):
                    if stat.S_ISDIR(os.lstat(inner).st_mode):
                        os.chmod(inner, 0o700)  # noqa: PTH101
    shutil.rmtree(path, ignore_errors=True)
