"""The attendance family: its rules, the data and the manual, and what the answers are."""

from __future__ import annotations

import json
import re
from collections import Counter
from fractions import Fraction

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.families.attendance_days import (
    RULES,
    TYPES,
    answer_of,
    csv_of,
    day_of,
    files_of,
    manual_of,
    recount,
    scene_of,
)
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.catalog import UnknownRuleError
from trainee_bench.meta_tasks.families.attendance import Attendance
from trainee_bench.meta_tasks.families.attendance.brief import OBJECTIVE
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    AttendanceAnswer,
    FigureValue,
    clearly_differ,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    DEPARTMENTS,
    AttendanceQueryType,
    PolicyLevel,
)
from trainee_bench.meta_tasks.meta_task import MAX_PROCESS_SHARE, Difficulty
from trainee_bench.world.colleagues.referrals import ReferralPublished

LEVELS = [level.value for level in PolicyLevel]
EVERY = [(type, level) for type in TYPES for level in LEVELS]

# the rules --------------------------------------------------------------------------------


def test_nine_types_by_five_levels_with_their_labels() -> None:
    assert [f"attendance.{type}.{level}" for type, level in EVERY] == RULES
    easy = [rule.id for rule in Attendance.rules() if rule.difficulty is Difficulty.EASY]
    assert len(easy) == 5 * 3 + 4 * 2
    assert {id.rpartition(".")[2] for id in easy[:15]} == {"L1", "L2", "L3"}
    assert {id.rpartition(".")[2] for id in easy[15:]} == {"L1", "L2"}


PUBLISHED = """
avg_late_early_days L1 Sales_2
has_late_or_early L1 Product
has_late_or_early L2 Sales_3
has_late_or_early L2 Finance
has_late_or_early L3 all
attendance_statistics L2 all
attendance_statistics L4 all
attendance_statistics L5 all
late_early_employee L2 all least_late
late_early_employee L3 Human Resources most_early
late_early_employee L4 Engineering most_early
average_overtime_hours L2 Finance
average_overtime_hours L5 Sales_1
total_absence_days L1 all
total_absence_days L2 Sales_1
employees_with_most_remote_days L4 Product
employees_with_perfect_attendance L2 Finance
"""
"""The questions of the original's 50 scenarios, each once."""


@pytest.mark.parametrize("entry", PUBLISHED.split("\n")[1:-1])
def test_every_published_entry_is_understood(entry: str) -> None:
    type, level, department, mode = re.match(
        r"(\w+) (L\d) (.+?)(?: (\w+_(?:late|early)))?$", entry
    ).groups()  # type: ignore[union-attr]
    parameters: dict[str, JsonValue] = {"department": department}
    parameters |= {"mode": mode} if mode else {}
    made = Attendance.from_published(
        {"task_type_name": type, "task_params": parameters, "difficulty": {"level": level}}
    )
    assert made.rule_id == f"attendance.{type}.{level}"
    ours = "HR" if department == "Human Resources" else department
    fixed: dict[str, JsonValue] = {"department": made.department, "mode": made.mode}
    instance = scene_of(made.rule_id, 1, **fixed)
    assert instance.told.deliverable_paths == (f"workspace:/dept_{ours}_{mode or type}.json",)


def test_published_entries_may_name_percent_and_metric() -> None:
    made = Attendance.from_published(
        {
            "task_type_name": "top_percent_employees",
            "task_params": {"department": "HR", "percent": 15, "metric": "late"},
            "difficulty": {"level": "L5"},
        }
    )
    assert (made.percent, made.metric) == (15, "late")


@pytest.mark.parametrize(
    "arguments",
    [{}, {"task_type_name": "absences"}, {"task_params": {"department": "Legal"}}],
)
def test_other_published_entries_are_refused(arguments: dict[str, JsonValue]) -> None:
    with pytest.raises(ValueError, match=r"task_type_name|department"):
        Attendance.from_published(arguments)


def test_parameters_of_another_type_are_refused() -> None:
    for parameters in ({"mode": "most_late"}, {"percent": 5}, {"metric": "late"}):
        with pytest.raises(UnknownRuleError, match="belong"):
            day_of("attendance.total_absence_days.L1", 1, **parameters)


def test_process_is_a_fifth_of_a_task_and_falls_with_its_outcome() -> None:
    for rule in Attendance.rules():
        *outcomes, told = rule.meta_task.checkpoints()
        assert told.only_with == outcomes[0].name
        assert told.weight == MAX_PROCESS_SHARE * sum(mark.weight for mark in (*outcomes, told))


