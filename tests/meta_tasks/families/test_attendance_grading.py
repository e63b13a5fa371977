"""The attendance family at work: closure days that one has to ask about, and what is graded."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import time
from fractions import Fraction
from typing import Any

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import context_of, day_with, graded, last_submission, staged
from tests.meta_tasks.families.attendance_days import (
    RULES,
    TYPES,
    answer_of,
    csv_of,
    day_of,
    files_of,
    manual_of,
    outcomes,
    recount,
    scene_of,
    worked_example,
)
from trainee_bench.meta_tasks.families.attendance.data import (
    claim_month,
    draw_attendance_data,
)
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    AttendanceAnswer,
    LateRow,
    compute_answer,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    DEPARTMENTS,
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
    RankingMode,
)
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.company.people import create_company

# closure days -----------------------------------------------------------------------------


@pytest.mark.parametrize("scope", [DepartmentScope.MARKETING, DepartmentScope.ALL])
@pytest.mark.parametrize("type", TYPES)
@quick_round.seeds(1, sweep=4)
def test_every_possible_closure_makes_a_different_answer(
    type: str, scope: DepartmentScope, seeds: range
) -> None:
    """A guess is right once in twelve times, and about the people alone half of the times."""
    mode = RankingMode.MOST_EARLY if type == "late_early_employee" else None
    percent, metric = (10, RankingMetric.LATE) if type == "top_percent_employees" else (0, None)
    question = AttendanceQuery(AttendanceQueryType(type), scope, mode, percent, metric)
    for seed in seeds:
        context = context_of(seed)
        _, days = claim_month(context)
        drawn = draw_attendance_data(context, question, PolicyLevel.L3, days)
        right = [compute_answer(question, drawn.sheet, closed) for closed in drawn.closures]
        assert len(set(right)) == len(right) == 12
        if question.type.lists_people:
            assert max(Counter(answer.ids for answer in right).values()) <= 6


def test_people_punch_on_closure_days_as_on_any_other() -> None:
    shares = []
    for seed in range(20):
        instance = scene_of("attendance.total_absence_days.L3", seed, department="Finance")
        days = re.findall(r"was closed on \w+, (\S{10})", instance.hidden.clues[0].payload)
        staff = json.loads(files_of(instance)["staff_roster.json"])
        finance = [employee for employee in staff if employee["department"] == "Finance"]
        ids = [employee["employee_id"] for employee in finance]
        there = [id for id in ids for day in days if f"\n{id},{day}T" in csv_of(instance)]
        shares.append(len(there) / len(ids) / len(days))
    assert 0.85 < sum(shares) / len(shares) < 1


def test_the_head_of_the_department_knows_and_for_all_departments_hr() -> None:
    for department in (*DEPARTMENTS, "all"):
        day = day_of("attendance.average_overtime_hours.L2", 10, department=department)
        (clue,) = day.tasks[0].instance.hidden.clues
        holder = day.company.person(clue.holder)
        assert holder.is_manager
        assert holder.department == ("HR" if department == "all" else department)
        assert holder.name in manual_of(day.tasks[0].instance)
        closed = re.findall(r"(\w+) was closed on", clue.payload)
        assert set(Counter(closed).values()) == {2}
        assert len(set(closed)) == (5 if department == "all" else 1)


@pytest.mark.parametrize("size", [10, 25, 500])
def test_companies_of_every_size_have_somebody_who_knows(size: int) -> None:
    day = day_with("attendance.total_absence_days.L5", seed=size, company_size=size)
    assert day.company.person(day.tasks[0].instance.hidden.clues[0].holder).is_manager


@pytest.mark.parametrize(
    "question, asked_back",
    [
        ("Hello! Which day in September 2025 was Product closed?", False),
        ("Please let me know the September closure days for Product.", False),
        ("On what date was Product closed in September 2025?", False),
        ("I work on the September attendance of Product. Any closure days?", False),
        ("Was Product closed on any day in September?", True),
        ("Hi! Was Product shut on any days in September?", False),
        ("Which closure days did your department have last month?", True),
    ],
)
def test_fresh_questions_are_understood(question: str, asked_back: bool) -> None:
    day = day_of("attendance.total_absence_days.L2", 12, department="Product")
    (clue,) = day.tasks[0].instance.hidden.clues
    assert len(clue.asks) >= 8
    topic = Topic(clue.id, clue.asks, clue.keys)
    understood = QuestionInterpreter((topic,)).understand(hear(question))
    assert understood.topics == (clue.id,)
    assert asked_back or understood.intent is Intent.CLEAR


@quick_round.seeds(2, sweep=5)
def test_two_tasks_of_a_day_are_about_two_months_and_share_no_file(seeds: range) -> None:
    rules = ("attendance.total_absence_days.L2", "attendance.late_early_employee.L5")
    tasks = tuple(
        TaskSpec(rule=rule, parameters={"department": "HR"}) for rule in (*rules, rules[0])
    )
    for seed in seeds:
        day = day_with(*tasks, seed=seed)
        scenes = [task.instance for task in day.tasks]
        check_clue_collisions(scenes)
        paths = [p.event.path for s in scenes for p in s.hidden.events if hasattr(p.event, "path")]
        assert len(set(paths)) == len(paths)
        months = [re.findall(r"attendance_(\S+)\.csv", " ".join(files_of(s)))[0] for s in scenes]
        assert months == ["2025-09", "2025-08", "2025-07"]
        assert len({instance.hidden.clues[0].holder for instance in scenes}) == 1
        assert len({path for instance in scenes for path in instance.told.deliverable_paths}) == 3


# what hints give away -------------------------------------------------------------------


def test_hints_name_nobody_and_no_value() -> None:
    for rule in RULES[::7]:
        instance = scene_of(rule, 13)
        said = (
            f"{instance.told.hints.strategy} {instance.told.hints.where} {instance.told.hints.how}"
        )
        assert not re.search(r"\d|E1\d\d\d", said)
        names = {person.first_name for person in create_company(f"13/{rule}").people}
        assert not names & set(re.findall(r"\w+", said))


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


async def test_three_tasks_of_a_day_are_done_before_noon() -> None:
    tasks = [TaskSpec(rule=rule, parameters={"department": "all"}) for rule in RULES[4::20]]
    async with staged(day_with(*tasks, seed=3)) as day:
        assert await day.work() == {}
        assert [grade.score for grade in await day.grades()] == [1, 1, 1]
        assert (await last_submission(day)).time() < time(12)


@pytest.mark.parametrize("type", TYPES)
async def test_work_that_does_not_leave_out_the_closure_days_earns_nothing(type: str) -> None:
    instance = scene_of(f"attendance.{type}.L2", 22)
    async with staged(f"attendance.{type}.L2", 22, told=True) as day:
        with_closures = answer_of(instance, recount(instance, "L2", closed=False))
        assert not any((await outcomes(day, dict(with_closures))).values())
        without = answer_of(instance, recount(instance, "L2"))
        rounded = {k: round(v, 2) if isinstance(v, float) else v for k, v in without.items()}
        assert all((await outcomes(day, rounded)).values())


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
    async with staged(
        worked_example("attendance.attendance_statistics.L5", STATISTICS), told=True
    ) as day:
        found = await outcomes(day, statistics(**changes))
        assert found == {"days_right": days, "presence_right": presence}


async def test_both_roundings_of_a_half_are_right() -> None:
    right = AttendanceAnswer(
        figures=(("average_overtime_hours", Fraction(1, 200)), ("presence_minutes", 3))
    )
    async with staged(
        worked_example("attendance.average_overtime_hours.L1", right), told=True
    ) as day:
        for hours, passes in ((0.0, True), (0.01, True), (0.005, True), (0.02, False)):
            work: JsonValue = {"average_overtime_hours": hours, "presence_minutes": 3}
            assert (await outcomes(day, work))["figures_right"] is passes


async def test_yes_or_no_counts_only_with_its_control_totals() -> None:
    right = AttendanceAnswer(
        figures=(("has_late_or_early", False), ("person_days", 83), ("presence_minutes", 43_001))
    )
    work: dict[str, JsonValue] = {
        "has_late_or_early": False, "person_days": 83, "presence_minutes": 43_001,
    }  # fmt: skip
    async with staged(worked_example("attendance.has_late_or_early.L4", right), told=True) as day:
        assert await outcomes(day, work) == {"figures_right": True}
        for change in ({"has_late_or_early": True}, {"person_days": 84}, {"presence_minutes": 0}):
            assert await outcomes(day, work | change) == {"figures_right": False}


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
    async with staged(
        worked_example("attendance.late_early_employee.L3", PEOPLE, mode="most_late"), told=True
    ) as day:
        found = await outcomes(day, {"employees": rows})
        assert found == {"people_right": people, "values_right": values}


async def test_an_empty_list_is_right_where_nobody_is_asked_for() -> None:
    async with staged(
        worked_example("attendance.employees_with_perfect_attendance.L2", AttendanceAnswer()),
        told=True,
    ) as day:
        assert all((await outcomes(day, {"employees": []})).values())


@pytest.mark.parametrize("type", TYPES)
async def test_the_verdict_on_wrong_work_reveals_no_value_of_the_answer(type: str) -> None:
    async with staged(f"attendance.{type}.L3", 25) as day:
        await day.work()
        (path,) = day.composition.deliverable_paths
        written: Any = json.loads((await day.call("files_read", {"path": path})).data["text"])
        await outcomes(day, _spoiled(written))
        told = feedback(await graded(day), 3)
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
