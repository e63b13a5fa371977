"""Scenes and days of the résumé family, and its worked example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.in_process import Workday, at_seat, single_task
from meta_tasks.families.resume_select import ResumeSelect, Selected
from meta_tasks.families.resume_select.oracle import candidate_in
from meta_tasks.families.resume_select.requirement import (
    Candidate,
    Criterion,
    Degree,
    Major,
    Position,
    Requirement,
    Skill,
    Studies,
)
from meta_tasks.grade import TaskGrade
from meta_tasks.meta_task import Scene
from meta_tasks.stage import Commons, Stage
from world.apps.files import FileAppears
from world.people import found_company
from world.world import World

SEEDS = range(30)
POOLS = (6, 9, 12)
RULES = [rule.id for rule in ResumeSelect.rules()]

# The worked example: a requirement, and whom of these it lets pass, judged by hand.
ASKED = Requirement(
    Position.ENGINEER, Degree.MASTER, Major.COMPUTER, 5, (Skill.JAVA, Skill.DATA_ANALYSIS)
)
_MASTER = Studies(Degree.MASTER, "Computer Science", 2015)
_SKILLS = ("Go", "Java", "Data analysis")
FITTING = Candidate("Ada Quist", Position.ENGINEER, (_MASTER,), (2, 3), _SKILLS)
WORKED: list[tuple[Candidate, set[Criterion]]] = [
    (FITTING, set()),
    (replace(FITTING, jobs=(10,)), set()),
    (replace(FITTING, jobs=(4,)), {Criterion.YEARS}),
    (replace(FITTING, jobs=()), {Criterion.YEARS}),
    (replace(FITTING, studies=(Studies(Degree.DOCTORAL, "Computer Science", 2017),)), set()),
    (
        replace(FITTING, studies=(Studies(Degree.BACHELOR, "Computer Science", 2013),)),
        {Criterion.DEGREE},
    ),
    (
        replace(FITTING, studies=(Studies(Degree.DOCTORAL, "Statistics", 2019),)),
        {Criterion.MAJOR},
    ),
    (replace(FITTING, skills=("JavaScript", "data analysis")), {Criterion.SKILLS}),
    (replace(FITTING, skills=("java",)), {Criterion.SKILLS}),
    (replace(FITTING, skills=("java",), wishes=("data analysis",)), {Criterion.SKILLS}),
    (replace(FITTING, position=Position.DEVELOPER), {Criterion.POSITION}),
    (
        replace(FITTING, position=Position.RESEARCHER, jobs=(1,)),
        {Criterion.POSITION, Criterion.YEARS},
    ),
]


def scene_of(pool: int, seed: int, size: int = 50, salt: int = 0, **fixed: Any) -> Scene[Selected]:
    day = single_task(RULES[0], 0)
    stage = Stage(
        task="T1",
        key=("test", seed),
        company=found_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        commons=Commons(),
        twist={"unavailable": salt},
    )
    return ResumeSelect.model_validate({"pool": pool, **fixed}).scene(stage)


def resumes_of(scene: Scene[Selected]) -> dict[str, str]:
    """The text of every résumé, by path."""
    events = [planned.event for planned in scene.events]
    return {e.path: e.text or "" for e in events if isinstance(e, FileAppears)}


def candidates_of(scene: Scene[Selected]) -> list[Candidate]:
    return [candidate_in(text) for text in resumes_of(scene).values()]


def requirement_of(position: str, degree: str, major: str, years: int, *skills: str) -> Requirement:
    return Requirement(
        Position(position), Degree(degree), Major(major), years, tuple(map(Skill, skills))
    )


async def worked_day(*suitable: str, on_paper: tuple[str, ...]) -> Workday:
    """A day whose truth are these names instead of the drawn ones."""
    plain = single_task(RULES[0], 1)
    task = plain.tasks[0]
    truth = Selected(task.scene.truth.path, frozenset(on_paper), frozenset(suitable))
    changed = replace(plain, tasks=(replace(task, scene=replace(task.scene, truth=truth)),))
    return at_seat(changed, await World.create(None, plain.opening(), plain.stage))


async def hand_in(day: Workday, text: str) -> dict[str, bool]:
    """Write the list; which checkpoints hold then."""
    (path,) = day.composition.outputs
    await day.call("files_write", {"path": path, "text": text})
    return {check.name: check.passed for check in (await graded(day)).checkpoints}


async def graded(day: Workday) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None, grade.error
    return grade
