"""A lock on an open file. It goes with whoever holds it, however that ends."""

from __future__ import annotations

import sys
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    _BEYOND = 2**30
    """Past the end of any file of ours: Windows lets nobody else read what is locked."""

    def lock(file: BinaryIO) -> bool:
        """Lock *file* until it is closed; False if somebody else has."""
        file.seek(_BEYOND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def lock(file: BinaryIO) -> bool:
        """Lock *file* until it is closed; False if somebody else has."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
