"""Résumés: find the applicants who are suitable for a position and still available.

Told: the requirements and the folder. Hidden: the applicants who have withdrawn or accepted another
offer. Only the recruiter knows them. They include some, but never all, of the applicants who are
suitable on paper. They also include others, so that the answer does not reveal who is suitable.

    résumés meeting every requirement − no longer available ──► names, one per line
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from trainee_bench.meta_tasks.authoring import (
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    pick_free,
    rules_of,
    was_told,
)
from trainee_bench.meta_tasks.families.resume_select import work
from trainee_bench.meta_tasks.families.resume_select.brief import (
    HINTS,
    OBJECTIVE,
    REASONS,
    UNAVAILABLE,
    Gone,
    ResumeSelectBrief,
    Unavailable,
    draw_abouts,
    ways_to_name,
    write_resume,
)
from trainee_bench.meta_tasks.families.resume_select.data import (
    Degree,
    JobPosition,
    Major,
    RequiredSkill,
    Requirement,
    draw_pool,
    unmet_criteria,
)
from trainee_bench.meta_tasks.families.resume_select.deliverables import (
    ResumeSelectTruth,
    differences_of,
    keys_of,
    names_in,
)
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.meta_tasks.scene_features import FACT_WORK
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.company.people import Person
from trainee_bench.world.company.person_names import draw_names

FOLDER = "drive:/human_resources/resumes"
PoolSize = Literal[6, 9, 12]
MAX_UNSUITABLE = 4
"""Maximum number of unsuitable candidates who are no longer available."""


class PublishedResumeSelect(PublishedEntry):
    """Arguments of a published entry; ``requirement`` is degree, major, years and skills."""

    requirement: tuple[tuple[Degree], tuple[Major], tuple[str], tuple[RequiredSkill, ...]]
    position: tuple[JobPosition]
    number_of_resumes: PoolSize

    def parameters(self) -> Mapping[str, object]:
        """Return the parameters, each taken out of its list."""
        (degree,), (major,), (span,), skills = self.requirement
        return {
            "pool": self.number_of_resumes,
            "position": self.position[0],
            "degree": degree,
            "major": major,
            "years": int(span.removesuffix("s").removesuffix(" year")),
            "skills": skills,
        }


class ResumeSelect(MetaTask[ResumeSelectTruth]):
    """Find the applicants who meet all requirements and are still available."""

    family = "resume_select"
    domain = Domain.INFORMATION
    features = FACT_WORK
    published_name = "Resume Select"
    published_entry = PublishedResumeSelect

    # parameters ---------------------------------------------------------------------------

    pool: PoolSize
    position: JobPosition | None = None
    degree: Degree | None = None
    major: Major | None = None
    years: Literal[1, 3, 5] | None = None
    skills: tuple[RequiredSkill, ...] | None = Field(default=None, min_length=1, max_length=3)

    @model_validator(mode="after")
    def _check_requirement(self) -> Self:
        if self.degree is Degree.ASSOCIATE:
            raise ValueError("the required degree must have another degree below it")
        if self.skills and len(set(self.skills)) < len(self.skills):
            raise ValueError("a skill is named twice")
        return self

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return one rule for each size of the pool."""
        sizes: tuple[PoolSize, ...] = (6, 9, 12)
        return rules_of((cls(pool=size) for size in sizes), hard=lambda rule: rule.pool == 12)

    @property
    def rule_id(self) -> str:
        """An id such as ``resume_select.pool9``."""
        return f"{self.family}.pool{self.pool}"

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[ResumeSelectTruth]:
        """Put résumés on the drive; a recruiter knows who is no longer available."""
        wanted = self._requirement(context)
        pool = draw_pool(context.stream("pool"), wanted, _applicants(context, self.pool))
        folder = context.reserve_path(FOLDER)  # a folder of its own, even beside another task's
        texts, events = context.stream("texts"), []
        abouts = draw_abouts(context, len(pool))
        for candidate, sentences in zip(pool, abouts, strict=True):
            path = context.reserve_path(f"{folder}/{_file_stem(candidate.name)}.md")
            text = write_resume(texts, candidate, sentences)
            events.append(PlannedEvent(FileAppears(path=path, text=text)))
        on_paper = frozenset(
            candidate.name for candidate in pool if not unmet_criteria(candidate, wanted)
        )
        secret = context.secret_stream(UNAVAILABLE.name)
        out = sorted(secret.sample(sorted(on_paper), secret.randint(1, len(on_paper) - 1)))
        others = [p.name for p in pool if p.position is wanted.position and p.name not in on_paper]
        # open draws for all: the reason given for a person stays when the list is corrected
        draws = context.stream("reasons")
        reasons = {candidate.name: draws.choice(REASONS) for candidate in pool}
        gone = tuple(
            Gone(name, reasons[name])
            for name in sorted([*out, *_unsuitable(secret, others, len(out))])
        )
        recruiter = _recruiter(context)
        told, about = Unavailable(wanted.position, gone), {"position": wanted.position}
        clue = UNAVAILABLE.clue(context, recruiter, told, about, keys=(wanted.position,))
        by_title, by_name = ways_to_name(recruiter)
        named = by_name if len(context.company.staff("HR", recruiter.title)) > 1 else by_title
        output = context.reserve_path("workspace:/suitable_candidates.txt")
        left = on_paper.difference(out)
        return TaskInstance(
            ToldPart(
                title=f"Candidates for the position of {wanted.position}",
                objective=OBJECTIVE.render(
                    ResumeSelectBrief(self.pool, folder, wanted, named, output)
                ),
                hints=HINTS,
                requester=context.employee.manager or "",
                deliverable_paths=(output,),
            ),
            HiddenPart(clues=(clue,), events=tuple(events)),
            GradedPart(
                truth=ResumeSelectTruth(
                    output, frozenset(c.name for c in pool), on_paper, suitable=left
                ),
                right_text="\n".join(sorted(left)),
                background=tuple(
                    f"{_file_stem(candidate.name)}.md"
                    for candidate in pool
                    if candidate.name not in left
                ),
            ),
        )

    def _requirement(self, context: TaskContext) -> Requirement:
        """Draw the parts of the requirement that are not fixed.

        A position that no other task of the day uses is preferred, because questions to the
        recruiter name the position.
        """
        claims = context.reservations.claims
        free = [each for each in JobPosition if f"candidates for {each}" not in claims]
        position = self.position or context.stream("position").choice(free or list(JobPosition))
        claims.setdefault(f"candidates for {position}", context.task)
        draws = context.stream("requirement")
        degree, major = draws.choice(list(Degree)[1:]), draws.choice(list(Major))
        years = draws.choice((1, 3, 5))
        skills = draws.sample(list(RequiredSkill), draws.randint(1, 3))
        return Requirement(
            position=position,
            degree=self.degree or degree,
            major=self.major or major,
            years=self.years or years,
            skills=self.skills or tuple(skills),
        )

    # checkpoints ----------------------------------------------------------------------------

    @checkpoint(
        "The list has every suitable candidate and nobody who fails the requirements",
        only_after="told",
        where="The résumés in the folder that the task names, and the list of requirements.",
        how="Make a table of all candidates with position, highest degree and its subject, total "
        "years, and skills; strike out everyone who falls short in any column.",
    )
    def requirements_met(self, grading: GradingContext[ResumeSelectTruth]) -> Verdict:
        """Check the names by the résumés; unavailable candidates may be listed or not."""
        names, truth = names_in(grading), grading.truth
        listed = set(names)
        right = len(listed) == len(names)
        right = right and keys_of(truth.suitable) <= listed <= keys_of(truth.on_paper)
        return Verdict(right, differences_of(names, truth))

    @checkpoint(
        "The list has exactly the suitable candidates who are still available",
        only_after="told",
        where="The résumés, and the answer of the colleague in HR whom the task names.",
        how="From the candidates who meet all requirements, leave out those who are no longer "
        "available; write the names of the others one per line, as in the headings.",
    )
    def suitable_listed(self, grading: GradingContext[ResumeSelectTruth]) -> Verdict:
        """Check that the names are exactly the right ones."""
        names, truth = names_in(grading), grading.truth
        return Verdict(
            sorted(names) == sorted(keys_of(truth.suitable)), differences_of(names, truth)
        )

    @checkpoint(
        "The colleague in HR has told you who is no longer available",
        weight=0.4,
        only_with="suitable_listed",
        where="The chat with the colleague in HR whom the task names.",
        how="Ask which candidates are no longer available, naming the position, and wait a few "
        "minutes for the answer. If they reply with a question, answer it.",
    )
    def told(self, grading: GradingContext[ResumeSelectTruth]) -> Verdict:
        """Check that the answer was told, independently of the deliverable."""
        return was_told(grading, UNAVAILABLE.name)

    # honest work ----------------------------------------------------------------------------

    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)
    shortcut: ClassVar[Shortcut] = staticmethod(work.list_suitable_on_paper)