@pytest.mark.parametrize("type, suffix", [("late_early_employee", "least_early"),
                                          ("top_percent_employees", "top15_late")])  # fmt: skip
def test_files_are_named_as_in_the_catalogue(type: str, suffix: str) -> None:
    fixed: dict[str, JsonValue] = (
        {"mode": suffix} if "least" in suffix else {"percent": 15, "metric": "late"}
    )
    for department in ("all", "Sales_3"):
        instance = scene_of(f"attendance.{type}.L3", 2, department=department, **fixed)
        assert instance.told.deliverable_paths == (f"workspace:/dept_{department}_{suffix}.json",)
        assert instance.told.deliverable_paths[0] in instance.told.objective


def test_the_objective_is_read_back_as_the_question_it_asks() -> None:
    for seed, rule in enumerate(RULES):
        instance = scene_of(rule, seed)
        brief = OBJECTIVE.parse(instance.told.objective)
        assert brief.question == instance.graded.truth.question
        assert (brief.output, *instance.told.deliverable_paths) == (instance.graded.truth.path,) * 2
        assert len(brief.days) == (10 if "has_late_or_early" in rule else 22)


# the data ---------------------------------------------------------------------------------


def test_the_files_have_the_size_that_the_catalogue_says() -> None:
    for level in LEVELS:
        instance = scene_of(f"attendance.attendance_statistics.{level}", 3)
        files = files_of(instance)
        staff = json.loads(files["staff_roster.json"])
        assert len(staff) == (86 if level == "L5" else 80)
        assert {employee["department"] for employee in staff} == set(DEPARTMENTS)
        assert 3_150 <= csv_of(instance).count("\n") - 1 <= 3_700
        assert ("approvals.json" in files) == (level in ("L3", "L4", "L5"))
        if "approvals.json" in files:
            listed = json.loads(files["approvals.json"])
            assert 70 <= len(listed) <= 130
            rows = {
                f"{a['employee_id']},{a['date']}T{a['approved_time']},{a['io']},approval"
                for a in listed
            }
            merged = set(re.findall(r"^(.+,approval),", csv_of(instance), re.M))
            assert merged == rows


def test_the_roster_shares_no_name_with_the_company() -> None:
    day = single_task_day(RULES[0], 4)
    staff = json.loads(files_of(day.tasks[0].instance)["staff_roster.json"])
    names = {name for employee in staff for name in employee["name"].split()}
    people = (*day.company.people, day.company.trainee)
    assert not names & {name for person in people for name in person.name.split()}
    assert len({employee["employee_id"] for employee in staff}) == len(staff)


def test_some_punches_lie_outside_the_hours_and_some_are_superfluous() -> None:
    text = csv_of(scene_of("attendance.average_overtime_hours.L3", 5))
    assert re.search(r"T05:\d\d,in,", text)
    assert len(re.findall(r"T12:\d\d,out,", text)) >= 2
    days = Counter(re.findall(r"^(E\d+,\S{10})T", text, re.M))
    assert {2, 3} <= set(days.values()) <= {1, 2, 3, 4}


def test_at_level_one_the_manual_says_what_a_day_without_any_punch_is() -> None:
    instance = scene_of("attendance.total_absence_days.L1", 6)
    assert "A workday with no valid punch is an **absent** day." in manual_of(instance)
    assert instance.graded.truth.answer["total_absence_days"] > 0


def test_d7_the_manual_lies_where_colleagues_and_the_objective_say() -> None:
    instance = scene_of("attendance.total_absence_days.L2", 7)
    (referral,) = [
        p.event for p in instance.hidden.events if isinstance(p.event, ReferralPublished)
    ]
    paths = [p.event.path for p in instance.hidden.events if hasattr(p.event, "path")]
    assert "drive:/attendance/attendance_rules.md" in paths
    assert "attendance_rules.md" in referral.text
    assert all(path.startswith("drive:/attendance/") for path in paths)
    assert "drive:/attendance " in instance.told.objective


