"""An exception in words, also one of a user's code that does not let itself be asked."""

from __future__ import annotations

from trainee_bench.harness.support.interrupts import AgentStep, interrupted
from trainee_bench.harness.support.text import printable

_LONGEST_TEXT = 1_000
_NO_TEXT = "(it cannot say what is wrong: its own text raises)"


def describe_error(error: BaseException) -> str:
    """*error* on one line; of a group its first member.

    The text of an agent's own exception is made by the agent's code, which may raise anything. Only
    an interrupt by whoever runs the program is raised again.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    kind = type.__getattribute__(type(error), "__name__")
    try:
        with AgentStep():
            text = str.__str__(f"{error}")
    except BaseException:
        if interrupted():
            raise
        text = _NO_TEXT
    return " ".join(printable(f"{kind}: {text}").split())[:_LONGEST_TEXT]