def _applicants(context: TaskContext, count: int) -> tuple[str, ...]:
    """Draw the names of *count* applicants, who are nobody's here. Where tasks may be alike, nobody
    applies for two of them."""
    staff = (*context.company.people, context.employee)
    taken = [part for person in staff for part in person.name.split()]
    draws = context.stream("names")
    while True:
        names = draw_names(draws, count, taken=taken)
        if not context.copies or all(context.claim_if_free(f"{name} applies") for name in names):
            return names


def _recruiter(context: TaskContext) -> Person:
    """Return the colleague in HR who knows who is still available."""
    company = context.company
    recruiters = company.staff("HR", "Recruiter") or company.staff("HR")[-1:]
    if context.copies:
        return pick_free(context, "recruiter", recruiters, "applications kept")
    return recruiters[0]


def _unsuitable(secret: Random, others: Sequence[str], least: int) -> list[str]:
    """Draw unavailable candidates among *others*, who are unsuitable.

    There are at least *least* of them if possible, as many as suitable ones, so that being on the
    list does not reveal who is suitable.
    """
    most = min(len(others), MAX_UNSUITABLE)
    return secret.sample(sorted(others), secret.randint(min(least, most), most))


def _file_stem(name: str) -> str:
    return f"{name.replace(' ', '_')}_resume"
