"""Files of records that decide an answer, and what is known of their columns and versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ColumnKind(StrEnum):
    """What a column of records holds."""

    TEXT = "text"
    DATE = "date"
    """As 2025-09-30."""
    MOMENT = "moment"
    """As 2025-09-30T08:15."""
    AMOUNT = "amount"
    """In euros, with two decimals."""


@dataclass(frozen=True)
class RecordFile:
    """A CSV file of records that decides the answer.

    ``earlier`` is an older version of its text, complete in form, by which the answer is another:
    some rows are missing, or as many rows say something else.
    ``columns`` says what the columns hold that are not text, by their titles.
    """

    path: str
    text: str
    earlier: str
    columns: Mapping[str, ColumnKind] = field(default_factory=dict)

    def parts(self) -> tuple[list[str], list[str]]:
        """The lines of a part that might be all there is, the titles among them, and those of the
        rest: the older version if rows are missing in it, or else a quarter."""
        lines, earlier = self.text.splitlines(), self.earlier.splitlines()
        if len(earlier) < len(lines):
            known = set(earlier)
            return earlier, [line for line in lines if line not in known]
        quarter = 1 + len(lines) // 4
        return lines[:quarter], lines[quarter:]
