"""The texts that a night has left, so that the next night replaces only values that are new.

    left text, today's text ──► values that stand where the night left them stay
                            └─► all other values are replaced

A line that a night has left stays. A line that differs from a left line only in its values keeps
those values that are the same there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self


class Replacing(Protocol):
    """Replaces the values in a text."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of all values that are replaced."""

    def replacement(self, found: re.Match[str]) -> str:
        """Return the replacement of a value that the pattern has *found*."""


@dataclass(frozen=True)
class LeftTexts:
    """The lines that a night has left, and their values by the rest of the line. The rest must be
    that of only one line, for otherwise nobody knows which of them was changed."""

    lines: frozenset[str]
    values: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, texts: Iterable[str], pattern: re.Pattern[str]) -> Self:
        """Return the lines of *texts*; *pattern* finds their values."""
        lines = [line for text in texts for line in text.split("\n") if line.strip()]
        rests = [_rest(line, pattern) for line in lines]
        count = Counter(rests)
        values = {
            rest: [found[0] for found in pattern.finditer(line)]
            for line, rest in zip(lines, rests, strict=True)
            if count[rest] == 1
        }
        return cls(frozenset(lines), values)

    def new_values_replaced(self, replacing: Replacing, text: str) -> str:
        """Return *text* with all values replaced that no night has left."""
        return "\n".join(self._line(replacing, line) for line in text.split("\n"))

    def _line(self, replacing: Replacing, line: str) -> str:
        if line in self.lines:
            return line
        left = iter(self.values.get(_rest(line, replacing.pattern), ()))

        def replaced(found: re.Match[str]) -> str:
            return found[0] if found[0] == next(left, None) else replacing.replacement(found)

        return replacing.pattern.sub(replaced, line)


def _rest(line: str, pattern: re.Pattern[str]) -> str:
    """Return the words of *line* around its values."""
    return pattern.sub("\0", line)
