"""Habits: a worker with all of them deals with changes and absences; one without those of a
complication, or with opposite ones, falls short."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.work_plan import honest_works, make_worker, outline_of
from trainee_bench.meta_tasks.complication import BITE
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.work.careless import BelievingTools
from trainee_bench.meta_tasks.work.engine import Act, ToolCaller
from trainee_bench.meta_tasks.work.habits import ComesBackLater, Habit, TurnsToDeputies
from trainee_bench.world.transaction import Verbosity

SALES, ARTICLES = "sales.per_dept_top_n", "kb_fix.medium"
COMPLICATED = [
    f"{ARTICLES}+retraction",
    f"{SALES}+corrected_file",
    f"{ARTICLES}+changed_request",
    f"{ARTICLES}+unannounced_handover",
    f"{SALES}+sign_off",
    f"{SALES}+split_knowledge",
    f"{SALES}+old_minutes",
    f"{ARTICLES}+busy_holder",
    f"{ARTICLES}+slow_holder",
    f"{SALES}+wrong_colleague",
]


def worked(
    rule: str,
    habits: Sequence[Habit],
    verbosity: Verbosity = Verbosity.ALL,
    *,
    seed: int = 5,
    believes: str = "",
) -> tuple[TaskGrade, list[Act]]:
    """Return the grade of a day's only task for a worker with *habits*, and what it did. It
    believes what the complication called *believes* makes plausible.

    They take what the complication called *believes* makes look right for it.
    """
    spec = DaySpec(tasks=(TaskSpec(rule=rule),))
    composed = compose_day(Scenario(name="habits", seed=seed, days=(spec,), verbosity=verbosity), 0)
    (task,) = composed.tasks

    async def work() -> tuple[TaskGrade, list[Act]]:
        async with staged(composed) as day:
            tools: ToolCaller = day
            if believes:
                tools = BelievingTools(day, task.instance.graded.truth.believed[believes])
            worker = make_worker(
                tools, day.costs, honest_works(composed), outline_of(composed), habits
            )
            await worker.run()
            return (await day.grades())[0], worker.engine.acts

    return asyncio.run(work())


@pytest.mark.parametrize("rule", [*COMPLICATED, "kb_fix.away.medium"])
@pytest.mark.parametrize("verbosity", [Verbosity.ALL, Verbosity.OFF])
def test_a_careful_worker_succeeds(rule: str, verbosity: Verbosity) -> None:
    grade, _ = worked(rule, careful_habits(), verbosity)
    assert grade.success, [check.seen for check in grade.checkpoints if not check.passed]


@pytest.mark.parametrize(
    "rule",
    [
        f"{ARTICLES}+retraction",
        f"{ARTICLES}+changed_request",
        f"{SALES}+sign_off",
        f"{SALES}+old_minutes",
        f"{SALES}+wrong_colleague",
    ],
)
def test_a_worker_that_believes_plausible_texts_falls_short(rule: str) -> None:
    grade, _ = worked(rule, careful_habits(), believes=rule.partition("+")[2])
    assert (grade.score or 0) <= 1 - BITE


def test_a_worker_that_does_not_turn_to_deputies_learns_nothing() -> None:
    habits = [habit for habit in careful_habits() if not isinstance(habit, TurnsToDeputies)]
    grade, _ = worked("kb_fix.away.medium", habits)
    assert not grade.score


@pytest.mark.parametrize("turned", [False, True])
def test_a_deputy_who_hands_a_matter_over_is_replaced_in_whatever_order_habits_are(
    turned: bool,
) -> None:
    habits = careful_habits()
    grade, _ = worked("kb_fix.away.medium+unannounced_handover", habits[::-1] if turned else habits)
    assert grade.success


def test_an_answer_is_waited_for_after_the_last_change_of_a_task() -> None:
    grade, _ = worked(f"{SALES}+busy_holder+changed_request", careful_habits(), seed=2)
    assert grade.success


def looks_before_work(acts: Sequence[Act]) -> int:
    """Return how often somebody looked at the chat before they could write anything."""
    written = next(place for place, act in enumerate(acts) if act.tool == "files_write")
    return sum(act.tool == "chat_read_history" for act in acts[:written])


def test_answers_of_absent_colleagues_are_looked_for_only_now_and_then() -> None:
    careful = careful_habits()
    often = [habit for habit in careful if not isinstance(habit, ComesBackLater)]
    (_, seldom), (_, many) = (
        worked(f"{ARTICLES}+busy_holder", habits, Verbosity.OFF) for habits in (careful, often)
    )
    assert looks_before_work(seldom) < looks_before_work(many) / 2
