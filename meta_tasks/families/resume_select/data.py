"""Who has applied: people who are suitable on paper, near misses, and others.

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
"""Years of work of the most experienced."""


class Degree(StrEnum):
    """Degrees from the lowest to the highest."""

    ASSOCIATE = "Associate"
    BACHELOR = "Bachelor's"
    MASTER = "Master's"
    DOCTORAL = "Doctoral"

    @property
    def rank(self) -> int:
        """How high it is, from 0."""
        return list(Degree).index(self)


class JobPosition(StrEnum):
    """What one can apply for."""

    ENGINEER = "Software Engineer"
    DEVELOPER = "Software Developer"
    RESEARCHER = "Algorithm Researcher"


class Major(StrEnum):
    """The subjects a position may ask for."""

    ELECTRICAL = "Electrical Engineering"
    SOFTWARE = "Software Engineering"
    DATA = "Data Science"
    COMPUTER = "Computer Science"
    MATHEMATICS = "Mathematics"


class RequiredSkill(StrEnum):
    """The skills a position may ask for."""

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
"""Some of them sound like skills a position may ask for."""


@dataclass(frozen=True)
class Requirement:
    """What a position asks for; degree and years are lower bounds."""

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
    """Somebody who has applied.

    ``studies`` are finished, the highest degree first. ``jobs`` are their lengths in years; who
    has none has not yet graduated from the next degree (or just has, from the highest).
    ``wishes`` are things to be learnt.
    """

    name: str
    position: JobPosition
    studies: tuple[FinishedDegree, ...]
    jobs: tuple[int, ...]
    skills: tuple[str, ...]
    wishes: tuple[str, ...] = ()

    @property
    def years(self) -> int:
        """How long they have worked in all."""
        return sum(self.jobs)


class Criterion(StrEnum):
    """What a candidate may fall short of."""

    POSITION = "position"
    DEGREE = "degree"
    MAJOR = "major"
    YEARS = "years"
    SKILLS = "skills"


def unmet_criteria(candidate: Candidate, wanted: Requirement) -> frozenset[Criterion]:
    """What *candidate* falls short of; nothing if they are suitable on paper."""
    highest = candidate.studies[0]
    has = {skill.casefold() for skill in candidate.skills}
    short = {
        Criterion.POSITION: candidate.position is not wanted.position,
        Criterion.DEGREE: highest.degree.rank < wanted.degree.rank,
        Criterion.MAJOR: highest.major != wanted.major,
        Criterion.YEARS: candidate.years < wanted.years,
        Criterion.SKILLS: not has.issuperset(wanted.skills),
    }
    return frozenset(criterion for criterion, holds in short.items() if holds)


# drawing a pool -----------------------------------------------------------------------------

SUITABLE_ON_PAPER: Mapping[int, tuple[int, ...]] = {6: (3,), 9: (3, 4), 12: (4, 5)}
"""How many of a pool of a size are suitable on paper: one of these numbers."""
NEAR_MISSES: Mapping[int, int] = {6: 3, 9: 5, 12: 5}
"""How many candidates at least fail exactly one criterion, each a different one."""


def draw_pool(draws: Random, wanted: Requirement, names: Sequence[str]) -> tuple[Candidate, ...]:
    """A candidate for each of *names*, in no particular order; there are 6, 9 or 12."""
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
    """Somebody who falls short of *misses* and meets all else."""
    position = wanted.position
    if Criterion.POSITION in misses:
        position = draws.choice([one for one in JobPosition if one is not position])
    years = _years(draws, wanted, Criterion.YEARS in misses)
    skills, wishes = _skills(draws, wanted, Criterion.SKILLS in misses)
    studies = _studies(draws, wanted, misses, THIS_YEAR - years)
    return Candidate(name, position, studies, _jobs(draws, years), skills, wishes)


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
    return tuple(end - start for start, end in pairwise((0, *cuts, years)))


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
    majors = [*(str(one) for one in Major if one is not wanted.major), *_OTHER_MAJORS]
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
    """What a candidate can do, and what they would like to learn."""
    has: list[str] = [str(skill) for skill in wanted.skills]
    wishes: list[str] = []
    if lacks:
        missing = draws.choice(has)
        has.remove(missing)
        wishes += [missing] if draws.random() < 0.5 else []
    others = [str(skill) for skill in RequiredSkill if skill not in wanted.skills]
    has += draws.sample(others, draws.randint(1, 2)) + draws.sample(_OTHER_SKILLS, 2)
    if not lacks and draws.random() < 0.3:
        wishes.append(draws.choice([one for one in _OTHER_SKILLS if one not in has]))
    draws.shuffle(has)
    return tuple(has), tuple(wishes)
