"""What a position asks for, what a candidate has, and when the one meets the other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


OTHER_MAJORS = ("Computer Engineering", "Control Engineering", "Applied Physics", "Statistics")
OTHER_SKILLS = (
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
