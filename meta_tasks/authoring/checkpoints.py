"""Checkpoints that many families share: told facts, the choice by parameters, and submitted rows.

Rows are compared in any order, numbers within a tolerance. Differences are described without naming
a row, so that feedback gives no answer away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from trainee_bench.meta_tasks.answers import AnswerKeys, text_kinds
from trainee_bench.meta_tasks.checkpoints import (
    Checkpoint,
    GradingContext,
    Verdict,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.meta_task import MetaTask

AS_DECLARED: Mapping[str, float] = {}


def was_told(
    grading: GradingContext[Any],
    clue: str,
    yes: str = "you were told at {at:%H:%M}",
    no: str = "nobody has told you",
) -> Verdict:
    """Return a verdict on whether the clue of this name was told, whatever the employee wrote.
    *yes* may contain ``{at}`` for the time."""
    at = grading.clue_released_at(clue)
    return Verdict(at is not None, no if at is None else yes.format(at=at))


def were_told(grading: GradingContext[Any], clues: Sequence[str], who: str) -> Verdict:
    """Return a verdict on whether every clue of these names was told: "2 of 3 managers have told
    you", where *who* is "managers have told you"."""
    count = sum(grading.clue_released_at(clue) is not None for clue in clues)
    return Verdict(count == len(clues), f"{count} of {len(clues)} {who}")


def choose_checkpoints(
    family: type[MetaTask[Any]],
    outcomes: Sequence[str],
    only_with: Mapping[str, str],
    weights: Mapping[str, float] = AS_DECLARED,
    only_after: str | None = None,
) -> tuple[Checkpoint, ...]:
    """Return the *outcomes* that *family* declares, by name, then the process points that are the
    keys of *only_with*, each with the outcome that it counts with.

    *weights* replace the declared ones. The outcomes count only with the process point
    *only_after*, if one is named. Raises KeyError for a name that is not declared.
    """
    declared = {mark.name: mark for mark in declared_checkpoints(family)}
    declared |= {name: replace(declared[name], weight=given) for name, given in weights.items()}
    process = [replace(declared[name], only_with=with_) for name, with_ in only_with.items()]
    wanted = (
        replace(declared[name], only_after=only_after or declared[name].only_after)
        for name in outcomes
    )
    return (*wanted, *process)


Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True)
class DifferenceWords:
    """The words for each kind of difference."""

    repeated: str = "some rows are there twice"
    foreign: str = "some rows do not belong there"
    missing: str = "something is missing"
    wrong: str = "some figures are not right"


@dataclass(frozen=True)
class RowDifference:
    """The number of rows that are repeated, do not belong there, are missing, or have wrong
    figures."""

    repeated: int = 0
    foreign: int = 0
    missing: int = 0
    wrong: int = 0

    @property
    def none(self) -> bool:
        """Whether the rows do not differ."""
        return self == RowDifference()

    def in_words(self, words: DifferenceWords = DifferenceWords()) -> list[str]:
        """Return the words for the kinds of difference that there are."""
        found = (
            (self.repeated, words.repeated),
            (self.foreign, words.foreign),
            (self.missing, words.missing),
            (self.wrong, words.wrong),
        )
        return [said for count, said in found if count]


def compare_rows(
    given: Sequence[Row],
    right: Sequence[Row],
    keys: AnswerKeys,
    tolerance: float = 0,
    by: Sequence[str] = (),
) -> RowDifference:
    """Return how *given* differs from *right*. Rows are the same if *keys* finds them the same in
    the fields *by* (the text fields if none are given). Their numbers may differ by *tolerance*."""
    mine, asked = (
        {keys.of(row, *(by or text_kinds(type(row)))): row for row in rows}
        for rows in (given, right)
    )
    both = mine.keys() & asked.keys()
    return RowDifference(
        repeated=len(given) - len(mine),
        foreign=len(mine.keys() - asked.keys()),
        missing=len(asked.keys() - mine.keys()),
        wrong=sum(not same_numbers(mine[key], asked[key], tolerance) for key in both),
    )


def same_numbers(given: BaseModel, right: BaseModel, tolerance: float = 0) -> bool:
    """Return whether the numbers of two objects of one model are the same, field by field. Lists
    and texts in them are ignored."""
    pairs = (
        (value, getattr(right, name)) for name, value in given if isinstance(value, int | float)
    )
    return all(abs(value - other) <= tolerance for value, other in pairs)


def lists_of(figures: BaseModel) -> Mapping[str, Sequence[BaseModel]]:
    """Return the fields of a deliverable that are lists of rows."""
    return {name: value for name, value in figures if isinstance(value, list)}


def compare_lists(
    given: BaseModel,
    right: BaseModel,
    fields: Sequence[str],
    keys: AnswerKeys,
    tolerance: float = 0,
    words: DifferenceWords = DifferenceWords(),
) -> Verdict:
    """Return a verdict on whether the lists called *fields* of two deliverables of one model have
    the same rows: "employees has 3 rows; something is missing"."""
    mine, asked = lists_of(given), lists_of(right)
    wrong = [
        said
        for name in fields
        for said in compare_rows(mine[name], asked[name], keys, tolerance).in_words(words)
    ]
    counts = ", ".join(f"{name} has {len(mine[name])} rows" for name in fields)
    return Verdict(not wrong, "; ".join([counts, *wrong]))
