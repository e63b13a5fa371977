"""What a program sets up around its work: where it prints, and how it is interrupted."""

from __future__ import annotations

import atexit
import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from rich.console import Console

from trainee_bench.harness.support.interrupts import forget_interrupts, note_interrupt

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PIPE_COLUMNS = 200
"""The width of what is written to a file or a pipe."""
_THREAD_GRACE_SECONDS = 2.0
"""Real seconds that threads have to end when the program ends."""


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
    sentence and exit code 2; a reader that leaves early is no flaw. Raises SystemExit, or ends
    the process at once if a thread that was started within the block would keep it from ending.
    """
    threads = threading.enumerate()
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
    _end_despite_threads(code, threads)
    raise SystemExit(code)


def _end_despite_threads(code: str | int | None, before: Collection[threading.Thread]) -> None:
    """End the process if threads of an agent are left, for which Python would wait for ever."""
    until = time.monotonic() + _THREAD_GRACE_SECONDS
    for thread in threading.enumerate():
        if thread in before or thread.daemon or thread is threading.current_thread():
            continue
        with suppress(KeyboardInterrupt):  # nobody wants to wait for it
            thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            atexit._run_exitfuncs()
            sys.stderr.flush()
            os._exit(code if isinstance(code, int) else int(code is not None))


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
        forget_interrupts()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Do what SIGINT does, or would do by default if it is ignored."""
    note_interrupt()
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):  # an event loop's own cancels its main task
        handler(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt
