"""Scenes and days of the résumé family, and its worked example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.meta_tasks.families.hearing import hear_everything
from tests.meta_tasks.families.other_truth import truth_of, with_truth
from trainee_bench.harness.testbench.staged_day import StagedDay, open_staged_day, single_task_day
from trainee_bench.meta_tasks.families.resume_select import ResumeSelect
from trainee_bench.meta_tasks.families.resume_select.brief import parse_candidate
from trainee_bench.meta_tasks.families.resume_select.data import (
    Candidate,
    Criterion,
    Degree,
    FinishedDegree,
    JobPosition,
    Major,
    RequiredSkill,
    Requirement,
)
from trainee_bench.meta_tasks.families.resume_select.deliverables import ResumeSelectTruth
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import create_company
from trainee_bench.world.world import World

SEEDS = range(30)
POOLS = (6, 9, 12)
RULES = [rule.id for rule in ResumeSelect.rules()]

# The worked example: a requirement, and whom of these it lets pass, judged by hand.
ASKED = Requirement(
    JobPosition.ENGINEER,
    Degree.MASTER,
    Major.COMPUTER,
    5,
    (RequiredSkill.JAVA, RequiredSkill.DATA_ANALYSIS),
)
_MASTER = FinishedDegree(Degree.MASTER, "Computer Science", 2015)
_SKILLS = ("Go", "Java", "Data analysis")
FITTING = Candidate("Ada Quist", JobPosition.ENGINEER, (_MASTER,), (2, 3), _SKILLS)
WORKED: list[tuple[Candidate, set[Criterion]]] = [
    (FITTING, set()),
    (replace(FITTING, jobs=(10,)), set()),
    (replace(FITTING, jobs=(4,)), {Criterion.YEARS}),
    (replace(FITTING, jobs=()), {Criterion.YEARS}),
    (replace(FITTING, studies=(FinishedDegree(Degree.DOCTORAL, "Computer Science", 2017),)), set()),
    (
        replace(FITTING, studies=(FinishedDegree(Degree.BACHELOR, "Computer Science", 2013),)),
        {Criterion.DEGREE},
    ),
    (
        replace(FITTING, studies=(FinishedDegree(Degree.DOCTORAL, "Statistics", 2019),)),
        {Criterion.MAJOR},
    ),
    (replace(FITTING, skills=("JavaScript", "data analysis")), {Criterion.SKILLS}),
    (replace(FITTING, skills=("java",)), {Criterion.SKILLS}),
    (replace(FITTING, skills=("java",), wishes=("data analysis",)), {Criterion.SKILLS}),
    (replace(FITTING, position=JobPosition.DEVELOPER), {Criterion.POSITION}),
    (
        replace(FITTING, position=JobPosition.RESEARCHER, jobs=(1,)),
        {Criterion.POSITION, Criterion.YEARS},
    ),
]


def scene_of(
    pool: int, seed: int, size: int = 50, offset: int = 0, **fixed: Any
) -> TaskInstance[ResumeSelectTruth]:
    day = single_task_day(RULES[0], 0)
    context = TaskContext(
        task="T1",
        key=("test", seed),
        company=create_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        reservations=DayReservations(),
        secret_seed_offsets={"unavailable": offset},
    )
    return ResumeSelect.model_validate({"pool": pool, **fixed}).generate(context)


def resumes_of(instance: TaskInstance[ResumeSelectTruth]) -> dict[str, str]:
    """The text of every résumé, by path."""
    events = [planned.event for planned in instance.hidden.events]
    return {e.path: e.text or "" for e in events if isinstance(e, FileAppears)}


def candidates_of(instance: TaskInstance[ResumeSelectTruth]) -> list[Candidate]:
    return [parse_candidate(text) for text in resumes_of(instance).values()]


def requirement_of(position: str, degree: str, major: str, years: int, *skills: str) -> Requirement:
    return Requirement(
        JobPosition(position),
        Degree(degree),
        Major(major),
        years,
        tuple(map(RequiredSkill, skills)),
    )


async def worked_day(*suitable: str, on_paper: tuple[str, ...]) -> StagedDay:
    """A day on which everything was told, and whose truth are these names instead of the drawn
    ones."""
    plain = single_task_day(RULES[0], 1)
    truth = ResumeSelectTruth(truth_of(plain).path, frozenset(on_paper), frozenset(suitable))
    changed = with_truth(plain, truth)
    world = await World.create_inline(plain.world_config(), plain.populate)
    day = open_staged_day(changed, world)
    await hear_everything(day)
    return day


async def hand_in(day: StagedDay, text: str) -> dict[str, bool]:
    """Write the list; which checkpoints hold then."""
    (path,) = day.composition.deliverable_paths
    await day.call("files_write", {"path": path, "text": text})
    return {check.name: check.passed for check in (await graded(day)).checkpoints}


async def graded(day: StagedDay) -> TaskGrade:
    (grade,) = await day.grades()
    assert grade.error is None, grade.error
    return grade
