"""The result of converting one file, before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RefusedPart:
    """A part of a file that could not be read, such as a page, and the reason."""

    item: str
    reason: str


@dataclass(frozen=True)
class ConvertedFile:
    """A file for the office: its name, its bytes, what was changed or lost, and unread parts.

    ``changed`` says whether the bytes or the name differ from the source.
    """

    name: str
    data: bytes
    changed: bool = False
    notes: tuple[str, ...] = ()
    refused_parts: tuple[RefusedPart, ...] = field(default=())


def with_ending(name: str, ending: str) -> str:
    """Return the file name *name* with *ending* (such as ".md") instead of its own.

    A name without an ending gets it; a name that is only an ending keeps its text.
    """
    stem, dot, _ = name.rpartition(".")
    return (stem if dot and stem else name) + ending
