"""What a command sets up around its work: where it prints, and how it is interrupted."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from rich.console import Console

_PIPE_COLUMNS = 200
"""The width of what is written to a file or a pipe."""


class _PipeSafeConsole(Console):
    def on_broken_pipe(self) -> None:
        """Go on without a reader: the work is worth more than its output."""
        self.quiet = True
        # Python flushes standard output at its exit and would fail there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_console() -> Console:
    """A console for standard output, whose reader may close it early."""
    console = _PipeSafeConsole(highlight=False)
    return (
        console if console.is_terminal else _PipeSafeConsole(highlight=False, width=_PIPE_COLUMNS)
    )


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Within the block SIGTERM does what Ctrl-C does, even where SIGINT itself is ignored, as in a
    job in the background; only in a program's main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Do what SIGINT does, or would do by default if it is ignored."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):  # an event loop's own cancels its main task
        handler(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt
