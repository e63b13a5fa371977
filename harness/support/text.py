"""Text of agents and users, made safe or corrected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from trainee_bench.harness.support.interrupts import AgentStep, interrupted
from trainee_bench.world.text_index import unprintable

SHOWN_CHARS = 1_000
"""Characters that a message shows of a text that somebody else wrote."""


def printable(text: str) -> str:
    """Return *text* with a space for each character that is not printable.

    Control characters, overrides of direction and lone surrogates could clear a terminal or reverse
    the rest of a line.
    """
    return "".join(" " if unprintable(c) else c for c in text)


def one_line(text: str, limit: int = SHOWN_CHARS) -> str:
    """Return *text* on one line of at most *limit* characters.

    Unprintable characters are escaped as in Python, and several spaces become one. Text from others
    then cannot look like a line of ours.
    """
    escaped = "".join(c if c.isprintable() else _escape(c) for c in text[: limit + 1])
    shown = " ".join(escaped.split())
    return shown if len(text) <= limit and len(shown) <= limit else f"{shown[: limit - 1]}…"


def encodable(text: str) -> str:
    """Return *text* with each lone surrogate escaped.

    Python reads file names that are not UTF-8 with surrogates, and neither JSON nor a page can hold
    them.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def suggest_names(name: str, known: Iterable[str], otherwise: Sequence[str]) -> str:
    """Return the names in *known* most like *name*, else those in *otherwise*, joined by "or"."""
    return " or ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.4) or otherwise)


_LONGEST_TEXT = 1_000
_NO_TEXT = "(its message is missing: creating it raised an error)"


def describe_error(error: BaseException) -> str:
    """Return *error* on one line; for a group, its first member.

    The code of an agent makes the text of its own exception and may raise anything. Only a user's
    interrupt is raised again.
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
