"""Résumés: who of those that applied is suitable for a position, and still to be had.

Told: the requirements, the folder. Hidden: who has withdrawn or accepted another offer, known to
the recruiter alone and always some, never all, of those who are suitable on paper.

    résumés meeting every requirement − no longer available ──► names, one per line
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from meta_tasks.families.resume_select.oracle import select
from meta_tasks.families.resume_select.pool import MAKEUPS, draw_pool, draw_requirement
from meta_tasks.families.resume_select.requirement import (
    Degree,
    Major,
    Position,
    Skill,
    shortcomings,
)
from meta_tasks.families.resume_select.resume import write_resume
from meta_tasks.families.resume_select.telling import (
    CLUE,
    HINTS,
    objective,
    recruiter,
    unavailable_clue,
)
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Domain,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Verdict,
    checkpoint,
)
from meta_tasks.stage import Stage
from world.apps.files import FileAppears
from world.names import draw_names

FOLDER = "drive:/human_resources/resumes"
Pool = Literal[6, 9, 12]
Years = Literal[1, 3, 5]
_HARD: Pool = 12


@dataclass(frozen=True)
class Selected:
    """What is graded: the file, who is suitable on paper, and who of them is available."""

    path: str
    on_paper: frozenset[str]
    suitable: frozenset[str]


class _Published(BaseModel):
    """An entry's arguments in the original's files: degree, major, years, skills; position."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    requirement: tuple[tuple[Degree], tuple[Major], tuple[str], tuple[Skill, ...]]
    position: tuple[Position]
    number_of_resumes: Pool


