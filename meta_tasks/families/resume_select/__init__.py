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

from trainee_bench.meta_tasks.families.resume_select.data import (
    POOL_MAKEUPS,
    draw_pool,
    draw_requirement,
)
from trainee_bench.meta_tasks.families.resume_select.oracle import select_candidates
from trainee_bench.meta_tasks.families.resume_select.prompts import (
    HINTS,
    UNAVAILABLE_CLUE,
    objective,
    recruiter,
    unavailable_clue,
)
from trainee_bench.meta_tasks.families.resume_select.requirement import (
    Degree,
    JobPosition,
    Major,
    RequiredSkill,
    unmet_criteria,
)
from trainee_bench.meta_tasks.families.resume_select.resume import write_resume
from trainee_bench.meta_tasks.meta_task import (
    Difficulty,
    Domain,
    GradingContext,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.person_names import draw_names

FOLDER = "drive:/human_resources/resumes"
PoolSize = Literal[6, 9, 12]
Years = Literal[1, 3, 5]
_HARD: PoolSize = 12


@dataclass(frozen=True)
class ResumeSelectTruth:
    """What is graded: the file, who is suitable on paper, and who of them is available."""

    path: str
    on_paper: frozenset[str]
    suitable: frozenset[str]


class PublishedResumeSelect(BaseModel):
    """An entry's arguments in the original's files: degree, major, years, skills; position."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    requirement: tuple[tuple[Degree], tuple[Major], tuple[str], tuple[RequiredSkill, ...]]
    position: tuple[JobPosition]
    number_of_resumes: PoolSize


class ResumeSelect(MetaTask[ResumeSelectTruth]):
    """Applicants of whom those are to be found who meet all requirements and are available."""

    family: ClassVar[str] = "resume_select"
    domain: ClassVar[Domain] = Domain.INFORMATION
    published_name: ClassVar[str] = "Resume Select"

    pool: PoolSize
    position: JobPosition | None = None
    degree: Degree | None = None
    major: Major | None = None
    years: Years | None = None
    skills: tuple[RequiredSkill, ...] | None = Field(default=None, min_length=1, max_length=3)

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
        sizes: tuple[PoolSize, ...] = (6, 9, 12)
        made = [cls(pool=size) for size in sizes]
        return tuple(
            Rule(one.rule_id, Difficulty.HARD if one.pool == _HARD else Difficulty.EASY, one)
            for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``resume_select.pool9``."""
        return f"{self.family}.pool{self.pool}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> ResumeSelect:
        """The selection an entry of the original's files means. Raises ValueError."""
        entry = PublishedResumeSelect.model_validate(arguments)
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

    def generate(self, context: TaskContext) -> TaskInstance[ResumeSelectTruth]:
        """Résumés on the drive, and a recruiter who knows who is no longer available."""
        wanted = draw_requirement(
            context.stream("requirement"),
            self._position(context),
            self.degree,
            self.major,
            self.years,
            self.skills,
        )
        people = (*context.company.people, context.employee)
        taken = [part for person in people for part in person.name.split()]
        names = draw_names(context.stream("names"), self.pool, taken=taken)
        pool = draw_pool(context.stream("pool"), wanted, POOL_MAKEUPS[self.pool], names)
        folder = context.reserve_path(FOLDER)  # a folder of its own, even beside another task's
        texts = context.stream("texts")
        events = [
            PlannedEvent(
                FileAppears(
                    path=context.reserve_path(f"{folder}/{one.name.replace(' ', '_')}_resume.md"),
                    text=write_resume(texts, one),
                )
            )
            for one in pool
        ]
        on_paper = sorted(one.name for one in pool if not unmet_criteria(one, wanted))
        secret = context.secret_stream(UNAVAILABLE_CLUE)
        gone = sorted(secret.sample(on_paper, secret.randint(1, len(on_paper) - 1)))
        holder, knows = recruiter(context.company)
        path = context.reserve_path("workspace:/suitable_candidates.txt")
        return TaskInstance(
            title=f"Candidates for the position of {wanted.position}",
            objective=objective(wanted, folder, self.pool, path, knows),
            truth=ResumeSelectTruth(
                path, frozenset(on_paper), frozenset(on_paper) - frozenset(gone)
            ),
            hints=HINTS,
            clues=(unavailable_clue(context, holder, wanted.position, gone, secret),),
            events=tuple(events),
            deliverable_paths=(path,),
            requester=context.employee.manager or "",
        )

    def _position(self, context: TaskContext) -> JobPosition:
        """What is not fixed is drawn, if possible one for which no other task of the day selects:
        the recruiter is asked about a position."""
        claims = context.reservations.claims
        free = [one for one in JobPosition if f"candidates for {one}" not in claims]
        position = self.position or context.stream("position").choice(free or list(JobPosition))
        claims.setdefault(f"candidates for {position}", context.task)
        return position

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Read, ask, list."""
        await select_candidates(client)

    # what is graded ---------------------------------------------------------------------

    @checkpoint(
        "The list has everybody who is suitable, and nobody who does not meet the requirements",
        where="The résumés in the folder that the task names, and the list of requirements.",
        how="Make a table of all candidates with position, highest degree and its subject, years "
        "in all, and skills; strike out whoever falls short in one column.",
    )
    def requirements_met(self, grading: GradingContext[ResumeSelectTruth]) -> Verdict:
        """Both ways; whoever is no longer available may be on it or not."""
        names = _listed(grading)
        if names is None:
            return _nothing(grading)
        truth = grading.truth
        right = not _repeated(names) and truth.suitable <= set(names) <= truth.on_paper
        return Verdict(right, _seen(names, truth))

    @checkpoint(
        "The list has exactly the suitable candidates who are still available",
        where="The résumés, and what the colleague in HR whom the task names has told.",
        how="Of the candidates who meet all requirements leave out those who are no longer "
        "available, and write the others' names one per line, as they stand in the headings.",
    )
    def suitable_listed(self, grading: GradingContext[ResumeSelectTruth]) -> Verdict:
        """Precision and recall over names, letter by letter."""
        names = _listed(grading)
        if names is None:
            return _nothing(grading)
        right = not _repeated(names) and set(names) == grading.truth.suitable
        return Verdict(right, _seen(names, grading.truth))

    @checkpoint(
        "The colleague in HR has told who is no longer available",
        weight=0.4,
        only_with="suitable_listed",
        where="The chat with the colleague in HR whom the task names.",
        how="Ask who of the candidates is no longer available, naming the position, and wait a few "
        "minutes for the answer. If they ask back, answer them.",
    )
    def told(self, grading: GradingContext[ResumeSelectTruth]) -> Verdict:
        """Whether the clue was released, whatever the employee wrote themself."""
        when = grading.clue_released_at(UNAVAILABLE_CLUE)
        said = "nobody has told you" if when is None else f"you were told at {when:%H:%M}"
        return Verdict(when is not None, said)


# how it is graded -------------------------------------------------------------------------


def _listed(grading: GradingContext[ResumeSelectTruth]) -> list[str] | None:
    """The names in the file; None if there is no such file."""
    text = grading.text(grading.truth.path)
    if text is None:
        return None
    lines = (" ".join(line.split()) for line in text.removeprefix("\ufeff").splitlines())
    return [line for line in lines if line]


def _nothing(grading: GradingContext[ResumeSelectTruth]) -> Verdict:
    return Verdict(False, f"there is no text file {grading.truth.path}")


def _repeated(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def _seen(names: list[str], truth: ResumeSelectTruth) -> str:
    """What there is to say about a list without naming anybody."""
    listed = set(names)
    seen = [f"the list has {len(names)} lines"]
    seen += ["a line is there twice"] if _repeated(names) else []
    seen += ["some are not names of suitable candidates"] if listed - truth.on_paper else []
    seen += ["somebody is missing"] if truth.suitable - listed else []
    gone = (truth.on_paper - truth.suitable) & listed
    seen += ["somebody on it is no longer available"] if gone else []
    return "; ".join(seen)
