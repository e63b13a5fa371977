"""Text of agents and users, made safe or corrected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from trainee_bench.harness.support.interrupts import AgentStep, interrupted
from trainee_bench.world.text_index import unprintable

SHOWN_CHARS = 1_000
"""Characters that a message shows of a text that somebody else wrote."""


def printable(text: str) -> str:
    """*text* with a space for each character that is not printable.

    Control characters, overrides of direction and lone surrogates could clear a terminal or
    reverse the rest of a line.
    """
    return "".join(" " if unprintable(c) else c for c in text)


def one_line(text: str, limit: int = SHOWN_CHARS) -> str:
    """*text* on one line of at most *limit* characters: each character that is not printable is
    escaped as in Python, and several spaces are one.

    For what comes from others: it cannot look like a line of ours.
    """
    escaped = "".join(c if c.isprintable() else _escape(c) for c in text[: limit + 1])
    shown = " ".join(escaped.split())
    return shown if len(text) <= limit and len(shown) <= limit else f"{shown[: limit - 1]}…"


def encodable(text: str) -> str:
    """*text* with each lone surrogate escaped: file names that are no UTF-8 are read as such, and
    neither JSON nor a page can hold them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def suggest_names(name: str, known: Iterable[str], otherwise: Sequence[str]) -> str:
    """The names in *known* most like *name*, else those in *otherwise*, joined by "or"."""
    return " or ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.4) or otherwise)


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
