"""What is graded of an analysis: the right figures, and what was seen of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from meta_tasks.deliverable import Deliverable, Flaw
from meta_tasks.families.sales.figures import differences
from meta_tasks.meta_task import Case, Verdict


@dataclass(frozen=True)
class Sold:
    """What is graded: the file, the right figures (with the people they name), the clues."""

    path: str
    right: Deliverable
    clues: tuple[str, ...]

    def handed_in(self, case: Case[Sold]) -> Deliverable | Flaw:
        """What the file holds."""
        return case.handed_in(self.path, type(self.right))


def lists(figures: Deliverable) -> dict[str, Sequence[BaseModel]]:
    """The fields of a deliverable that are lists of rows."""
    return {name: value for name, value in figures if isinstance(value, list)}


def rows_right(case: Case[Sold], *fields: str) -> Verdict:
    """Whether the lists of these names are right, and what was seen."""
    given = case.truth.handed_in(case)
    if isinstance(given, Flaw):
        return Verdict(False, given.seen)
    mine, asked = lists(given), lists(case.truth.right)
    wrong = [flaw for name in fields for flaw in differences(mine[name], asked[name])]
    rows = ", ".join(f"{name} has {len(mine[name])} rows" for name in fields)
    return Verdict(not wrong, "; ".join([rows, *wrong]))
