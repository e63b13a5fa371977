"""Weeks for the experiment ``learning``: rules return on later days, and a policy changes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.quick_round import quick_first
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.cli import app
from trainee_bench.harness.generation.chosen_rules import (
    draw_policy_duties,
    draw_returning_rules,
)
from trainee_bench.harness.generation.weeks import NEEDS_MEMORY
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.random_streams import random_stream

SHIPPED = load_shipped_benchmark("learning-10").scenarios


def check_plan(days: list[list[str]]) -> None:
    """Every distance once, other rules of known families twice, new families on three days."""
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


@pytest.mark.parametrize("week", SHIPPED, ids=lambda week: week.name)
def test_the_shipped_weeks_are_of_this_kind(week: Scenario) -> None:
    days = [[task.rule for task in day.tasks] for day in week.days]
    duties = [rule for rule in days[0] if find_rule(rule).meta_task.family_class.whole_week]
    assert len(duties) == 2
    assert find_rule(duties[0]).meta_task.policy_changes_on is not None
    check_plan([days[0][2:], *days[1:]])


@pytest.mark.parametrize("week", quick_first(SHIPPED), ids=str)
def test_a_rule_that_returns_asks_for_something_else(week: Scenario) -> None:
    said = [task.instance.told.objective for task in compose_day(week).tasks]
    assert len(set(said)) == len(said)


@pytest.mark.sweep
@pytest.mark.parametrize("week", SHIPPED, ids=lambda week: week.name)
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
    done = CliRunner().invoke(app, ["generate", "--returning", *options, "--out", str(out)])
    assert done.exit_code == 2 and not out.exists()
    assert "--returning is for --weeks" in " ".join(done.output.split())
