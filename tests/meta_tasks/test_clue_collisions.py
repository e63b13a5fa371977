"""No two clues at one colleague may be taken for each other."""

from __future__ import annotations

import pytest

from trainee_bench.meta_tasks.meta_task import (
    GradedPart,
    HiddenPart,
    Hints,
    TaskInstance,
    ToldPart,
)
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.colleagues.knowledge import Clue

BUDGET = (
    "What is the budget of the trade fair?",
    "How much money is there for the trade fair?",
    "How much may the trade fair cost?",
    "What can be spent on the trade fair?",
    "Which sum was set aside for the trade fair?",
)
SUPPLIER = (
    "Which supplier delivers the chairs?",
    "Who delivers our chairs?",
    "Where do the chairs come from?",
    "What is the name of the chair supplier?",
    "Whom do we buy the chairs from?",
)


def instance(*clues: Clue) -> TaskInstance[None]:
    told = ToldPart("t", "o", Hints("", "", ""))
    return TaskInstance(told, HiddenPart(clues), GradedPart(None))


def clue(task: str, holder: str, asks: tuple[str, ...], *keys: str) -> Clue:
    return Clue(id=f"{task}/x", holder=holder, payload="p", asks=asks, keys=keys)


def test_two_tasks_whose_questions_are_alike_cannot_share_a_colleague() -> None:
    alike = instance(clue("T1", "mara", BUDGET)), instance(clue("T2", "mara", BUDGET[::-1]))
    with pytest.raises(CompositionError, match="mara holds T1/x and T2/x"):
        check_clue_collisions(alike)


def test_the_same_questions_may_be_asked_of_two_colleagues() -> None:
    check_clue_collisions(
        [instance(clue("T1", "mara", BUDGET)), instance(clue("T2", "noor", BUDGET))]
    )


def test_questions_that_differ_may_be_asked_of_one_colleague() -> None:
    check_clue_collisions([instance(clue("T1", "mara", BUDGET), clue("T2", "mara", SUPPLIER))])


def test_what_is_told_in_meetings_cannot_be_asked_for_and_does_not_collide() -> None:
    check_clue_collisions([instance(clue("T1", "", ())), instance(clue("T2", "", ()))])
