"""What holds while a program imports its modules."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def importing() -> Iterator[None]:
    """Within the block an interrupt ends the process without a word, and no garbage is collected.

    What modules hold is never garbage; looking for it takes a sixth of a program's start. What
    exists at the end of the block is never looked at again.
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
