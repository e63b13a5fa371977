"""Our histories by name: ``summarising`` (or ``summarising:40000``, in tokens) and ``whole``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.thinking.parts import History, UnknownPart, found
from harness.thinking.summarising import THRESHOLD, Summarising
from harness.thinking.whole import Whole

USUAL = "summarising"
LEAST_THRESHOLD = 2_000
_NEEDS = ("begin", "add", "request", "shorten")


def _summarising(rest: str) -> History:
    if not rest:
        return Summarising()
    if not rest.isascii() or not rest.isdigit() or int(rest) < LEAST_THRESHOLD:
        raise UnknownPart(
            f"The history summarising:{rest} is past reading: after the colon stands a number of "
            f"tokens, {LEAST_THRESHOLD} at least, such as summarising:40000."
        )
    return Summarising(int(rest))


def _whole(rest: str) -> History:
    if rest:
        raise UnknownPart(f"The history whole takes nothing after its name, not {rest!r}.")
    return Whole()


OURS: Mapping[str, Callable[[str], History]] = {"summarising": _summarising, "whole": _whole}


def history(named: str) -> History:
    """The history called *named*, "" for the usual one. Raises UnknownPart."""
    return found("history", named or USUAL, OURS, _NEEDS)


def threshold(named: str) -> int | None:
    """How many tokens a request has at most with the history *named*; None if nobody can say."""
    name, _, rest = (named or USUAL).partition(":")
    if name != "summarising":
        return None
    return int(rest) if rest.isdigit() else THRESHOLD
