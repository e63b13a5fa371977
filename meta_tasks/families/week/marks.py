"""Checkpoints of a duty: its mails, its report, and the facts that the employee was told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    Deliverable,
    GradingContext,
    Verdict,
    was_told,
    were_told,
)
from trainee_bench.meta_tasks.families.week.days import WEEKDAYS
from trainee_bench.meta_tasks.families.week.duty import DutyTruth

Check = Callable[[GradingContext[Any]], Verdict]


def mark(name: str, sentence: str, check: Check, weight: float = 1, **words: Any) -> Checkpoint:
    """Return a checkpoint graded by *check*; *words* are further fields of `Checkpoint`."""
    usual = {"only_with": None, "forbidden": False, "check": partial(_without_owner, check)}
    return Checkpoint(name, sentence, weight, **{**usual, **words})


def mailed(name: str, day: int, sentence: str, what: str = "", **words: Any) -> Checkpoint:
    """Return the checkpoint for the mail of *day*; *what* is as in `RightMail.verdict`."""
    return mark(name, sentence, partial(_mailed, day, what), day=day, **words)


def each_day(
    days: Sequence[int], sentence: str, what: str = "", **words: Any
) -> tuple[Checkpoint, ...]:
    """Return a checkpoint for each day's mail, named after the day.

    *sentence* has the slot ``{day}``.
    """
    return tuple(
        mailed(WEEKDAYS[day].casefold(), day, sentence.format(day=WEEKDAYS[day]), what, **words)
        for day in days
    )


def reported(sentence: str, *, name: str = "report", **words: Any) -> Checkpoint:
    """Return the checkpoint for Friday's report, which counts twice as much as a mail."""
    return mark(name, sentence, is_reported, weight=2, **words)


def heard_in_meeting(clue: str, outcome: str, *, name: str = "heard") -> Checkpoint:
    """Return the checkpoint for the meeting in which *clue* was said; it counts with *outcome*."""
    return mark(
        name,
        "You were in the meeting in which this was announced",
        partial(was_told, clue=clue, yes="you were there", no="you were not there"),
        weight=0.5,
        only_with=outcome,
        where="The calendar shows when the meeting was, and whether you came.",
        how="Call calendar_attend at the start of the meeting, and write down what is said.",
    )


def all_told(
    name: str, sentence: str, clues: Sequence[str], who: str, outcome: str, **words: Any
) -> Checkpoint:
    """Return the checkpoint for being told all of *clues*; *who* is as in `were_told`."""
    check = partial(were_told, clues=clues, who=who)
    return mark(name, sentence, check, weight=0.5, only_with=outcome, **words)


def is_reported(grading: GradingContext[Any]) -> Verdict:
    """Check every field of the report."""
    right: Deliverable = grading.truth.report
    given = grading.read(grading.truth.path, type(right))
    wrong = len(grading.keys.differing(given, right))
    lists = {name: rows for name, rows in given if isinstance(rows, list)}
    for name, rows in lists.items():
        flaw = ", and not all of it is right" if wrong else ""
        return Verdict(not wrong, f"the report has {len(rows)} {name}{flaw}")
    return Verdict(not wrong, f"{wrong} of {len(type(right).model_fields)} fields are wrong")


def _mailed(day: int, what: str, grading: GradingContext[DutyTruth]) -> Verdict:
    return grading.truth.mails[day].verdict(grading, what)


def _without_owner(check: Check, owner: object, grading: GradingContext[Any]) -> Verdict:
    return check(grading)
