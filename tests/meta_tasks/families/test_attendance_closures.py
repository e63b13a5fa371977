"""Closure days: who knows them, how one asks, and that nothing shows them before."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from tests import quick_round
from tests.meta_tasks.families.attendance_days import (
    RULES,
    TYPES,
    csv_of,
    day_of,
    files_of,
    manual_of,
    scene_of,
)
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.company_documents import referrals
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families.attendance.data import draw_attendance_data
from trainee_bench.meta_tasks.families.attendance.deliverables import compute_answer
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    DEPARTMENTS,
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
    RankingMode,
)
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec, Variation
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.colleagues.understanding import (
    Intent,
    QuestionInterpreter,
    Topic,
    hear,
    topics_collide,
)
from trainee_bench.world.company.people import create_company

SOME = [f"attendance.{type}.{level.value}" for type in TYPES for level in PolicyLevel][::4]


@pytest.mark.parametrize("rule", quick_round.quick_first(SOME, 3))
def test_what_is_open_does_not_depend_on_the_closure_days(rule: str) -> None:
    plain = single_task_day(rule, 9)
    changed = 0
    for offset in range(1, 6):
        variant = single_task_day(rule, 9, Variation(secret_seed_offsets={"T1/closures": offset}))
        one, other = plain.tasks[0].instance, variant.tasks[0].instance
        assert (one.told.objective, one.hidden.events, one.told.deliverable_paths) == (
            other.told.objective, other.hidden.events, other.told.deliverable_paths,
        )  # fmt: skip
        payload = other.hidden.clues[0].payload
        assert other.hidden.clues[0] == one.hidden.clues[0].model_copy(update={"payload": payload})
        changed += other.graded.truth != one.graded.truth
    assert changed >= 2


@pytest.mark.parametrize("scope", [DepartmentScope.MARKETING, DepartmentScope.ALL])
@pytest.mark.parametrize("type", TYPES)
@quick_round.seeds(1, sweep=4)
def test_every_closure_there_can_be_makes_another_answer(
    type: str, scope: DepartmentScope, seeds: range
) -> None:
    """Whoever guesses is right once in twelve times, and about the people alone in half of them."""
    mode = RankingMode.MOST_EARLY if type == "late_early_employee" else None
    percent, metric = (10, RankingMetric.LATE) if type == "top_percent_employees" else (0, None)
    question = AttendanceQuery(AttendanceQueryType(type), scope, mode, percent, metric)
    plain = day_of("attendance.total_absence_days.L1", 30)
    for seed in seeds:
        context = TaskContext(
            task="T1",
            key=("closures", seed),
            company=plain.company,
            day=plain.day,
            deadline=plain.day.ends,
            reservations=DayReservations(),
        )
        drawn = draw_attendance_data(context, question, PolicyLevel.L3)
        right = [compute_answer(question, drawn.sheet, closed) for closed in drawn.closures]
        assert len(set(right)) == len(right) == 12
        if question.type.lists_people:
            assert max(Counter(one.ids for one in right).values()) <= 6


async def test_twins_cannot_be_told_apart_before_the_head_has_answered() -> None:
    claim = await certify_counterfactuals("attendance.top_percent_employees.L5", range(1))
    assert claim.holds, claim.broken


def test_people_punch_on_closure_days_as_on_any_other() -> None:
    shares = []
    for seed in range(20):
        instance = scene_of("attendance.total_absence_days.L3", seed, department="Finance")
        days = re.findall(r"was closed on \w+, (\S{10})", instance.hidden.clues[0].payload)
        staff = json.loads(files_of(instance)["staff_roster.json"])
        ids = [one["employee_id"] for one in staff if one["department"] == "Finance"]
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
    spec = TaskSpec(rule="attendance.total_absence_days.L5")
    scenario = Scenario(name="s", seed=size, company_size=size, days=(DaySpec(tasks=(spec,)),))
    day = compose_day(scenario)
    assert day.company.person(day.tasks[0].instance.hidden.clues[0].holder).is_manager


@pytest.mark.parametrize("department", ["Engineering", "Sales_2", "HR", "all"])
def test_every_ask_is_understood(department: str) -> None:
    day = day_of("attendance.total_absence_days.L2", 11, department=department)
    instance = day.tasks[0].instance
    (clue,) = instance.hidden.clues
    own = next(p.event for p in instance.hidden.events if isinstance(p.event, ReferralPublished))
    public = [*referrals(day.company), own]
    foreign = tuple(Topic(r.topic, r.asks, r.keys) for r in public)
    mine = Topic(clue.id, clue.asks, clue.keys)
    listener = QuestionInterpreter((mine,), foreign)
    assert len(clue.asks) >= 8
    for question in clue.asks:
        understood = listener.understand(hear(question))
        assert (understood.intent, understood.topics) == (Intent.CLEAR, (clue.id,))
    for question in own.asks:
        assert listener.foreign_topic(hear(question)) == own.topic
    assert not [topic for topic in foreign if topics_collide(mine, topic)]


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
    understood = QuestionInterpreter((Topic(clue.id, clue.asks, clue.keys),)).understand(
        hear(question)
    )
    assert understood.topics == (clue.id,)
    assert asked_back or understood.intent is Intent.CLEAR


@quick_round.seeds(2, sweep=5)
def test_two_tasks_of_a_day_are_about_two_months_and_share_no_file(seeds: range) -> None:
    rules = ("attendance.total_absence_days.L2", "attendance.late_early_employee.L5")
    tasks = tuple(
        TaskSpec(rule=rule, parameters={"department": "HR"}) for rule in (*rules, rules[0])
    )
    for seed in seeds:
        day = compose_day(Scenario(name="s", seed=seed, days=(DaySpec(tasks=tasks),)))
        scenes = [task.instance for task in day.tasks]
        check_clue_collisions(scenes)
        paths = [p.event.path for s in scenes for p in s.hidden.events if hasattr(p.event, "path")]
        assert len(set(paths)) == len(paths)
        months = [re.findall(r"attendance_(\S+)\.csv", " ".join(files_of(s)))[0] for s in scenes]
        assert months == ["2025-09", "2025-08", "2025-07"]
        assert len({instance.hidden.clues[0].holder for instance in scenes}) == 1
        assert len({path for instance in scenes for path in instance.told.deliverable_paths}) == 3


# help -------------------------------------------------------------------------------------


def test_hints_name_nobody_and_no_value() -> None:
    for rule in RULES[::7]:
        instance = scene_of(rule, 13)
        said = (
            f"{instance.told.hints.strategy} {instance.told.hints.where} {instance.told.hints.how}"
        )
        assert not re.search(r"\d|E1\d\d\d", said)
        names = {person.first_name for person in create_company(f"13/{rule}").people}
        assert not names & set(re.findall(r"\w+", said))
