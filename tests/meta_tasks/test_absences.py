"""Nobody who is away on a day is counted on by a task of that day."""

from __future__ import annotations

from datetime import timedelta

import pytest

from harness.in_process import single_task
from meta_tasks.absences import at_work, note_absence, refuse_absent_holders
from meta_tasks.meta_task import Hints, Planned, Scene
from meta_tasks.stage import Commons, CompositionError, Stage
from world.npc import Clue, Expectation
from world.presence import Away

DAY = single_task("kb_fix.easy", 0)
ONE, OTHER, *_ = DAY.company.people


def stage(commons: Commons, task: str = "T1") -> Stage:
    return Stage(task, (1,), DAY.company, DAY.day, DAY.day.ends, commons)


def scene(*events: Planned, clues: tuple[Clue, ...] = (), expects: str = "") -> Scene[None]:
    expectation = Expectation(id="T2/code", holder=expects, values=(("x",),), reply="Good.")
    return Scene(
        title="",
        objective="",
        truth=None,
        hints=Hints("", "", ""),
        clues=clues,
        expectations=(expectation,) if expects else (),
        events=events,
    )


def test_who_is_noted_as_away_is_left_out_by_tasks_composed_after() -> None:
    commons = Commons()
    assert at_work(stage(commons), (ONE, OTHER)) == [ONE, OTHER]
    note_absence(stage(commons), ONE)
    assert at_work(stage(commons, "T2"), (OTHER, ONE)) == [OTHER]


def test_two_tasks_cannot_both_send_somebody_away() -> None:
    commons = Commons()
    note_absence(stage(commons), ONE)
    with pytest.raises(CompositionError, match=ONE.id):
        note_absence(stage(commons, "T2"), ONE)


@pytest.mark.parametrize("hears", [True, False])
def test_a_day_on_which_somebody_away_has_to_answer_is_refused(hears: bool) -> None:
    away = scene(Planned(Away(person=ONE.id, until=DAY.day.starts + timedelta(days=1))))
    clue = Clue(id="T2/clue", holder="" if hears else ONE.id, payload="It is so.")
    needs = scene(clues=(clue,), expects=ONE.id if hears else "")
    with pytest.raises(CompositionError, match="is away that day"):
        refuse_absent_holders([needs, away])
    fine = scene(clues=(clue.model_copy(update={"holder": OTHER.id}),), expects=OTHER.id)
    refuse_absent_holders([fine, away])
