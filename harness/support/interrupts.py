"""Tells an interrupt by whoever runs the program from a KeyboardInterrupt that an agent raises."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import ClassVar

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


class _Block:
    """A block on the main thread that an interrupt leaves at once, by a KeyboardInterrupt.

    Elsewhere the event loop cancels its main task, which a block that never returns to the loop
    does not notice.
    """

    running: ClassVar[bool] = False

    def __enter__(self) -> None:
        self._set_running(True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._set_running(False)

    def _set_running(self, running: bool) -> None:
        if threading.current_thread() is threading.main_thread():
            type(self).running = running


class AgentStep(_Block):
    """A block in which an agent's code runs and the event loop does not."""


class LongLoad(_Block):
    """A block that reads much, during which the event loop does not run."""


@contextmanager
def watched_interrupts() -> Iterator[None]:
    """Within the block, inside a running event loop, `interrupted` says whether SIGINT has come.

    Every SIGINT cancels the main task and interrupts an `AgentStep` where it is. In other threads
    than the main one, and where SIGINT is ignored, nothing is changed.
    """
    forget_interrupts()
    main = asyncio.current_task()
    if main is not None and main.cancelling():  # it came before there was anybody to watch
        note_interrupt()

    def interrupt(cancel: Callable[[], None]) -> None:
        note_interrupt()
        cancel()
        if AgentStep.running:
            raise KeyboardInterrupt

    with _on_interrupt(interrupt):
        yield


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Within the block, inside a running event loop, the first SIGINT cancels the main task and
    further ones keep nobody from closing. All of them interrupt a `LongLoad` where it is.

    In other threads than the main one, and where SIGINT is ignored, nothing is changed.
    """
    came = False

    def interrupt(cancel: Callable[[], None]) -> None:
        nonlocal came
        if not came:
            came = True
            cancel()
        if LongLoad.running:
            raise KeyboardInterrupt

    with _on_interrupt(interrupt):
        yield


@contextmanager
def _on_interrupt(act: Callable[[Callable[[], None]], None]) -> Iterator[None]:
    """Within the block, SIGINT calls *act* with the handler that was there before: the event
    loop's own cancels its main task."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        act(lambda: before(number, frame))

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
