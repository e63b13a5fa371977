"""Passages of a text whose lines end in LF, in CRLF, or in either."""

from __future__ import annotations

_LF, _CRLF = "\n", "\r\n"


class TextLines:
    """A text in which passages are found and replaced whatever ends its lines."""

    def __init__(self, text: str):
        self._text = text
        self._plain = text.replace(_CRLF, _LF)

    def count(self, passage: str) -> int:
        """How often *passage* occurs."""
        return self._plain.count(passage.replace(_CRLF, _LF))

    def replaced(self, passage: str, by: str) -> str:
        """The text with *by* in place of *passage*, which occurs once. All other lines keep their
        ends, and those of *by* end as most lines of the text do."""
        wanted = passage.replace(_CRLF, _LF)
        at = self._plain.index(wanted)
        start, end = self._place(at), self._place(at + len(wanted))
        if _LF in self._text:
            by = by.replace(_CRLF, _LF).replace(_LF, self._usual_end())
        return self._text[:start] + by + self._text[end:]

    def _place(self, at: int) -> int:
        """Where the character stands in the text that stands at this place of the plain one."""
        before = self._plain.count(_LF, 0, at)
        lines = self._text.split(_LF, before)[:before]
        return at + sum(line.endswith("\r") for line in lines)

    def _usual_end(self) -> str:
        return _CRLF if 2 * self._text.count(_CRLF) > self._text.count(_LF) else _LF
