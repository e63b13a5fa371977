"""Text of agents and users, made safe or corrected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from trainee_bench.world.characters import unprintable


def printable(text: str) -> str:
    """*text* with a space for each character that is not printable.

    Control characters, overrides of direction and lone surrogates could clear a terminal or
    reverse the rest of a line.
    """
    return "".join(" " if unprintable(c) else c for c in text)


def suggest_names(name: str, known: Iterable[str], otherwise: Sequence[str]) -> str:
    """The names in *known* most like *name*, else those in *otherwise*, joined by "or"."""
    return " or ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.4) or otherwise)