class ResumeSelect(MetaTask[Selected]):
    """Applicants of whom those are to be found who meet all requirements and are available."""

    family: ClassVar[str] = "resume_select"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Resume Select"

    pool: Pool
    position: Position | None = None
    degree: Degree | None = None
    major: Major | None = None
    years: Years | None = None
    skills: tuple[Skill, ...] | None = Field(default=None, min_length=1, max_length=3)

    @model_validator(mode="after")
    def _that_can_be_asked_for(self) -> Self:
        if self.degree is Degree.ASSOCIATE:
            raise ValueError("there has to be a degree below the one that is asked for")
        if self.skills and len(set(self.skills)) < len(self.skills):
            raise ValueError("a skill is named twice")
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each size of the pool."""
        sizes: tuple[Pool, ...] = (6, 9, 12)
        made = [cls(pool=size) for size in sizes]
        return tuple(
            Rule(one.rule_id, Label.HARD if one.pool == _HARD else Label.EASY, one) for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``resume_select.pool9``."""
        return f"{self.family}.pool{self.pool}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> ResumeSelect:
        """The selection an entry of the original's files means. Raises ValueError."""
        entry = _Published.model_validate(arguments)
        (degree,), (major,), (span,), skills = entry.requirement
        return cls.model_validate(
            {
                "pool": entry.number_of_resumes,
                "position": entry.position[0],
                "degree": degree,
                "major": major,
                "years": int(span.removesuffix("s").removesuffix(" year")),
                "skills": skills,
            }
        )

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Selected]:
        """Résumés on the drive, and a recruiter who knows who is no longer available."""
        wanted = draw_requirement(
            stage.stream("requirement"),
            self._position(stage),
            self.degree,
            self.major,
            self.years,
            self.skills,
        )
        people = (*stage.company.people, stage.employee)
        taken = [part for person in people for part in person.name.split()]
        names = draw_names(stage.stream("names"), self.pool, taken=taken)
        pool = draw_pool(stage.stream("pool"), wanted, MAKEUPS[self.pool], names)
        folder = stage.file(FOLDER)  # a folder of its own, even beside another task's
        texts = stage.stream("texts")
        events = [
            Planned(
                FileAppears(
                    path=stage.file(f"{folder}/{one.name.replace(' ', '_')}_resume.md"),
                    text=write_resume(texts, one),
                )
            )
            for one in pool
        ]
        on_paper = sorted(one.name for one in pool if not shortcomings(one, wanted))
        secret = stage.secret(CLUE)
        gone = sorted(secret.sample(on_paper, secret.randint(1, len(on_paper) - 1)))
        holder, knows = recruiter(stage.company)
        path = stage.file("workspace:/suitable_candidates.txt")
        return Scene(
            title=f"Candidates for the position of {wanted.position}",
            objective=objective(wanted, folder, self.pool, path, knows),
            truth=Selected(path, frozenset(on_paper), frozenset(on_paper) - frozenset(gone)),
            hints=HINTS,
            clues=(unavailable_clue(stage, holder, wanted.position, gone, secret),),
            events=tuple(events),
            outputs=(path,),
            requester=stage.employee.manager or "",
        )

    def _position(self, stage: Stage) -> Position:
        """What is not fixed is drawn, if possible one for which no other task of the day selects:
        the recruiter is asked about a position."""
        claims = stage.commons.claims
        free = [one for one in Position if f"candidates for {one}" not in claims]
        position = self.position or stage.stream("position").choice(free or list(Position))
        claims.setdefault(f"candidates for {position}", stage.task)
        return position

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Read, ask, list."""
        await select(hands)

    # what is graded ---------------------------------------------------------------------

    @checkpoint(
        "The list has everybody who is suitable, and nobody who does not meet the requirements",
        where="The résumés in the folder that the task names, and the list of requirements.",
        how="Make a table of all candidates with position, highest degree and its subject, years "
        "in all, and skills; strike out whoever falls short in one column.",
    )
    def requirements_met(self, case: Case[Selected]) -> Verdict:
        """Both ways; whoever is no longer available may be on it or not."""
        names = _listed(case)
        if names is None:
            return _nothing(case)
        truth = case.truth
        right = not _repeated(names) and truth.suitable <= set(names) <= truth.on_paper
        return Verdict(right, _seen(names, truth))

    @checkpoint(
        "The list has exactly the suitable candidates who are still available",
        where="The résumés, and what the colleague in HR whom the task names has told.",
        how="Of the candidates who meet all requirements leave out those who are no longer "
        "available, and write the others' names one per line, as they stand in the headings.",
    )
    def suitable_listed(self, case: Case[Selected]) -> Verdict:
        """Precision and recall over names, letter by letter."""
        names = _listed(case)
        if names is None:
            return _nothing(case)
        right = not _repeated(names) and set(names) == case.truth.suitable
        return Verdict(right, _seen(names, case.truth))

    @checkpoint(
        "The colleague in HR has told who is no longer available",
        weight=0.4,
        only_with="suitable_listed",
        where="The chat with the colleague in HR whom the task names.",
        how="Ask who of the candidates is no longer available, naming the position, and wait a few "
        "minutes for the answer. If they ask back, answer them.",
    )
    def told(self, case: Case[Selected]) -> Verdict:
        """Whether the clue was released, whatever the employee wrote themself."""
        when = case.released(CLUE)
        said = "nobody has told you" if when is None else f"you were told at {when:%H:%M}"
        return Verdict(when is not None, said)


# how it is graded -------------------------------------------------------------------------


def _listed(case: Case[Selected]) -> list[str] | None:
    """The names in the file; None if there is no such file."""
    text = case.text(case.truth.path)
    if text is None:
        return None
    lines = (" ".join(line.split()) for line in text.removeprefix("\ufeff").splitlines())
    return [line for line in lines if line]


def _nothing(case: Case[Selected]) -> Verdict:
    return Verdict(False, f"there is no text file {case.truth.path}")


def _repeated(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def _seen(names: list[str], truth: Selected) -> str:
    """What there is to say about a list without naming anybody."""
    listed = set(names)
    seen = [f"the list has {len(names)} lines"]
    seen += ["a line is there twice"] if _repeated(names) else []
    seen += ["some are not names of suitable candidates"] if listed - truth.on_paper else []
    seen += ["somebody is missing"] if truth.suitable - listed else []
    gone = (truth.on_paper - truth.suitable) & listed
    seen += ["somebody on it is no longer available"] if gone else []
    return "; ".join(seen)
