"""Running the coroutines of an inline world without an event loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def complete(coroutine: Coroutine[Any, Any, T]) -> T:
    """What *coroutine* returns; it raises what that raises.

    Everything that an inline world does completes at once. Raises RuntimeError for a coroutine that
    waits for something else, such as a command in a sandbox: that needs an event loop.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    coroutine.close()
    raise RuntimeError("this waits for something outside of the world, so it needs an event loop")
