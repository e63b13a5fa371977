"""Tells an interrupt by whoever runs the program from a KeyboardInterrupt that an agent raises."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

_received = threading.Event()


def interrupted() -> bool:
    """Whether whoever runs the program has interrupted it."""
    return _received.is_set()


def note_interrupt() -> None:
    """From now on the program is interrupted."""
    _received.set()


def forget_interrupts() -> None:
    """From now on the program is not interrupted."""
    _received.clear()


@contextmanager
def watched_interrupts() -> Iterator[None]:
    """Within the block, inside a running event loop, `interrupted` says whether SIGINT has come.

    A step of an agent that does not return to the event loop is interrupted where it is. In other
    threads than the main one, and where SIGINT is ignored, nothing is changed.
    """
    forget_interrupts()
    main = asyncio.current_task()
    if main is not None and main.cancelling():  # it came before there was anybody to watch
        note_interrupt()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        note_interrupt()
        before(number, frame)  # the event loop's own cancels its main task
        if AgentStep.running:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class AgentStep:
    """A block in which an agent's code runs and the event loop does not."""

    running = False

    def __enter__(self) -> None:
        AgentStep.running = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        AgentStep.running = False


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Within the block, inside a running event loop, the first SIGINT cancels the main task and
    further ones keep nobody from closing. All of them interrupt a `LongLoad` where it is.

    In other threads than the main one, and where SIGINT is ignored, nothing is changed.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal came
        if not came:
            came = True
            before(number, frame)  # the event loop's own cancels its main task
        if LongLoad.running:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class LongLoad:
    """A block that reads much, during which the event loop does not run. An interrupt raises
    KeyboardInterrupt in it; on another thread than the main one it does not."""

    running = False

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            LongLoad.running = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            LongLoad.running = False
