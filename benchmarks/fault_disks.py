"""A folder of saved days whose disk can be full: a small file system, or a limit of file sizes."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Protocol

_TMPFS_SIZE = "512m"
_BLOCK = b"\0" * 4096


class DiskKind(StrEnum):
    """How the disk gets full."""

    TMPFS = "tmpfs"
    """A file system of its own, which needs root. Writing raises ENOSPC."""
    LIMIT = "limit"
    """RLIMIT_FSIZE of the workers, without root. Writing raises EFBIG."""


class Disk(Protocol):
    """The disk of a folder."""

    def fill(self) -> None:
        """Let every write fail."""

    def free(self) -> None:
        """Let writes succeed again."""


class _FullFolder:
    """A small file system, filled by one file."""

    def __init__(self, folder: Path):
        self._filler = folder / "filler"

    def fill(self) -> None:
        with self._filler.open("wb", buffering=0) as file:
            free = shutil.disk_usage(self._filler.parent).free
            try:
                os.posix_fallocate(file.fileno(), 0, max(free, 1))
                file.seek(0, os.SEEK_END)
                while True:
                    file.write(_BLOCK)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)


class _LimitedWorkers:
    """The workers may write no byte to a file."""

    def __init__(self, workers: Callable[[], Iterable[int]]):
        self._workers = workers

    def fill(self) -> None:
        self._limit(0)

    def free(self) -> None:
        self._limit(None)

    def _limit(self, most: int | None) -> None:
        for pid in self._workers():
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            soft = hard if most is None else most
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def disk_of(folder: Path, kind: DiskKind, workers: Callable[[], Iterable[int]]) -> Iterator[Disk]:
    """Give the new *folder* a disk; *workers* returns the ids of the processes that write to it."""
    folder.mkdir()
    if kind is DiskKind.LIMIT:
        yield _LimitedWorkers(workers)
        return
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_TMPFS_SIZE}", "tmpfs", str(folder)]
    subprocess.run(mount, check=True)
    try:
        yield _FullFolder(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def usual_kind() -> DiskKind:
    """TMPFS for root, otherwise LIMIT."""
    return DiskKind.TMPFS if os.geteuid() == 0 else DiskKind.LIMIT
