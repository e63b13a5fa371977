"""The original's files load as they are: every entry becomes a task or is kept by name."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import time
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan, load_benchmark
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
    plan = build_plan(RunOptions(config=written(tmp_path), agent=("nothing",)))
    orders = {(order.scenario.name, order.day): order for order in plan.episode_specs()}
    assert orders["scenario_one", 0].unbuilt == ("Moon Landing",)
    assert orders["scenario_two", 0].unbuilt == ("Moon Landing",)
    assert orders["scenario_two", 0].scenario.days[0].tasks == ()
    assert orders["scenario_two", 1].unbuilt == ()


def test_choosing_scenarios_leaves_the_others_unbuilt_tasks_out(tmp_path: Path) -> None:
    asked = RunOptions(config=written(tmp_path), agent=("nothing",), scenario=("scenario_two",))
    assert {task.scenario for task in build_plan(asked).unbuilt} == {"scenario_two"}


def test_arguments_its_family_does_not_know_are_refused_by_place(tmp_path: Path) -> None:
    document = deepcopy(DOCUMENT)
    document["scenarios"][0]["days"][0]["tasks"][1]["arguments"] = {"task_params": {"x": 1}}
    with pytest.raises(PlanError, match="scenario_one, day_1: KB Link Fix"):
        load_benchmark(written(tmp_path, document), 0)


def test_keys_the_format_does_not_have_are_refused(tmp_path: Path) -> None:
    document = deepcopy(DOCUMENT)
    document["scenarios"][0]["days"][0]["tasks"][0]["weight"] = 2
    with pytest.raises(PlanError, match="weight"):
        load_benchmark(written(tmp_path, document), 0)


def test_every_rule_a_published_entry_can_mean_is_in_the_catalogue(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(config=written(tmp_path), agent=("nothing",)))
    for scenario in plan.scenarios:
        for day in scenario.days:
            assert {task.rule for task in day.tasks} <= set(all_rules())


def test_a_scenario_without_days_and_a_deadline_between_minutes_are_refused(
    tmp_path: Path,
) -> None:
    document = deepcopy(DOCUMENT)
    document["scenarios"][1]["days"] = []
    with pytest.raises(PlanError, match="Scenario: days"):
        load_benchmark(written(tmp_path, document), 0)
    document = deepcopy(DOCUMENT)
    document["scenarios"][0]["days"][0]["tasks"][0]["deadline"] = "2025-10-01T12:00:30"
    with pytest.raises(PlanError, match="whole minutes"):
        load_benchmark(written(tmp_path, document), 0)
