"""Closure days: who knows them, how one asks, and that nothing shows them before."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from harness.certificate.twins import certify_twins
from harness.in_process import single_task
from meta_tasks.collisions import refuse_collisions
from meta_tasks.common_knowledge import referrals
from meta_tasks.composition import compose
from meta_tasks.families.attendance.answers import answer
from meta_tasks.families.attendance.asked import (
    DEPARTMENTS,
    Level,
    Metric,
    Mode,
    Question,
    Scope,
    Type,
)
from meta_tasks.families.attendance.drawing import draw_instance
from meta_tasks.scenario import DaySpec, Scenario, TaskSpec, Variation
from meta_tasks.stage import Commons, Stage
from tests.meta_tasks.families.attendance_days import (
    RULES,
    TYPES,
    csv_of,
    day_of,
    files_of,
    manual_of,
    scene_of,
)
from world.people import found_company
from world.referral import Referral
from world.understanding import Listener, Sense, Topic, collide

EVERY = [(type, level.value) for type in TYPES for level in Level]


def test_what_is_open_does_not_depend_on_the_closure_days() -> None:
    for type, level in EVERY[::4]:
        plain = single_task(f"attendance.{type}.{level}", 9)
        changed = 0
        for salt in range(1, 6):
            twin = single_task(
                f"attendance.{type}.{level}", 9, Variation(twist={"T1/closures": salt})
            )
            one, other = plain.tasks[0].scene, twin.tasks[0].scene
            assert (one.objective, one.events, one.outputs) == (
                other.objective, other.events, other.outputs,
            )  # fmt: skip
            payload = other.clues[0].payload
            assert other.clues[0] == one.clues[0].model_copy(update={"payload": payload})
            changed += other.truth != one.truth
        assert changed >= 2


@pytest.mark.parametrize("scope", [Scope.MARKETING, Scope.ALL])
@pytest.mark.parametrize("type", TYPES)
def test_every_closure_there_can_be_makes_another_answer(type: str, scope: Scope) -> None:
    """Whoever guesses is right once in twelve times, and about the people alone in half of them."""
    mode = Mode.MOST_EARLY if type == "late_early_employee" else None
    percent, metric = (10, Metric.LATE) if type == "top_percent_employees" else (0, None)
    question = Question(Type(type), scope, mode, percent, metric)
    plain = day_of("attendance.total_absence_days.L1", 30)
    for seed in range(4):
        stage = Stage(
            task="T1",
            key=("closures", seed),
            company=plain.company,
            day=plain.day,
            deadline=plain.day.ends,
            commons=Commons(),
        )
        drawn = draw_instance(stage, question, Level.L3)
        right = [answer(question, drawn.sheet, closed) for closed in drawn.closures]
        assert len(set(right)) == len(right) == 12
        if question.type.lists_people:
            assert max(Counter(one.ids for one in right).values()) <= 6


async def test_twins_cannot_be_told_apart_before_the_head_has_answered() -> None:
    claim = await certify_twins("attendance.top_percent_employees.L5", range(1))
    assert claim.holds, claim.broken


def test_people_punch_on_closure_days_as_on_any_other() -> None:
    shares = []
    for seed in range(20):
        scene = scene_of("attendance.total_absence_days.L3", seed, department="Finance")
        days = re.findall(r"was closed on \w+, (\S{10})", scene.clues[0].payload)
        staff = json.loads(files_of(scene)["staff_roster.json"])
        ids = [one["employee_id"] for one in staff if one["department"] == "Finance"]
        there = [id for id in ids for day in days if f"\n{id},{day}T" in csv_of(scene)]
        shares.append(len(there) / len(ids) / len(days))
    assert 0.85 < sum(shares) / len(shares) < 1


def test_the_head_of_the_department_knows_and_for_all_departments_hr() -> None:
    for department in (*DEPARTMENTS, "all"):
        day = day_of("attendance.average_overtime_hours.L2", 10, department=department)
        (clue,) = day.tasks[0].scene.clues
        holder = day.company.person(clue.holder)
        assert holder.is_manager
        assert holder.department == ("HR" if department == "all" else department)
        assert holder.name in manual_of(day.tasks[0].scene)
        closed = re.findall(r"(\w+) was closed on", clue.payload)
        assert set(Counter(closed).values()) == {2}
        assert len(set(closed)) == (5 if department == "all" else 1)


@pytest.mark.parametrize("size", [10, 25, 500])
def test_companies_of_every_size_have_somebody_who_knows(size: int) -> None:
    spec = TaskSpec(rule="attendance.total_absence_days.L5")
    scenario = Scenario(name="s", seed=size, company_size=size, days=(DaySpec(tasks=(spec,)),))
    day = compose(scenario)
    assert day.company.person(day.tasks[0].scene.clues[0].holder).is_manager


@pytest.mark.parametrize("department", ["Engineering", "Sales_2", "HR", "all"])
def test_every_ask_is_understood(department: str) -> None:
    day = day_of("attendance.total_absence_days.L2", 11, department=department)
    scene = day.tasks[0].scene
    (clue,) = scene.clues
    own = next(p.event for p in scene.events if isinstance(p.event, Referral))
    public = [*referrals(day.company), own]
    foreign = tuple(Topic(r.topic, r.asks, r.keys) for r in public)
    mine = Topic(clue.id, clue.asks, clue.keys)
    listener = Listener((mine,), foreign)
    assert len(clue.asks) >= 8
    for question in clue.asks:
        understood = listener.understand(question)
        assert (understood.sense, understood.topics) == (Sense.CLEAR, (clue.id,))
    for question in own.asks:
        assert listener.foreign_topic(question) == own.topic
    assert not [topic for topic in foreign if collide(mine, topic)]


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
    (clue,) = day.tasks[0].scene.clues
    understood = Listener((Topic(clue.id, clue.asks, clue.keys),)).understand(question)
    assert understood.topics == (clue.id,)
    assert asked_back or understood.sense is Sense.CLEAR


def test_two_tasks_of_a_day_are_about_two_months_and_share_no_file() -> None:
    rules = ("attendance.total_absence_days.L2", "attendance.late_early_employee.L5")
    tasks = tuple(
        TaskSpec(rule=rule, parameters={"department": "HR"}) for rule in (*rules, rules[0])
    )
    for seed in range(5):
        day = compose(Scenario(name="s", seed=seed, days=(DaySpec(tasks=tasks),)))
        scenes = [task.scene for task in day.tasks]
        refuse_collisions(scenes)
        paths = [p.event.path for s in scenes for p in s.events if hasattr(p.event, "path")]
        assert len(set(paths)) == len(paths)
        months = [re.findall(r"attendance_(\S+)\.csv", " ".join(files_of(s)))[0] for s in scenes]
        assert months == ["2025-09", "2025-08", "2025-07"]
        assert len({scene.clues[0].holder for scene in scenes}) == 1
        assert len({path for scene in scenes for path in scene.outputs}) == 3


# help -------------------------------------------------------------------------------------


def test_hints_name_nobody_and_no_value() -> None:
    for rule in RULES[::7]:
        scene = scene_of(rule, 13)
        said = f"{scene.hints.strategy} {scene.hints.where} {scene.hints.how}"
        assert not re.search(r"\d|E1\d\d\d", said)
        names = {person.first_name for person in found_company(f"13/{rule}").people}
        assert not names & set(re.findall(r"\w+", said))