@pytest.mark.parametrize(
    "level, line",
    [
        ("L1", "| Product | 09:00 | 18:00 | fixed | 10 min | 10 min |"),
        ("L2", "| Product | 09:30 | 18:30 | fixed | 5 min | 5 min |"),
        ("L3", "| Product | 09:00 | 18:00 | fixed | 5 min | 5 min |"),
        ("L4", "| Product | 10:00 | 20:00 | flexible | – | – |"),
    ],
)
def test_the_manual_has_the_rules_of_the_level(level: str, line: str) -> None:
    text = manual_of(scene_of(f"attendance.total_absence_days.{level}", 8))
    assert line in text
    assert ("With only a valid `in`" in text) == (level == "L1")
    assert ("approvals.json" in text) == (level in ("L3", "L4"))


def test_at_level_five_rules_differ_from_department_to_department() -> None:
    drawn = {
        tuple(re.findall(r"\| (\w+) \| 10:00 \| 20:00 \| flexible", manual_of(instance)))
        for instance in (scene_of("attendance.total_absence_days.L5", seed) for seed in range(6))
    }
    assert {len(names) for names in drawn} == {3}
    assert len(drawn) > 3


# the answers ------------------------------------------------------------------------------


@pytest.mark.parametrize("level", quick_round.quick_only(("L1", "L5"), LEVELS))
@pytest.mark.parametrize("type", TYPES)
def test_the_right_answer_is_what_the_files_and_the_clue_come_to(type: str, level: str) -> None:
    instance = scene_of(f"attendance.{type}.{level}", 1)
    right = instance.graded.truth.answer
    counted = answer_of(instance, recount(instance, level))
    if right.figures:
        assert counted == pytest.approx({k: float(v) for k, v in right.figures})
    else:
        assert counted == {"employees": [person.model_dump() for person in right.people]}


@pytest.mark.parametrize("type", TYPES)
@quick_round.seeds(1, sweep=3)
def test_without_the_closure_days_every_outcome_is_wrong_at_every_seed(
    type: str, seeds: range
) -> None:
    for level in ("L1", "L2", "L4", "L5"):
        for seed in seeds:
            instance = scene_of(f"attendance.{type}.{level}", seed)
            assumed = answer_of(instance, recount(instance, level, closed=False))
            right = instance.graded.truth.answer
            if right.people:
                rows = assumed["employees"]
                assert isinstance(rows, list)
                ids = tuple(row["employee_id"] for row in rows)  # type: ignore[index, call-overload]
                assert ids != right.ids
                continue
            wrong = [(name, _exact(value)) for name, value in assumed.items()]
            assert clearly_differ(
                AttendanceQueryType(type), right, AttendanceAnswer(figures=tuple(wrong))
            )
            assert not right.is_rounding_tie


def _exact(value: JsonValue) -> FigureValue:
    assert isinstance(value, int | float)
    return Fraction(value).limit_denominator(10**6) if isinstance(value, float) else value


@quick_round.seeds(1, sweep=4)
def test_overtime_by_the_minute_would_be_another_answer(seeds: range) -> None:
    for level in LEVELS:
        for seed in seeds:
            instance = scene_of(f"attendance.average_overtime_hours.{level}", seed)
            months = recount(instance, level)
            by_the_minute = sum(m.all_overtime for m in months) / 60 / len(months)
            right = float(instance.graded.truth.answer["average_overtime_hours"])
            assert by_the_minute - right > 0.05


@pytest.mark.parametrize("level", quick_round.quick_first(("L1", "L3", "L4")))
def test_late_or_early_is_balanced(level: str) -> None:
    scenes = [scene_of(f"attendance.has_late_or_early.{level}", seed) for seed in range(30)]
    yes = sum(bool(instance.graded.truth.answer["has_late_or_early"]) for instance in scenes)
    assert 8 <= yes <= 24


@quick_round.seeds(4, sweep=10)
def test_some_but_few_are_perfect(seeds: range) -> None:
    for level in LEVELS:
        rule = f"attendance.employees_with_perfect_attendance.{level}"
        sizes = Counter(len(scene_of(rule, seed).graded.truth.answer.people) for seed in seeds)
        assert set(sizes) <= {1, 2, 3, 4, 5} and len(sizes) >= 2


@quick_round.seeds(4, sweep=10)
def test_with_flexible_hours_people_are_late_too(seeds: range) -> None:
    scenes = [scene_of("attendance.attendance_statistics.L4", seed) for seed in seeds]
    assert all(instance.graded.truth.answer["avg_late_days"] > 1 for instance in scenes)
    assert all(instance.graded.truth.answer["avg_early_days"] > 1 for instance in scenes)
