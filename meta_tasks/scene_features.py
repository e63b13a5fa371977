"""What a family says that its tasks have, so that complications can build on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random


class SceneFeature(StrEnum):
    """What a family's tasks have, so that a complication can build on it."""

    HELD_FACT = "held_fact"
    """A colleague who is asked in the chat tells a fact that decides the answer."""
    OFFICE_FACT = "office_fact"
    """And somebody else may answer for it: it is not about who tells it."""
    RECORDED_FACT = "recorded_fact"
    """And it is told in words that might stand in a record."""
    REPEATABLE = "repeatable"
    """A worker may do the work again: what it hands in then replaces what it handed in first."""
    RECORDS = "records"
    """Records in files decide the answer: see `HiddenPart.records`."""
    TYPED_RECORDS = "typed_records"
    """And it is known which of their columns hold dates and amounts."""


FACT_WORK = frozenset(
    {
        SceneFeature.HELD_FACT,
        SceneFeature.OFFICE_FACT,
        SceneFeature.RECORDED_FACT,
        SceneFeature.REPEATABLE,
    }
)
"""What tasks have that build on facts."""
RECORD_WORK = FACT_WORK | {SceneFeature.RECORDS, SceneFeature.TYPED_RECORDS}
"""What they have if they also build on files of records."""


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
    ``columns`` says what the columns hold that are not text, by their titles. ``misleads`` says
    whether another text of the file gives another answer, whatever the secrets are; None if any
    other records do.
    """

    path: str
    text: str
    earlier: str
    columns: Mapping[str, ColumnKind] = field(default_factory=dict)
    misleads: Callable[[str], bool] | None = field(default=None, compare=False)

    def cut_off(self, draws: Random) -> list[str]:
        """The lines, with the titles, of a file that ends too early. It has a drawn number of the
        older version's rows, or of its own first ones if the older version is as long. It has at
        least two: "one" is said too often without counting."""
        title, *rows = self.text.splitlines()
        earlier = self.earlier.splitlines()[1:]
        left = earlier if len(earlier) < len(rows) else rows[: 2 * len(rows) // 5]
        fewest = min(max(2, len(left) // 8), len(left))
        return [title, *left[: draws.randint(fewest, len(left))]]

    def parts(self) -> tuple[list[str], list[str]]:
        """The lines of a part that might be all there is, the titles among them, and those of the
        rest: the older version if rows are missing in it, or else a quarter."""
        lines, earlier = self.text.splitlines(), self.earlier.splitlines()
        if len(earlier) < len(lines):
            known = set(earlier)
            return earlier, [line for line in lines if line not in known]
        quarter = 1 + len(lines) // 4
        return lines[:quarter], lines[quarter:]
