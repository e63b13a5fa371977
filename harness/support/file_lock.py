"""A lock on an open file, released when its process ends, however that happens."""

from __future__ import annotations

import sys
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 2**30
    """Past the end of the file, because Windows lets no other process read locked bytes."""

    def lock(file: BinaryIO) -> bool:
        """Lock *file* until it is closed; False if another process holds the lock."""
        file.seek(_BEYOND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def lock(file: BinaryIO) -> bool:
        """Lock *file* until it is closed; False if another process holds the lock."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
