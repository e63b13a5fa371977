"""The original's files load as they are: every entry becomes a task or is kept by name."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import time
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import config, day, invoke, read
from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.catalog import all_rules

DOCUMENT: dict[str, Any] = {
    "scenarios": [
        {
            "name": "scenario_one",
            "days": [
                {
                    "name": "day_1",
                    "tasks": [
                        {
                            "name": "Meeting Attend",
                            "arguments": {
                                "meeting_start_time": "2025-10-01T09:30:00",
                                "meeting_last_time": 1.5,
                                "task_type": "check_sum",
                                "task_level": 2,
                            },
                            "deadline": "2025-10-01T20:00:00",
                        },
                        {
                            "name": "KB Link Fix",
                            "arguments": {"task_params": {"difficulty": "medium"}},
                            "deadline": "2025-10-01T18:00:00",
                        },
                        {"name": "Moon Landing", "arguments": None, "deadline": None},
                    ],
                }
            ],
        },
        {
            "name": "scenario_two",
            "days": [
                {
                    "name": "day_1",
                    "tasks": [{"name": "Moon Landing", "arguments": {}, "deadline": None}],
                },
                {
                    "name": "day_2",
                    "tasks": [
                        {
                            "name": "Website Monitor",
                            "arguments": None,
                            "deadline": "2025-10-01T20:00:00",
                        }
                    ],
                },
            ],
        },
    ],
    "version": "Ver.1",
    "datetime": "2026-01-13T17:15:02.782222",
}


def written(tmp_path: Path, document: object = DOCUMENT) -> Path:
    path = tmp_path / "of old.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_each_entry_becomes_its_rule_with_what_it_fixes(tmp_path: Path) -> None:
    loaded = load_benchmark(written(tmp_path), 7)
    assert loaded.name == "of-old"
    one, two = loaded.scenarios
    meeting, links = one.days[0].tasks
    assert (meeting.rule, links.rule) == ("meeting_attend.check_sum.u2", "kb_fix.medium")
    assert "09:30:00" in str(meeting.parameters.values())
    assert 1.5 in meeting.parameters.values()
    assert (meeting.deadline, links.deadline) == (time(20), time(18))
    assert [task.rule for task in two.days[1].tasks] == ["website_analysis.slow_page"]
    assert {scenario.seed for scenario in loaded.scenarios} == {7}


def test_tasks_of_families_not_built_keep_their_name_and_their_place(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(config=written(tmp_path), agent=["nothing"]))
    orders = {(order.scenario.name, order.day): order for order in plan.episode_specs()}
    assert orders["scenario_one", 0].unsupported == ("Moon Landing",)
    assert orders["scenario_two", 0].unsupported == ("Moon Landing",)
    assert orders["scenario_two", 0].scenario.days[0].tasks == ()
    assert orders["scenario_two", 1].unsupported == ()


def test_choosing_scenarios_leaves_the_others_unbuilt_tasks_out(tmp_path: Path) -> None:
    asked = RunOptions(config=written(tmp_path), agent=["nothing"], scenario=["scenario_two"])
    assert {task.scenario for task in build_plan(asked).unsupported} == {"scenario_two"}


def test_a_scenario_with_arguments_that_no_family_knows_is_refused_and_the_others_run(
    tmp_path: Path,
) -> None:
    document = deepcopy(DOCUMENT)
    document["scenarios"][0]["days"][0]["tasks"][1]["arguments"] = {"task_params": {"x": 1}}
    path, out = written(tmp_path, document), tmp_path / "out"
    plan = build_plan(RunOptions(config=path, agent=["nothing"]))
    assert [scenario.name for scenario in plan.scenarios] == ["scenario_two"]
    (refused,) = plan.refused
    assert refused.name == "scenario_one"
    assert refused.reason.startswith("scenario_one, day_1: KB Link Fix")
    with pytest.raises(PlanError, match="scenario_one, day_1: KB Link Fix"):
        build_plan(RunOptions(config=path, agent=["nothing"], scenario=["scenario_one"]))
    invoke("--config", path, "--agent", "nothing", "--out", out, exits=1)
    assert {result.scenario for result in read(out)} == {"scenario_two"}
    assert "scenario_one, day_1: KB Link Fix" in (out / "report.md").read_text(encoding="utf-8")


def test_a_scenario_whose_tasks_do_not_go_together_is_refused_and_the_others_run(
    tmp_path: Path,
) -> None:
    path = config(tmp_path, one=[day("kb_fix.easy")], two=[day("no.such")])
    plan = build_plan(RunOptions(config=path, agent=["nothing"]))
    assert [scenario.name for scenario in plan.scenarios] == ["one"]
    assert [one.name for one in plan.refused] == ["two"]
    assert "There is no rule 'no.such'" in plan.refused[0].reason


ENTRIES: list[tuple[str, dict[str, Any], str]] = [
    *(
        (
            "Attendance Statistics",
            {
                "task_type_name": "has_late_or_early",
                "task_params": {"department": department},
                "difficulty": {"level": "L2", "rng_cfg": {"seed": 1}},
                "rng_cfg": None,
            },
            "attendance.has_late_or_early.L2",
        )
        for department in ("Human Resources", "HR", "Sales_1", "Finance", "Marketing", "all")
    ),
    *(
        (
            "Event Planning",
            {
                "task_type_name": "optimal_event_planning",
                "task_params": {
                    "department": department, "n_loc": 6, "n_res": 10, "mode": "lowest_cost",
                },
            },
            "event_planning.C2_cost",
        )
        for department in ("Human Resources", "Sales_3", "Finance")
    ),
    *(
        (
            "ADs Strategy Plan",
            {"task_params": {"city": city, "difficulty": difficulty}},
            f"ads_strategy.balanced.{difficulty.replace(' ', '_')}",
        )
        for city, difficulty in (("XiAn", "very easy"), ("Xi'an", "very_hard"), ("Wuhan", "hard"))
    ),
    (
        "ADs Strategy Plan",
        {"task_params": {"city": "Chengdu", "difficulty": "easy", "channel_mix": "metro_focus"}},
        "ads_strategy.metro_focus.easy",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "rule"), ENTRIES)
def test_every_way_in_which_the_original_writes_its_values_is_understood(
    tmp_path: Path, name: str, arguments: dict[str, Any], rule: str
) -> None:
    task = {"name": name, "arguments": arguments, "deadline": "2025-10-01T20:00:00"}
    document = {"scenarios": [{"name": "s", "days": [{"name": "day_1", "tasks": [task]}]}]}
    plan = build_plan(RunOptions(config=written(tmp_path, document), agent=["nothing"]))
    assert [task.rule for task in plan.scenarios[0].days[0].tasks] == [rule]


def test_keys_the_format_does_not_have_are_refused(tmp_path: Path) -> None:
    document = deepcopy(DOCUMENT)
    document["scenarios"][0]["days"][0]["tasks"][0]["weight"] = 2
    with pytest.raises(PlanError, match="weight"):
        load_benchmark(written(tmp_path, document), 0)


def test_every_rule_a_published_entry_can_mean_is_in_the_catalogue(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(config=written(tmp_path), agent=["nothing"]))
    for scenario in plan.scenarios:
        rules = {task.rule for one in scenario.days for task in one.tasks}
        assert rules <= set(all_rules())


def test_a_scenario_without_days_and_a_deadline_between_minutes_are_refused(
    tmp_path: Path,
) -> None:
    document = deepcopy(DOCUMENT)
    document["scenarios"][1]["days"] = []
    document["scenarios"][0]["days"][0]["tasks"][0]["deadline"] = "2025-10-01T12:00:30"
    loaded = load_benchmark(written(tmp_path, document), 0)
    assert loaded.scenarios == ()
    reasons = {one.name: one.reason for one in loaded.refused}
    assert "Scenario: days" in reasons["scenario_two"]
    assert "whole minutes" in reasons["scenario_one"]
    with pytest.raises(PlanError, match="whole minutes"):
        build_plan(RunOptions(config=written(tmp_path, document), agent=["nothing"]))
