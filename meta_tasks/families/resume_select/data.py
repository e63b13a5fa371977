"""Who has applied: people who are suitable on paper, near misses, and others.

requirement + names ──► candidates, of whom each near miss fails in one thing alone
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from trainee_bench.meta_tasks.families.resume_select.requirement import (
    OTHER_MAJORS,
    OTHER_SKILLS,
    Candidate,
    Criterion,
    Degree,
    FinishedDegree,
    JobPosition,
    Major,
    RequiredSkill,
    Requirement,
)

THIS_YEAR = 2025
MAX_YEARS = 12
"""Years of work of the most experienced."""


@dataclass(frozen=True)
class PoolMakeup:
    """How many of a pool are suitable on paper (one of these numbers), and how many at least
    fall short of one thing alone, a different thing each as far as there are five."""

    size: int
    suitable: tuple[int, ...]
    near: int


POOL_MAKEUPS: Mapping[int, PoolMakeup] = {
    6: PoolMakeup(6, (3,), near=3),
    9: PoolMakeup(9, (3, 4), near=5),
    12: PoolMakeup(12, (4, 5), near=5),
}


def draw_requirement(
    draws: Random, position: JobPosition, degree: Degree | None, major: Major | None,
    years: int | None, skills: Sequence[RequiredSkill] | None,
) -> Requirement:  # fmt: skip
    """What is not given is drawn."""
    drawn = (
        draws.choice(list(Degree)[1:]),
        draws.choice(list(Major)),
        draws.choice((1, 3, 5)),
        draws.sample(list(RequiredSkill), draws.randint(1, 3)),
    )
    return Requirement(
        position=position,
        degree=degree or drawn[0],
        major=major or drawn[1],
        years=years or drawn[2],
        skills=tuple(skills or drawn[3]),
    )


def draw_pool(
    draws: Random, wanted: Requirement, makeup: PoolMakeup, names: Sequence[str]
) -> tuple[Candidate, ...]:
    """A candidate for each of *names*, in no particular order."""
    suitable = draws.choice(makeup.suitable)
    near = draws.sample(list(Criterion), makeup.near)
    short: list[Collection[Criterion]] = [()] * suitable + [(miss,) for miss in near]
    while len(short) < makeup.size:
        short.append(draws.sample(list(Criterion), draws.randint(1, 3)))
    draws.shuffle(short)
    return tuple(
        _candidate(draws, wanted, name, misses) for name, misses in zip(names, short, strict=True)
    )


def _candidate(
    draws: Random, wanted: Requirement, name: str, misses: Collection[Criterion]
) -> Candidate:
    """Somebody who falls short of *misses* and meets all else."""
    position = wanted.position
    if Criterion.POSITION in misses:
        position = draws.choice([one for one in JobPosition if one is not position])
    years = _years(draws, wanted, Criterion.YEARS in misses)
    skills, wishes = _skills(draws, wanted, Criterion.SKILLS in misses)
    return Candidate(
        name=name,
        position=position,
        studies=_studies(draws, wanted, misses, THIS_YEAR - years),
        jobs=_jobs(draws, years),
        skills=skills,
        wishes=wishes,
    )


def _years(draws: Random, wanted: Requirement, too_few: bool) -> int:
    """Often just enough or just too few; a long time, as a number, sorts before a short one as
    a text."""
    if too_few:
        return wanted.years - 1 if draws.random() < 0.7 else 0
    return draws.choice(
        (wanted.years, wanted.years + 1, draws.randint(wanted.years, MAX_YEARS), 10)
    )


def _jobs(draws: Random, years: int) -> tuple[int, ...]:
    """*years* as one job or several, the latest last."""
    if years < 2 or draws.random() < 0.4:
        return (years,) if years else ()
    cuts = sorted(draws.sample(range(1, years), min(draws.randint(1, 2), years - 1)))
    ends = (*cuts, years)
    return tuple(end - start for start, end in zip((0, *cuts), ends, strict=True))


def _studies(
    draws: Random, wanted: Requirement, misses: Collection[Criterion], worked_since: int
) -> tuple[FinishedDegree, ...]:
    """The highest degree and often the one below it.

    The lower degree alone never suffices, so that it does not matter how one reads "highest".
    """
    rank = wanted.degree.rank
    if Criterion.DEGREE in misses:
        rank -= 1
    elif draws.random() < 0.35:
        rank = min(rank + 1, Degree.DOCTORAL.rank)
    majors = [*(str(one) for one in Major if one is not wanted.major), *OTHER_MAJORS]
    major = draws.choice(majors) if Criterion.MAJOR in misses else str(wanted.major)
    year = worked_since - draws.randint(0, 1)
    highest = FinishedDegree(list(Degree)[rank], major, year)
    if rank <= Degree.BACHELOR.rank or draws.random() < 0.3:
        return (highest,)
    before = draws.choice(majors)
    if rank - 1 < wanted.degree.rank and draws.random() < 0.6:
        before = str(wanted.major)
    lower = FinishedDegree(list(Degree)[rank - 1], before, year - draws.randint(2, 4))
    return highest, lower


def _skills(
    draws: Random, wanted: Requirement, lacks: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a candidate can do, and what they would like to learn."""
    has: list[str] = [str(skill) for skill in wanted.skills]
    wishes: list[str] = []
    if lacks:
        missing = draws.choice(has)
        has.remove(missing)
        wishes += [missing] if draws.random() < 0.5 else []
    others = [str(skill) for skill in RequiredSkill if skill not in wanted.skills]
    has += draws.sample(others, draws.randint(1, 2)) + draws.sample(OTHER_SKILLS, 2)
    if not lacks and draws.random() < 0.3:
        wishes.append(draws.choice([one for one in OTHER_SKILLS if one not in has]))
    draws.shuffle(has)
    return tuple(has), tuple(wishes)
