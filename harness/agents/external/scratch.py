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


@dataclass(frozen=True)
class UnixUser:
    """Another user of this machine: user id and group id."""

    user: int
    group: int


@dataclass(frozen=True)
class ScratchFolder:
    """A temporary folder and its owner (None: this process's user)."""

    path: Path
    owner: UnixUser | None

    def write_private(self, name: str, text: str) -> None:
        """Write the file *name* in it, readable by its owner alone."""
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


@contextmanager
def scratch_folder(owner: UnixUser | None) -> Iterator[ScratchFolder]:
    """A new folder, readable by *owner* alone and removed when the block is left."""
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
