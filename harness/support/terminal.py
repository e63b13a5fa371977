"""What a program sets up around its work: where it prints, and how it is interrupted."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from typing_extensions import Buffer

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


class _Output(io.RawIOBase):
    """A descriptor that takes whatever is written to it; ``flaw`` is why some of it was lost."""

    def __init__(self, descriptor: int):
        self.flaw: str | None = None
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Buffer) -> int:
        """Write *data*; what cannot be written is dropped, because the work goes on."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            if error.errno != errno.EPIPE:  # a reader who has seen enough, as of `head`
                self.flaw = error.strerror
        return size


@contextmanager
def guarded_output() -> Iterator[None]:
    """Within the block standard output takes everything, even if it is full or closed.

    Work whose output nobody can read is done all the same. Then the program ends with one
    sentence and exit code 2; a reader that leaves early is no flaw. Raises SystemExit.
    """
    for descriptor in range(3):  # a closed one would be given to the next file that is opened
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    closed = sys.stdout is None
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - for the rest of the process
    output, before = _Output(1), sys.stdout
    encoding = "utf-8" if before is None else before.encoding
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(output), encoding, "replace", line_buffering=output.isatty()
    )
    code: str | int | None = 0
    try:
        yield
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdout.flush()
        sys.stdout = before
    if output.flaw is not None or closed:
        why = output.flaw or "it is closed"
        sys.stderr.write(f"trainee-bench: standard output was lost: {why}.\n")
        code = code or 2
    raise SystemExit(code)


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
