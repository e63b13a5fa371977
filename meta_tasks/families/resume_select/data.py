"""Random draws of candidates: suitable on paper, near misses, and others.

requirement + names ──► candidates; each near miss fails exactly one criterion
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from random import Random

THIS_YEAR = 2025
MAX_YEARS = 12
"""Years of work of the most experienced candidate."""


class Degree(StrEnum):
    """Degrees from the lowest to the highest."""

    ASSOCIATE = "Associate"
    BACHELOR = "Bachelor's"
    MASTER = "Master's"
    DOCTORAL = "Doctoral"

    @property
    def rank(self) -> int:
        """The rank of the degree, from 0."""
        return list(Degree).index(self)


class JobPosition(StrEnum):
    """A position that candidates apply for."""

    ENGINEER = "Software Engineer"
    DEVELOPER = "Software Developer"
    RESEARCHER = "Algorithm Researcher"


class Major(StrEnum):
    """Subjects that a position may require."""

    ELECTRICAL = "Electrical Engineering"
    SOFTWARE = "Software Engineering"
    DATA = "Data Science"
    COMPUTER = "Computer Science"
    MATHEMATICS = "Mathematics"


class RequiredSkill(StrEnum):
    """Skills that a position may require."""

    PYTHON = "python"
    JAVA = "java"
    CPP = "c++"
    KUBERNETES = "kubernetes"
    REDIS = "redis"
    MONGODB = "mongodb"
    DEEP_LEARNING = "deep learning"
    REINFORCEMENT_LEARNING = "reinforcement learning"
    DATA_ANALYSIS = "data analysis"
    DATA_VISUALIZATION = "data visualization"


_OTHER_MAJORS = ("Computer Engineering", "Control Engineering", "Applied Physics", "Statistics")
_OTHER_SKILLS = (
    "JavaScript", "Go", "SQL", "Docker", "Linux", "Git", "PostgreSQL", "machine learning",
    "technical writing", "Excel", "data modelling", "C",
)  # fmt: skip
"""Other skills; some sound like a `RequiredSkill`."""


@dataclass(frozen=True)
class Requirement:
    """The requirements of a position; degree and years are lower bounds."""

    position: JobPosition
    degree: Degree
    major: Major
    years: int
    skills: tuple[RequiredSkill, ...]


@dataclass(frozen=True)
class FinishedDegree:
    """A finished degree: its subject and the year it was finished."""

    degree: Degree
    major: str
    year: int


@dataclass(frozen=True)
class Candidate:
    """An applicant.

    ``studies`` are finished degrees, the highest first. ``jobs`` are lengths in years; a candidate
    without jobs is still studying for the next degree, or has just finished the highest one.
    ``wishes`` are skills that the candidate wants to learn.
    """

    name: str
    position: JobPosition
    studies: tuple[FinishedDegree, ...]
    jobs: tuple[int, ...]
    skills: tuple[str, ...]
    wishes: tuple[str, ...] = ()

    @property
    def years(self) -> int:
        """Total years of work."""
        return sum(self.jobs)


class Criterion(StrEnum):
    """A criterion that a candidate may fail."""

    POSITION = "position"
    DEGREE = "degree"
    MAJOR = "major"
    YEARS = "years"
    SKILLS = "skills"


def unmet_criteria(candidate: Candidate, wanted: Requirement) -> frozenset[Criterion]:
    """Return the criteria that *candidate* fails; none means suitable on paper."""
    highest = candidate.studies[0]
    has = {skill.casefold() for skill in candidate.skills}
    failed = {
        Criterion.POSITION: candidate.position is not wanted.position,
        Criterion.DEGREE: highest.degree.rank < wanted.degree.rank,
        Criterion.MAJOR: highest.major != wanted.major,
        Criterion.YEARS: candidate.years < wanted.years,
        Criterion.SKILLS: not has.issuperset(wanted.skills),
    }
    return frozenset(criterion for criterion, fails in failed.items() if fails)


# drawing a pool -----------------------------------------------------------------------------

SUITABLE_ON_PAPER: Mapping[int, tuple[int, ...]] = {6: (3,), 9: (3, 4), 12: (4, 5)}
"""Possible numbers of candidates who are suitable on paper, by size of the pool."""
NEAR_MISSES: Mapping[int, int] = {6: 3, 9: 5, 12: 5}
"""Minimum number of candidates who fail exactly one criterion, each a different one."""


def draw_pool(draws: Random, wanted: Requirement, names: Sequence[str]) -> tuple[Candidate, ...]:
    """Draw a candidate for each of *names* (6, 9 or 12), in random order."""
    suitable = draws.choice(SUITABLE_ON_PAPER[len(names)])
    near = draws.sample(list(Criterion), NEAR_MISSES[len(names)])
    short: list[Collection[Criterion]] = [()] * suitable + [(miss,) for miss in near]
    while len(short) < len(names):
        short.append(draws.sample(list(Criterion), draws.randint(1, 3)))
    draws.shuffle(short)
    return tuple(
        _candidate(draws, wanted, name, misses) for name, misses in zip(names, short, strict=True)
    )


def _candidate(
    draws: Random, wanted: Requirement, name: str, misses: Collection[Criterion]
) -> Candidate:
    """Draw a candidate who fails exactly *misses*."""
    position = wanted.position
    if Criterion.POSITION in misses:
        position = draws.choice([each for each in JobPosition if each is not position])
    years = _years(draws, wanted, Criterion.YEARS in misses)
    skills, wishes = _skills(draws, wanted, Criterion.SKILLS in misses)
    studies = _studies(draws, wanted, misses, THIS_YEAR - years)
    return Candidate(name, position, studies, _jobs(draws, years), skills, wishes)


def _years(draws: Random, wanted: Requirement, too_few: bool) -> int:
    """Draw years of work, often just enough or just too few.

    Ten years are frequent, because "10" sorts before "3" as a text.
    """
    if too_few:
        return wanted.years - 1 if draws.random() < 0.7 else 0
    return draws.choice(
        (wanted.years, wanted.years + 1, draws.randint(wanted.years, MAX_YEARS), 10)
    )


def _jobs(draws: Random, years: int) -> tuple[int, ...]:
    """Split *years* into one job or several, the latest last."""
    if years < 2 or draws.random() < 0.4:
        return (years,) if years else ()
    cuts = sorted(draws.sample(range(1, years), min(draws.randint(1, 2), years - 1)))
    return tuple(end - start for start, end in pairwise((0, *cuts, years)))


def _studies(
    draws: Random, wanted: Requirement, misses: Collection[Criterion], worked_since: int
) -> tuple[FinishedDegree, ...]:
    """Draw the highest degree and often the one below it.

    The lower degree alone never suffices, so no reading of "highest" changes the answer.
    """
    rank = wanted.degree.rank
    if Criterion.DEGREE in misses:
        rank -= 1
    elif draws.random() < 0.35:
        rank = min(rank + 1, Degree.DOCTORAL.rank)
    majors = [*(str(each) for each in Major if each is not wanted.major), *_OTHER_MAJORS]
    major = draws.choice(majors) if Criterion.MAJOR in misses else str(wanted.major)
    year = worked_since - draws.randint(0, 1)
    highest = FinishedDegree(list(Degree)[rank], major, year)
    if rank <= Degree.BACHELOR.rank or draws.random() < 0.3:
        return (highest,)
    before = draws.choice(majors)
    if rank - 1 < wanted.degree.rank and draws.random() < 0.6:
        before = str(wanted.major)
    return highest, FinishedDegree(list(Degree)[rank - 1], before, year - draws.randint(2, 4))


def _skills(
    draws: Random, wanted: Requirement, lacks: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Draw a candidate's skills, and skills that they want to learn."""
    has: list[str] = [str(skill) for skill in wanted.skills]
    wishes: list[str] = []
    if lacks:
        missing = draws.choice(has)
        has.remove(missing)
        wishes += [missing] if draws.random() < 0.5 else []
    others = [str(skill) for skill in RequiredSkill if skill not in wanted.skills]
    has += draws.sample(others, draws.randint(1, 2)) + draws.sample(_OTHER_SKILLS, 2)
    if not lacks and draws.random() < 0.3:
        wishes.append(draws.choice([skill for skill in _OTHER_SKILLS if skill not in has]))
    draws.shuffle(has)
    return tuple(has), tuple(wishes)
