"""The attendance family at work: honest work, what is graded, what is given away."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import time
from fractions import Fraction
from typing import Any

import pytest
from pydantic import JsonValue

from tests.meta_tasks.families.attendance_days import (
    RULES,
    TYPES,
    answer_of,
    graded,
    hand_in,
    recount,
    said,
    scene_of,
    worked_day,
)
from tests.meta_tasks.families.hearing import hear_everything
from tests.meta_tasks.submissions import last_submission
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families.attendance.deliverables import AttendanceAnswer, LateRow
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec, Variation

STATISTICS = AttendanceAnswer(
    figures=(
        ("employees", 12),
        ("avg_late_days", Fraction(19, 12)),
        ("avg_early_days", Fraction(5, 12)),
        ("avg_absence_days", Fraction(3, 2)),
        ("attendance_rate", Fraction(23400, 252)),
        ("presence_minutes", 128_431),
    )
)
RIGHT_STATISTICS: dict[str, JsonValue] = {
    "employees": 12,
    "avg_late_days": 1.58,
    "avg_early_days": 0.42,
    "avg_absence_days": 1.5,
    "attendance_rate": 92.86,
    "presence_minutes": 128_431,
}
ADA: dict[str, JsonValue] = {
    "employee_id": "E1011", "name": "Ada Quist", "late_days": 7, "late_minutes": 90,
    "presence_minutes": 9_870,
}  # fmt: skip
BEN: dict[str, JsonValue] = {**ADA, "employee_id": "E1019", "name": "Ben Olafsen"}
CLEO: dict[str, JsonValue] = {**ADA, "employee_id": "E1020", "name": "Cleo Marr"}
PEOPLE = AttendanceAnswer(people=(LateRow.model_validate(ADA), LateRow.model_validate(BEN)))

# honest work ------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES[::4])
async def test_honest_work_gets_everything_and_an_idle_day_nothing(rule: str) -> None:
    day = await stage_day(single_task_day(rule, 20))
    async with day.world:
        assert (await graded(day)).score == 0
        assert await day.work() == {}
        grade = await graded(day)
        assert grade.success and grade.score == 1, feedback(grade, 3)


async def test_three_tasks_of_a_day_are_done_before_noon() -> None:
    tasks = tuple(TaskSpec(rule=rule, parameters={"department": "all"}) for rule in RULES[4::20])
    day = await stage_day(compose_day(Scenario(name="s", seed=3, days=(DaySpec(tasks=tasks),))))
    async with day.world:
        assert await day.work() == {}
        assert [grade.score for grade in await day.grades()] == [1, 1, 1]
        assert (await last_submission(day)).time() < time(12)


async def test_a_worker_who_is_not_told_the_closure_days_hands_in_nothing() -> None:
    for rule in ("attendance.has_late_or_early.L2", "attendance.top_percent_employees.L5"):
        day = await stage_day(single_task_day(rule, 21, Variation(withheld=("T1/closures",))))
        async with day.world:
            failed = (await day.work())["T1"]
            assert str(failed).startswith("nobody has told closure days of ")
            assert (await graded(day)).score == 0


@pytest.mark.parametrize("type", TYPES)
async def test_work_that_does_not_leave_out_the_closure_days_earns_nothing(type: str) -> None:
    instance = scene_of(f"attendance.{type}.L2", 22)
    day = await stage_day(single_task_day(f"attendance.{type}.L2", 22))
    async with day.world:
        await hear_everything(day)
        with_closures = answer_of(instance, recount(instance, "L2", closed=False))
        assert not any((await hand_in(day, dict(with_closures))).values())
        without = answer_of(instance, recount(instance, "L2"))
        rounded = {k: round(v, 2) if isinstance(v, float) else v for k, v in without.items()}
        assert all((await hand_in(day, rounded)).values())


# what is graded ---------------------------------------------------------------------------


def statistics(**changes: JsonValue) -> dict[str, JsonValue]:
    return RIGHT_STATISTICS | changes


@pytest.mark.parametrize(
    "changes, days, presence",
    [
        ({}, True, True),
        ({"avg_late_days": 1.583}, True, True),
        ({"avg_late_days": 1.59}, False, True),
        ({"avg_early_days": 0.41}, False, True),
        ({"employees": 10}, True, False),
        ({"avg_absence_days": 1.51}, True, False),
        ({"attendance_rate": 0.93}, True, False),  # a ratio is no per cent
        ({"attendance_rate": 92.85}, True, False),
        ({"attendance_rate": 93}, True, False),
        ({"presence_minutes": 128_430}, False, False),
        ({"avg_late_days": 0.42, "avg_early_days": 1.58}, False, True),
    ],
)
async def test_statistics_are_graded_as_they_are_asked(
    changes: dict[str, JsonValue], days: bool, presence: bool
) -> None:
    day = await worked_day("attendance.attendance_statistics.L5", STATISTICS)
    async with day.world:
        found = await hand_in(day, statistics(**changes))
        assert found == {"days_right": days, "presence_right": presence}


async def test_both_roundings_of_a_half_are_right() -> None:
    right = AttendanceAnswer(
        figures=(("average_overtime_hours", Fraction(1, 200)), ("presence_minutes", 3))
    )
    day = await worked_day("attendance.average_overtime_hours.L1", right)
    async with day.world:
        for hours, passes in ((0.0, True), (0.01, True), (0.005, True), (0.02, False)):
            work: JsonValue = {"average_overtime_hours": hours, "presence_minutes": 3}
            assert (await hand_in(day, work))["figures_right"] is passes


async def test_yes_or_no_counts_only_with_its_control_totals() -> None:
    right = AttendanceAnswer(
        figures=(("has_late_or_early", False), ("person_days", 83), ("presence_minutes", 43_001))
    )
    day = await worked_day("attendance.has_late_or_early.L4", right)
    work: dict[str, JsonValue] = {
        "has_late_or_early": False, "person_days": 83, "presence_minutes": 43_001,
    }  # fmt: skip
    async with day.world:
        assert await hand_in(day, work) == {"figures_right": True}
        for change in ({"has_late_or_early": True}, {"person_days": 84}, {"presence_minutes": 0}):
            assert await hand_in(day, work | change) == {"figures_right": False}


@pytest.mark.parametrize(
    "rows, people, values",
    [
        ([ADA, BEN], True, True),
        ([BEN, ADA], True, True),
        ([ADA, {**BEN, "name": "ben  olafsen"}], True, True),
        ([ADA, {**BEN, "late_minutes": 91}], True, False),
        ([ADA, {**BEN, "late_days": 8}], True, False),
        ([ADA, {**BEN, "presence_minutes": 9_871}], True, False),
        ([ADA], False, False),
        ([ADA, BEN, CLEO], False, False),
        ([ADA, CLEO], False, False),
        ([ADA, BEN, BEN], False, False),
        ([ADA, {**BEN, "name": "Ben Olafson"}], False, True),
        ([ADA, BEN, {**CLEO, "name": ""}], False, False),
        ([], False, False),
    ],
)
async def test_lists_need_precision_and_recall(
    rows: list[JsonValue], people: bool, values: bool
) -> None:
    day = await worked_day("attendance.late_early_employee.L3", PEOPLE, mode="most_late")
    async with day.world:
        found = await hand_in(day, {"employees": rows})
        assert found == {"people_right": people, "values_right": values}


async def test_an_empty_list_is_right_where_nobody_is_asked_for() -> None:
    day = await worked_day("attendance.employees_with_perfect_attendance.L2", AttendanceAnswer())
    async with day.world:
        assert all((await hand_in(day, {"employees": []})).values())


async def test_having_been_told_counts_with_the_outcome_only() -> None:
    rule = "attendance.employees_with_most_remote_days.L3"
    day = await stage_day(single_task_day(rule, 23))
    async with day.world:
        await day.work()
        assert (await graded(day)).score == 1
        await hand_in(day, {"employees": []})
        assert (await graded(day)).score == 0


BROKEN: tuple[str, ...] = (
    "", "{", "null", "[]", "7", '"text"', "{}", '{"employees": null}', '{"employees": [null]}',
    '{"employees": [{"employee_id": 7}]}', '{"employees": {"E1001": 1}}', "[" * 5_000,
    '{"average_overtime_hours": NaN, "presence_minutes": 1}',
    '{"average_overtime_hours": Infinity, "presence_minutes": -1}',
    '{"average_overtime_hours": 1e999, "presence_minutes": 1e999}',
    f'{{"average_overtime_hours": {"9" * 400}, "presence_minutes": {"9" * 400}}}',
    '{"total_absence_days": true, "presence_minutes": "many"}',
    f'{{"employees": [{json.dumps({**ADA, "late_days": 10**300})}]}}',
    '{"employees": [{"employee_id": "\\ud800", "name": "x", "remote_days": 1}]}',
)  # fmt: skip


@pytest.mark.parametrize("type", TYPES)
async def test_malformed_work_is_graded_and_earns_nothing(type: str) -> None:
    day = await stage_day(single_task_day(f"attendance.{type}.L2", 24))
    async with day.world:
        for text in BROKEN:
            assert not any((await hand_in(day, text)).values()), text


@pytest.mark.parametrize("type", TYPES)
async def test_what_is_said_of_wrong_work_has_no_value_of_the_answer(type: str) -> None:
    rule = f"attendance.{type}.L3"
    day = await stage_day(single_task_day(rule, 25))
    async with day.world:
        await day.work()
        (path,) = day.composition.deliverable_paths
        written: Any = json.loads((await day.call("files_read", {"path": path})).data["text"])
        wrong = _spoiled(written)
        await hand_in(day, wrong)
        told = await said(day)
        for value in _values(written):
            assert value not in told, told


def _spoiled(work: Any) -> Any:
    """The same with somebody more, or with all figures wrong."""
    if "employees" in work and isinstance(work["employees"], list):
        more = {**work["employees"][0], "employee_id": "E9999", "name": "Nobody Else"}
        return {"employees": [*work["employees"], more]}
    return {key: not value if isinstance(value, bool) else value + 7 for key, value in work.items()}


def _values(work: Any) -> list[str]:
    """The texts and longer numbers in it."""
    if isinstance(work, dict):
        return [found for value in work.values() for found in _values(value)]
    if isinstance(work, list):
        return [found for value in work for found in _values(value)]
    return [str(work)] if len(str(work)) >= 3 and not isinstance(work, bool) else []


def test_the_truth_of_a_task_is_its_answer_and_no_more() -> None:
    instance = scene_of("attendance.total_absence_days.L1", 26)
    other = replace(instance.graded.truth, answer=AttendanceAnswer())
    assert (
        instance.graded.truth != other
        and instance.graded.truth.path == instance.told.deliverable_paths[0]
    )
