"""Other people's words without what shows nothing itself, but acts on what stands beside it."""

from __future__ import annotations


def printable(text: str) -> str:
    """*text* with a space for each control character, override of direction, and half of a
    character: they clear a terminal, or turn around the rest of a line."""
    return "".join(c if c.isprintable() else " " for c in text)
