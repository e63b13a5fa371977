"""Nobody who is away on a day is counted on by a task of that day."""

from __future__ import annotations

from datetime import timedelta

import pytest

from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.absences import check_holders_present, mark_absent, without_absent
from trainee_bench.meta_tasks.meta_task import (
    GradedPart,
    HiddenPart,
    Hints,
    PlannedEvent,
    TaskInstance,
    ToldPart,
)
from trainee_bench.meta_tasks.task_context import CompositionError, DayReservations, TaskContext
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue, Expectation

DAY = single_task_day("kb_fix.easy", 0)
ONE, OTHER, *_ = DAY.company.people


def context(commons: DayReservations, task: str = "T1") -> TaskContext:
    return TaskContext(task, (1,), DAY.company, DAY.day, DAY.day.ends, commons)


def instance(
    *events: PlannedEvent, clues: tuple[Clue, ...] = (), expects: str = ""
) -> TaskInstance[None]:
    expectation = Expectation(id="T2/code", holder=expects, values=(("x",),), reply="Good.")
    return TaskInstance(
        ToldPart(title="", objective="", hints=Hints("", "", "")),
        HiddenPart(clues=clues, expectations=(expectation,) if expects else (), events=events),
        GradedPart(None),
    )


def test_who_is_noted_as_away_is_left_out_by_tasks_composed_after() -> None:
    commons = DayReservations()
    assert without_absent(context(commons), (ONE, OTHER)) == [ONE, OTHER]
    mark_absent(context(commons), ONE)
    assert without_absent(context(commons, "T2"), (OTHER, ONE)) == [OTHER]


def test_two_tasks_cannot_both_send_somebody_away() -> None:
    commons = DayReservations()
    mark_absent(context(commons), ONE)
    with pytest.raises(CompositionError, match=ONE.id):
        mark_absent(context(commons, "T2"), ONE)


@pytest.mark.parametrize("hears", [True, False])
def test_a_day_on_which_somebody_away_has_to_answer_is_refused(hears: bool) -> None:
    away = instance(
        PlannedEvent(AbsenceBegins(person=ONE.id, until=DAY.day.starts + timedelta(days=1)))
    )
    clue = Clue(id="T2/clue", holder="" if hears else ONE.id, payload="It is so.")
    needs = instance(clues=(clue,), expects=ONE.id if hears else "")
    with pytest.raises(CompositionError, match="is away that day"):
        check_holders_present([(needs, DAY.days), (away, DAY.days)])
    fine = instance(clues=(clue.model_copy(update={"holder": OTHER.id}),), expects=OTHER.id)
    check_holders_present([(fine, DAY.days), (away, DAY.days)])


def test_who_is_back_in_the_course_of_the_day_can_answer() -> None:
    busy = instance(
        PlannedEvent(AbsenceBegins(person=ONE.id, until=DAY.day.starts + timedelta(hours=2)))
    )
    clue = Clue(id="T2/clue", holder=ONE.id, payload="It is so.")
    check_holders_present([(instance(clues=(clue,)), DAY.days), (busy, DAY.days)])
