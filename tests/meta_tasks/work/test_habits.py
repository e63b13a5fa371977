"""Habits: a worker who has them all deals with what changes and with who is away; one who lacks
those of a complication, or has opposite ones, falls short."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module

import pytest

from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.harness.testbench.work_plan import last_changes
from trainee_bench.meta_tasks.complication import BITE, Complication
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.work.careful import HABITS, ComesBackLater, TurnsToDeputies
from trainee_bench.meta_tasks.work.careless import BelievingTools
from trainee_bench.meta_tasks.work.engine import Act, ToolCaller
from trainee_bench.meta_tasks.work.habits import Habit
from trainee_bench.meta_tasks.work.planner import DayOutline
from trainee_bench.meta_tasks.work.worker import employ
from trainee_bench.world.notices import Verbosity

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


def careful() -> list[Habit]:
    """All habits that a worker should have."""
    known = [habit for found in discover_complications().values() for habit in found.habits]
    return [*dict.fromkeys([*known, *HABITS])]


def careless(one: Complication) -> list[Habit]:
    """The habits of somebody who ignores *one*."""
    own = {type(habit) for habit in one.habits}
    return [*(habit for habit in careful() if type(habit) not in own), *one.ignoring]


def worked(
    rule: str,
    habits: Sequence[Habit],
    verbosity: Verbosity = Verbosity.ALL,
    *,
    seed: int = 5,
    believes: str = "",
) -> tuple[TaskGrade, list[Act]]:
    """The grade of a day's only task as somebody with *habits* works it, and what they did.

    They take what the complication called *believes* makes look right for it.
    """
    spec = DaySpec(tasks=(TaskSpec(rule=rule),))
    composed = compose_day(Scenario(name="habits", seed=seed, days=(spec,), verbosity=verbosity), 0)
    (task,) = composed.tasks
    family = import_module(f"trainee_bench.meta_tasks.families.{rule.partition('.')[0]}.work")

    async def work() -> tuple[TaskGrade, list[Act]]:
        day = await stage_day(composed)
        async with day.world:
            tools: ToolCaller = day
            if believes:
                tools = BelievingTools(day, task.instance.truth.believed[believes])
            engine, planner = employ(
                tools,
                day.costs,
                {task.id: family.honest_work},
                habits,
                trusts_notices=verbosity is Verbosity.ALL,
                plan=DayOutline(settled=last_changes(composed)),
            )
            await planner.run()
            return (await day.grades())[0], engine.acts

    return asyncio.run(work())


@pytest.mark.parametrize("rule", [*COMPLICATED, "kb_fix.away.medium"])
@pytest.mark.parametrize("verbosity", [Verbosity.ALL, Verbosity.OFF])
def test_a_careful_worker_succeeds(rule: str, verbosity: Verbosity) -> None:
    grade, _ = worked(rule, careful(), verbosity)
    assert grade.success, [check.seen for check in grade.checkpoints if not check.passed]


@pytest.mark.parametrize("rule", COMPLICATED)
def test_whoever_ignores_a_complication_falls_short(rule: str) -> None:
    one = discover_complications()[rule.partition("+")[2]]
    grade, _ = worked(rule, careless(one))
    assert (grade.score or 0) <= 1 - BITE


@pytest.mark.parametrize("rule", COMPLICATED)
def test_whoever_ignores_what_is_not_there_succeeds(rule: str) -> None:
    plain, _, name = rule.partition("+")
    grade, _ = worked(plain, careless(discover_complications()[name]))
    assert grade.success


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
def test_whoever_believes_what_looks_right_falls_short(rule: str) -> None:
    grade, _ = worked(rule, careful(), believes=rule.partition("+")[2])
    assert (grade.score or 0) <= 1 - BITE


def test_whoever_does_not_turn_to_deputies_learns_nothing() -> None:
    habits = [habit for habit in careful() if not isinstance(habit, TurnsToDeputies)]
    grade, _ = worked("kb_fix.away.medium", habits)
    assert not grade.score


@pytest.mark.parametrize("turned", [False, True])
def test_a_deputy_who_hands_a_matter_over_is_replaced_in_whatever_order_habits_are(
    turned: bool,
) -> None:
    habits = careful()
    grade, _ = worked("kb_fix.away.medium+unannounced_handover", habits[::-1] if turned else habits)
    assert grade.success


def test_an_answer_is_waited_for_after_the_last_change_of_a_task() -> None:
    grade, _ = worked(f"{SALES}+busy_holder+changed_request", careful(), seed=2)
    assert grade.success


def test_whoever_is_away_is_looked_for_only_now_and_then() -> None:
    often = [habit for habit in careful() if not isinstance(habit, ComesBackLater)]
    (_, seldom), (_, many) = (
        worked(f"{ARTICLES}+busy_holder", habits, Verbosity.OFF) for habits in (careful(), often)
    )
    assert len(seldom) < len(many) / 2
