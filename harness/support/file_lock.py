"""A lock on an open file, released when its process ends, however that happens."""

from __future__ import annotations

import sys
import time
from typing import BinaryIO

_RETRY_SECONDS = 0.005

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 2**30
    """A position past the end of the file: on Windows no other process can read locked bytes."""

    def lock(file: BinaryIO) -> bool:
        """Lock *file* until it is closed; return False if another process holds the lock."""
        file.seek(_BEYOND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def lock(file: BinaryIO) -> bool:
        """Lock *file* until it is closed; return False if another process holds the lock."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def wait_for_lock(file: BinaryIO) -> None:
    """Lock *file* until it is closed, as soon as no other process holds the lock.

    This is for locks that are held only for a moment.
    """
    while not lock(file):
        time.sleep(_RETRY_SECONDS)
