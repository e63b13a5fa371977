"""Setup around a program's work: where it prints, and how it is interrupted."""

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
"""The width of output to a file or a pipe."""
_THREAD_GRACE_SECONDS = 2.0
"""Real seconds that threads have to end when the program ends."""


class _PipeSafeConsole(Console):
    def on_broken_pipe(self) -> None:
        """Go on without a reader: the work is worth more than its output."""
        self.quiet = True
        # Python flushes standard output at its exit and would fail there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_console() -> Console:
    """Return a console for standard output, whose reader may close it early."""
    console = _PipeSafeConsole(highlight=False)
    return (
        console if console.is_terminal else _PipeSafeConsole(highlight=False, width=_PIPE_COLUMNS)
    )


class _Output(io.RawIOBase):
    """A descriptor that accepts all data; ``flaw`` is the reason why some of it was lost."""

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
        """Write *data*; drop what cannot be written, because the work goes on."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                left = left[os.write(self._descriptor, left) :]
        except OSError as error:
            if error.errno != errno.EPIPE:  # a reader that has seen enough, such as `head`
                self.flaw = error.strerror
        return size


@contextmanager
def guarded_output() -> Iterator[None]:
    """Let standard output accept everything within the block, even if it is full or closed.

    The work is completed even if nobody can read its output. Then the program ends with one
    sentence and exit code 2; a reader that leaves early is no error. Raises SystemExit, or ends the
    process at once if a thread that was started within the block would keep it running.
    """
    threads = threading.enumerate()
    for descriptor in range(3):  # the next opened file would get the number of a closed one
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
    """End the process if threads of an agent are left: Python would wait forever for them."""
    until = time.monotonic() + _THREAD_GRACE_SECONDS
    for thread in threading.enumerate():
        if thread in before or thread.daemon or thread is threading.current_thread():
            continue
        with suppress(KeyboardInterrupt):  # nobody wants to wait for these threads
            thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            atexit._run_exitfuncs()
            sys.stderr.flush()
            os._exit(code if isinstance(code, int) else int(code is not None))


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does, within the block and only in a program's main thread.

    This works even if SIGINT itself is ignored, as in a background job.
    """
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
    if callable(handler):  # the event loop's handler cancels its main task
        handler(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt
