"""Telling a user's interrupt apart from a KeyboardInterrupt that an agent raises."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import ClassVar

_received = threading.Event()
_ENDS = ("SIGTERM", "SIGHUP")


def interrupted() -> bool:
    """Return whether the user has interrupted the program."""
    return _received.is_set()


def note_interrupt() -> None:
    """Record that the user has interrupted the program."""
    _received.set()


def forget_interrupts() -> None:
    """Forget that the user has interrupted the program."""
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
    """Watch SIGINT within the block, inside a running event loop, for `interrupted`.

    Every SIGINT cancels the main task and interrupts an `AgentStep` at once. Nothing changes in
    threads other than the main one, or if SIGINT is ignored.
    """
    forget_interrupts()
    main = asyncio.current_task()
    if main is not None and main.cancelling():  # it came before anybody watched
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
    """Let only the first SIGINT within the block cancel the main task, inside a running event loop.

    Further ones do not stop anything from closing. All of them interrupt a `LongLoad` at once.
    Nothing changes in threads other than the main one, or if SIGINT is ignored.
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
def ended_like_interrupts() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt within the block, so that it cleans up.

    Nothing changes in threads other than the main one, or for a signal that is ignored.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in _ENDS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    watched = threading.current_thread() is threading.main_thread()
    changed = [n for n in numbers if watched and before[n] is not signal.SIG_IGN]
    for number in changed:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, before[number])


@contextmanager
def _on_interrupt(act: Callable[[Callable[[], None]], None]) -> Iterator[None]:
    """Call *act* on SIGINT within the block, with the handler that was there before.

    The event loop's own handler cancels its main task.
    """
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
