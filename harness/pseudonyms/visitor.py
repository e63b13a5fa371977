"""The two passes over a folder visit the same texts: the first collects, the second replaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trainee_bench.harness.pseudonyms.meanings import Meaning


@dataclass(frozen=True)
class Place:
    """A place in the material: the file, a part of it such as a header or sheet, a line from 1."""

    file: str
    part: str = ""
    line: int = 1


class Visitor(Protocol):
    """Reads each text of a file and returns the text that takes its place."""

    def text(self, text: str, place: Place) -> str:
        """Return what takes the place of a free text of any number of lines."""
        ...

    def field(self, value: str, meaning: Meaning, place: Place) -> str:
        """Return what takes the place of a value whose meaning its place says."""
        ...

    def file_name(self, name: str, place: Place) -> str:
        """Return what takes the place of a name of a file or folder, without its ending."""
        ...
