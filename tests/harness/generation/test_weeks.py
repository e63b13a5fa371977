"""Generated and shipped weeks: duties, returning rules, changed policies."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.harness.runs import call
from tests.quick_round import quick_first
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.generation.chosen_rules import (
    draw_policy_duties,
    draw_returning_rules,
)
from trainee_bench.harness.generation.spec import GenerationSpec, InvalidGenerationSpec
from trainee_bench.harness.generation.weeks import NEEDS_MEMORY, WeekSpec, draw_week, make_week
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Arrival, Scenario
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.random_streams import random_stream

SHIPPED = load_shipped_benchmark("week-10").scenarios


def duties_of(scenario: Scenario) -> list[list[str]]:
    """Return the duties that come on each day."""
    return [
        [task.rule for task in day.tasks if find_rule(task.rule).meta_task.family_class.whole_week]
        for day in scenario.days
    ]


@pytest.mark.parametrize("week", SHIPPED, ids=lambda week: week.name)
def test_a_shipped_week_has_duties_from_monday_on_and_further_tasks_every_day(
    week: Scenario,
) -> None:
    monday, *later = duties_of(week)
    assert week.week and len(week.days) == 5 and week.arrival is Arrival.STREAMED
    assert 2 <= len(monday) <= 4 and not any(later)
    counts = [len(day.tasks) - len(duties_of(week)[place]) for place, day in enumerate(week.days)]
    assert set(counts) <= {2, 3} and 15 <= sum(counts) + len(monday) <= 19
    rules = Counter(task.rule.split("+")[0] for day in week.days for task in day.tasks)
    assert set(rules.values()) == {1}


def test_the_shipped_weeks_have_all_duties_among_them() -> None:
    assert len(SHIPPED) == 10
    assert len({rule for week in SHIPPED for rule in duties_of(week)[0]}) == 7


@pytest.mark.sweep
@pytest.mark.parametrize("week", SHIPPED, ids=lambda week: week.name)
async def test_the_oracle_works_a_shipped_week_in_full_and_needs_its_notes(week: Scenario) -> None:
    done = await run_in_process("oracle", compose_day(week))
    assert done.grade.success and done.grade.score == 1
    forgot = await run_in_process("oracle_without_notes", compose_day(week))
    assert (forgot.grade.score or 0) <= 1 - NEEDS_MEMORY


@pytest.mark.parametrize("week", quick_first(SHIPPED), ids=str)
def test_a_task_of_a_shipped_week_is_due_after_it_comes(week: Scenario) -> None:
    for task in compose_day(week).tasks:
        assert task.arrives < task.deadline
        assert task.length == (5 if task.meta_task.family_class.whole_week else 1)


@pytest.mark.sweep
async def test_the_same_order_makes_the_same_week() -> None:
    spec = WeekSpec(name="same", weeks=1, fewest_duties=2, most_duties=2, most=2, least=1)
    assert await make_week(spec, 1) == await make_week(spec, 1)


@pytest.mark.parametrize(
    "only_of_days", [{"days": 2}, {"globs": ("sales.*",)}, {"demanding": True}, {"most": 9}]
)
def test_weeks_refuse_what_only_days_can_have(only_of_days: dict[str, object]) -> None:
    order = GenerationSpec.model_validate({"name": "x", "scenarios": 1} | only_of_days)
    with pytest.raises(InvalidGenerationSpec, match=r"week"):
        WeekSpec.of(order)


def test_every_task_of_a_week_has_as_many_complications_as_asked_for() -> None:
    spec = WeekSpec(name="x", weeks=1, fewest_complications=2, most_complications=2)
    made = 0
    for seed in range(6):
        try:
            week = draw_week(spec, 1, Random(seed))
        except CompositionError:  # they do not all fit together: another draw follows
            continue
        rules = [task.rule for day in week.days for task in day.tasks]
        assert {rule.count("+") for rule in rules if not rule.startswith("week.")} == {2}
        made += 1
    assert made


@pytest.mark.parametrize("options", [[], ["--scenarios", "1", "--weeks", "1"]])
def test_the_command_makes_either_scenarios_or_weeks(tmp_path: Path, options: list[str]) -> None:
    out = tmp_path / "mine.json"
    done = call("generate", *options, "--out", out, exits=2)
    assert not out.exists()
    assert "--scenarios" in done.output and "--weeks" in done.output


LEARNING_WEEKS = load_shipped_benchmark("learning-10").scenarios


def check_plan(days: list[list[str]]) -> None:
    """Check that every distance occurs once, other rules of known families twice, and new families
    on three days."""
    met: dict[str, int] = {}
    families: set[str] = set()
    distances, transfers, new = Counter[int](), 0, Counter[int]()
    for day, rules in enumerate(days):
        for rule in rules:
            family = rule.split(".")[0]
            if rule in met:
                distances[day - met[rule]] += 1
            elif family in families:
                transfers += 1
            elif day:
                new[day] += 1
        met |= dict.fromkeys(rules, day)
        families |= {rule.split(".")[0] for rule in rules}
    assert distances == {1: 1, 2: 1, 3: 1, 4: 1}
    assert (transfers, new) == (2, {1: 1, 2: 1, 4: 1})


@pytest.mark.parametrize("seed", range(10))
def test_each_week_has_every_distance_new_families_and_other_rules_of_known_ones(seed: int) -> None:
    check_plan(draw_returning_rules(random_stream("test", seed)))


@pytest.mark.parametrize("seed", range(5))
def test_one_of_its_duties_has_a_policy_that_changes(seed: int) -> None:
    duties = draw_policy_duties(random_stream("test", seed), 3)
    assert len(set(duties)) == 3
    assert find_rule(duties[0]).meta_task.policy_changes_on == 2


@pytest.mark.parametrize("week", LEARNING_WEEKS, ids=lambda week: week.name)
def test_the_shipped_weeks_are_of_this_kind(week: Scenario) -> None:
    days = [[task.rule for task in day.tasks] for day in week.days]
    duties = [rule for rule in days[0] if find_rule(rule).meta_task.family_class.whole_week]
    assert len(duties) == 2
    assert find_rule(duties[0]).meta_task.policy_changes_on is not None
    check_plan([days[0][2:], *days[1:]])


@pytest.mark.parametrize("week", quick_first(LEARNING_WEEKS), ids=str)
def test_a_rule_that_returns_asks_for_something_else(week: Scenario) -> None:
    said = [task.instance.told.objective for task in compose_day(week).tasks]
    assert len(set(said)) == len(said)


@pytest.mark.sweep
@pytest.mark.parametrize("week", LEARNING_WEEKS, ids=lambda week: week.name)
async def test_the_oracle_works_such_a_week_in_full_and_needs_its_notes(week: Scenario) -> None:
    done = await run_in_process("oracle", compose_day(week))
    assert done.grade.success and done.grade.score == 1
    forgot = await run_in_process("oracle_without_notes", compose_day(week))
    assert (forgot.grade.score or 0) <= 1 - NEEDS_MEMORY


@pytest.mark.parametrize(
    "options",
    [
        ["--scenarios", "1"],
        ["--weeks", "1", "--tasks", "2"],
        ["--weeks", "1", "--complications", "1"],
    ],
)
def test_the_command_takes_it_for_weeks_whose_tasks_it_chooses(
    tmp_path: Path, options: list[str]
) -> None:
    out = tmp_path / "mine.json"
    done = call("generate", "--returning", *options, "--out", out, exits=2)
    assert not out.exists()
    assert "--returning needs --weeks" in " ".join(done.output.split())
