"""Scenes and days of the résumé family, and its worked example."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.meta_tasks.days import context_of, texts_of, truth_of, with_truth
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.composition import ComposedDay
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
from trainee_bench.meta_tasks.meta_task import TaskInstance

SEEDS = range(30)
POOLS = (6, 9, 12)
RULES = [rule.id for rule in ResumeSelect.rules()]

# The worked example: a requirement and candidates, judged by hand.
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
    made = ResumeSelect.model_validate({"pool": pool, **fixed})
    return made.generate(context_of(seed, size, {"unavailable": offset}))


def candidates_of(instance: TaskInstance[ResumeSelectTruth]) -> list[Candidate]:
    return [parse_candidate(text) for text in texts_of(instance).values()]


def requirement_of(position: str, degree: str, major: str, years: int, *skills: str) -> Requirement:
    return Requirement(
        JobPosition(position),
        Degree(degree),
        Major(major),
        years,
        tuple(map(RequiredSkill, skills)),
    )


def worked_example(*suitable: str, on_paper: tuple[str, ...]) -> ComposedDay:
    """Return a day with these names as its truth."""
    plain = single_task_day(RULES[0], 1)
    truth = replace(truth_of(plain), on_paper=frozenset(on_paper), suitable=frozenset(suitable))
    return with_truth(plain, truth)
