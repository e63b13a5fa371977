"""Which days of a benchmark are worked, and why a day got its score, in words; without Inspect."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path

import pytest

from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.integrations.inspect_ai.chosen_days import DayChoice, choose_days
from trainee_bench.harness.integrations.inspect_ai.explanation import explain_tasks
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.task_context import Modality

PROJECT = Path(__file__).parents[4] / "pyproject.toml"
QUICKSTART = load_shipped_benchmark().scenarios


def ids(choice: DayChoice, name: str = "quickstart") -> list[str]:
    return [day.id for day in choose_days(load_shipped_benchmark(name).scenarios, choice)]


def test_without_a_choice_every_day_is_worked_and_a_week_is_one() -> None:
    assert ids(DayChoice()) == [
        "first_day.day_1", "minutes_and_links.day_1", "a_slow_morning.day_1",
    ]  # fmt: skip
    assert len(ids(DayChoice(), "continual-50")) == 100
    assert ids(DayChoice(), "week-10")[0] == "week-10-01.week"


def test_rules_leave_days_out_that_have_no_such_task() -> None:
    assert ids(DayChoice(rules=("kb_fix.*",))) == ["first_day.day_1", "minutes_and_links.day_1"]
    plain = choose_days(load_shipped_benchmark("expert-50").scenarios, DayChoice(("sales.*",)))
    harder = choose_days(
        load_shipped_benchmark("expert-50").scenarios, DayChoice(("sales.*+sign_off",))
    )
    assert 0 < len(harder) < len(plain)
    for day in harder:
        assert any(one.startswith("sales.") and "+sign_off" in one for one in day.rules)


def test_each_day_is_worked_with_each_seed_under_a_name_of_its_own() -> None:
    days = choose_days(QUICKSTART[:1], DayChoice(seeds=(7, 8)))
    assert [day.id for day in days] == ["first_day.day_1.seed_7", "first_day.day_1.seed_8"]
    assert [day.scenario.seed for day in days] == [7, 8]


def test_guidance_and_modality_are_those_of_every_day() -> None:
    days = choose_days(QUICKSTART, DayChoice(guidance=2, modality=Modality.TABLES))
    assert {(day.scenario.guidance, day.scenario.modality) for day in days} == {(2, "tables")}


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (DayChoice(rules=("nothing.*",)), "no rule matches 'nothing.*'"),
        (DayChoice(rules=("sales.*",)), "no day of this benchmark has a task"),
        (DayChoice(guidance=4), "guidance is 0, 1, 2 or 3, not 4"),
    ],
)
def test_a_choice_that_leaves_nothing_is_refused_in_words(choice: DayChoice, said: str) -> None:
    with pytest.raises(PlanError, match=said.replace("*", r"\*")):
        choose_days(QUICKSTART[:1], choice)


def test_an_explanation_names_every_checkpoint_with_what_was_found() -> None:
    day = Day(find_scenario())
    day.reset()
    grade = day.grade()
    day.close()
    text = explain_tasks(grade.tasks)
    for task in grade.tasks:
        assert f"**{task.task}** `{task.rule}`: 0.00" in text
        for check in task.checkpoints:
            assert f"**missed** (weight {check.weight:g}): {check.sentence.rstrip('.')}." in text
            assert check.seen in text


def test_the_entry_point_names_a_module_that_is_there() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    (entry,) = project["entry-points"]["inspect_ai"].items()
    assert entry[0] == "trainee_bench", "what stands before the slash in trainee_bench/core_50"
    assert importlib.util.find_spec(entry[1]) is not None
