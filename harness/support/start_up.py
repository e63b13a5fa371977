"""Settings while a program imports its modules."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Let an interrupt end the process silently, and collect no garbage, within the block.

    Objects of modules are never garbage, and looking for it takes a sixth of a program's start.
    Objects that exist at the end of the block are never checked again.
    """
    interruptible = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    gc.disable()
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        gc.freeze()
        gc.enable()
