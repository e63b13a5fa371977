"""The features that a family declares its tasks to have, for complications to build on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random


class SceneFeature(StrEnum):
    """A feature of a family's tasks that a complication can build on."""

    HELD_FACT = "held_fact"
    """A colleague who is asked in the chat tells a fact that decides the answer."""
    OFFICE_FACT = "office_fact"
    """In addition, somebody else may take over the fact: it is not about the person who tells
    it."""
    RECORDED_FACT = "recorded_fact"
    """In addition, the fact is told in words that might be part of a record."""
    REPEATABLE = "repeatable"
    """A worker may do the work again: a new submission replaces the first one."""
    RECORDS = "records"
    """Records in files decide the answer: see `HiddenPart.records`."""
    TYPED_RECORDS = "typed_records"
    """In addition, it is known which of their columns hold dates and amounts."""


FACT_WORK = frozenset(
    {
        SceneFeature.HELD_FACT,
        SceneFeature.OFFICE_FACT,
        SceneFeature.RECORDED_FACT,
        SceneFeature.REPEATABLE,
    }
)
"""The features of tasks that build on facts."""
RECORD_WORK = FACT_WORK | {SceneFeature.RECORDS, SceneFeature.TYPED_RECORDS}
"""The features of tasks that also build on files of records."""


class ColumnKind(StrEnum):
    """The kind of values in a column of records."""

    TEXT = "text"
    DATE = "date"
    """A day, such as 2025-09-30."""
    MOMENT = "moment"
    """A day and time, such as 2025-09-30T08:15."""
    AMOUNT = "amount"
    """An amount in euros, with two decimals."""


@dataclass(frozen=True)
class RecordFile:
    """A CSV file of records that decides the answer.

    ``earlier`` is an older version of its text, complete in form, that gives a different answer:
    some rows are missing, or as many rows say something else.

    ``columns`` gives the kinds of columns that are not text, by their titles. ``misleads`` says
    whether a given text of the file leads to a different answer, whatever the secrets are; None if
    any other records do.
    """

    path: str
    text: str
    earlier: str
    columns: Mapping[str, ColumnKind] = field(default_factory=dict)
    misleads: Callable[[str], bool] | None = field(default=None, compare=False)

    def cut_off(self, draws: Random) -> list[str]:
        """Return the lines, with the header, of a file that ends too early. It has a drawn number
        of the older version's rows, or of its own first rows if the older version is as long. It
        has at least two rows: "one" is said too often without counting."""
        title, *rows = self.text.splitlines()
        earlier = self.earlier.splitlines()[1:]
        left = earlier if len(earlier) < len(rows) else rows[: 2 * len(rows) // 5]
        fewest = min(max(2, len(left) // 8), len(left))
        return [title, *left[: draws.randint(fewest, len(left))]]

    def parts(self) -> tuple[list[str], list[str]]:
        """Return the lines of a first part that could be a whole file, with the header, and those
        of the rest. The first part is the older version if rows are missing in it, otherwise a
        quarter."""
        lines, earlier = self.text.splitlines(), self.earlier.splitlines()
        if len(earlier) < len(lines):
            known = set(earlier)
            return earlier, [line for line in lines if line not in known]
        quarter = 1 + len(lines) // 4
        return lines[:quarter], lines[quarter:]
