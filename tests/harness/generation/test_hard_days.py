"""Generated days that are hard: with complications, demanding, with more work than hours."""

from __future__ import annotations

from datetime import time
from random import Random

import pytest

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.benchmark_file import (
    describe_shortfalls,
    describe_spec,
    parse_hours,
    parse_range,
)
from trainee_bench.harness.generation.call_costs import effort_minutes
from trainee_bench.harness.generation.draft import draw_draft
from trainee_bench.harness.generation.scenarios import make_scenario
from trainee_bench.harness.generation.spec import (
    ArrivalPattern,
    GenerationSpec,
    InvalidGenerationSpec,
)
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError

FAST = ("kb_fix.*", "resume_select.*", "sales.*", "transactions.*", "data_completion.sales.*")


def spec(**fields: object) -> GenerationSpec:
    """A scenario of three or four tasks of families whose days are quickly worked."""
    given = {"name": "hard", "scenarios": 1, "fewest": 3, "most": 4, "globs": FAST, **fields}
    return GenerationSpec.model_validate({"flow": ArrivalPattern.STREAMED, **given})


async def test_every_task_has_as_many_complications_as_asked_for_in_the_hours_asked_for() -> None:
    order = spec(
        fewest=2,
        most=2,
        globs=("kb_fix.*", "resume_select.*"),
        fewest_complications=1,
        most_complications=2,
        starts=time(8),
        ends=time(18),
        effort=True,
    )
    scenario = await make_scenario(order, 1)
    assert (scenario.starts, scenario.ends) == (time(8), time(18))
    assert all(1 <= task.rule.count("+") <= 2 for task in scenario.days[0].tasks)
    assert scenario.minutes == effort_minutes()
    assert "1-2 complications each, with calls charged by their effort" in describe_spec(order)


FEW_RULES = (
    "ads_strategy.balanced.very_easy", "event_planning.A1", "kb_fix.easy",
    "meeting_book.capacity.c1", "resume_select.pool6", "sales.top_sales_employee",
    "transactions.n2.a0",
)  # fmt: skip


@pytest.mark.parametrize(("tasks", "least", "most"), [(14, 0, 1), (13, 1, 1), (14, 1, 2)])
def test_a_day_has_as_many_tasks_as_asked_for_and_no_two_are_alike(
    tasks: int, least: int, most: int
) -> None:
    globs = FEW_RULES if (tasks, least) != (14, 1) else (*FEW_RULES, "meeting_attend.check.u1")
    order = spec(
        fewest=tasks, most=tasks, globs=globs, fewest_complications=least, most_complications=most
    )
    made = 0
    for seed in range(4):
        try:
            draft = draw_draft(order, 2, Random(seed))
        except CompositionError:  # two tasks that would be alike: another draw follows
            continue
        rules = [task.rule for task in draft.scenario.days[0].tasks]
        assert len(set(rules)) == len(rules) == tasks
        assert all(least <= rule.count("+") <= most for rule in rules)
        made += 1
    assert made


def test_the_command_says_how_many_tasks_go_without_what_is_given_where_it_fits() -> None:
    order = spec(
        fewest_complications=2, most_complications=2, unannounced=1, preferred=("sign_off",)
    )
    rules = (
        "sales.top_sales_employee+sign_off+unannounced_correction",
        "kb_fix.easy+busy_holder+unannounced_handover",
        "meeting_book.capacity.c1",
    )
    day = DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in rules))
    assert list(describe_shortfalls(order, [Scenario(name="x", days=(day,))])) == [
        "1 of 3 tasks have fewer unannounced complications than 1: no more fit them",
        "2 of 3 tasks do not have sign_off, which does not fit them",
    ]


@pytest.mark.sweep
@pytest.mark.timeout(900)
async def test_a_demanding_day_is_lost_by_who_does_one_task_after_the_other() -> None:
    order = spec(fewest=4, most=5, demanding=True, most_complications=2)
    scenario = await make_scenario(order, 1)
    plain = await run_in_process("in_order", compose_day(scenario))
    best = await run_in_process("oracle", compose_day(scenario))
    assert best.grade.success and not plain.grade.success


@pytest.mark.sweep
@pytest.mark.timeout(1_800)
async def test_with_more_work_than_hours_no_set_of_greater_worth_can_be_done() -> None:
    scenario = await make_scenario(spec(fewest=5, most=5, overload_every=1), 1)
    (day,) = scenario.days
    assert day.best_worth is not None
    worths = {task.rule: task.worth or 0 for task in day.tasks}
    assert day.best_worth < sum(worths.values())
    best = await run_in_process("oracle", compose_day(scenario))
    assert best.grade.score == 1 and best.grade.success
    everything = day.model_copy(update={"best": tuple(worths)})
    tried = Scenario.model_validate({**dict(scenario), "days": (everything,)})
    assert not (await run_in_process("oracle", compose_day(tried))).grade.success


@pytest.mark.parametrize("text", ["8", "18-8", "8-24", "eight"])
def test_hours_that_are_no_day_are_refused(text: str) -> None:
    with pytest.raises(InvalidGenerationSpec, match="--hours"):
        parse_hours(text)


def test_ranges_are_read() -> None:
    assert parse_range("2-6", "--tasks") == (2, 6) and parse_range("4", "--tasks") == (4, 4)
    assert parse_hours("8-18") == (time(8), time(18))
