"""What is graded of an analysis: the right figures, and what was seen of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable
from trainee_bench.meta_tasks.families.sales.deliverables import describe_differences
from trainee_bench.meta_tasks.meta_task import GradingContext, Verdict


@dataclass(frozen=True)
class SalesTruth:
    """What is graded: the file, the right figures (with the people they name), the clues."""

    path: str
    right: Deliverable
    clues: tuple[str, ...]

    def handed_in(self, grading: GradingContext[SalesTruth]) -> Deliverable | InvalidDeliverable:
        """What the file holds."""
        return grading.read_deliverable(self.path, type(self.right))


def list_fields(figures: Deliverable) -> dict[str, Sequence[BaseModel]]:
    """The fields of a deliverable that are lists of rows."""
    return {name: value for name, value in figures if isinstance(value, list)}


def rows_right(grading: GradingContext[SalesTruth], *fields: str) -> Verdict:
    """Whether the lists of these names are right, and what was seen."""
    given = grading.truth.handed_in(grading)
    if isinstance(given, InvalidDeliverable):
        return Verdict(False, given.seen)
    mine, asked = list_fields(given), list_fields(grading.truth.right)
    wrong = [flaw for name in fields for flaw in describe_differences(mine[name], asked[name])]
    rows = ", ".join(f"{name} has {len(mine[name])} rows" for name in fields)
    return Verdict(not wrong, "; ".join([rows, *wrong]))
