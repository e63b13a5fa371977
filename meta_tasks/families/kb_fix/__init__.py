"""Outdated links in the knowledge base: only a chart's owner knows its new id.

Told: the articles, the names of the corrected copies, and that only owners know the new ids.
Hidden: the new ids of each owner's charts in each article. No file has them.
If owners are away, their deputies know the ids, and only an automatic reply names the deputy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar

from trainee_bench.meta_tasks.absences import present_employees
from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    Domain,
    FoundResult,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    PublishedEntry,
    Rule,
    SceneFeature,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    rules_of,
    were_told,
)
from trainee_bench.meta_tasks.families.kb_fix import data, work
from trainee_bench.meta_tasks.families.kb_fix.brief import (
    BACKGROUND,
    OBJECTIVE,
    ArticleBrief,
    ArticleCopy,
    owner_clues,
)
from trainee_bench.meta_tasks.families.kb_fix.data import KbFixSize
from trainee_bench.meta_tasks.families.kb_fix.deliverables import GradedArticle, KbFixTruth
from trainee_bench.meta_tasks.families.kb_fix.work import with_new_ids
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue

ARTICLE_PROCESS_WEIGHT = 0.25
"""Weight of having been told. A corrected article has weight 1, so this is a fifth of the task."""


class KbFixDifficulty(StrEnum):
    """The number of articles, links and owners."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class OwnerAvailability(StrEnum):
    """The people who know the new ids of an article's charts."""

    PRESENT = "present"
    """One owner, who is present."""
    AWAY = "away"
    """One owner, who is away and has a deputy who knows the ids."""
    SPLIT = "split"
    """Several owners, all present."""


SIZES: Mapping[KbFixDifficulty, KbFixSize] = {
    KbFixDifficulty.EASY: KbFixSize(1, 1, 2, owners=1),
    KbFixDifficulty.MEDIUM: KbFixSize(3, 1, 3, owners=2),
    KbFixDifficulty.HARD: KbFixSize(5, 2, 5, owners=3),
}
SPLIT_SIZES: Mapping[KbFixDifficulty, KbFixSize] = {
    KbFixDifficulty.EASY: KbFixSize(1, 2, 3, owners=2),
    KbFixDifficulty.MEDIUM: KbFixSize(3, 2, 3, owners=4),
    KbFixDifficulty.HARD: KbFixSize(5, 2, 5, owners=6),
}
"""Sizes with the same numbers of articles, each with at least two links and two owners."""


class PublishedKbFix(PublishedEntry):
    """Arguments of a published entry."""

    task_params: dict[str, KbFixDifficulty]

    def parameters(self) -> Mapping[str, object]:
        """Return the difficulty."""
        return self.task_params


class KbFix(MetaTask[KbFixTruth]):
    """Fix the links in articles to charts whose ids have changed."""

    family = "kb_fix"
    domain = Domain.INQUIRY
    features = frozenset(
        {SceneFeature.HELD_FACT, SceneFeature.OFFICE_FACT, SceneFeature.REPEATABLE}
    )
    published_name = "KB Link Fix"
    published_entry = PublishedKbFix

    # parameters ---------------------------------------------------------------------------

    difficulty: KbFixDifficulty
    owners: OwnerAvailability = OwnerAvailability.PRESENT

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return one rule for each difficulty and availability of the owners."""
        made = (
            cls(difficulty=difficulty, owners=owners)
            for owners in OwnerAvailability
            for difficulty in KbFixDifficulty
        )
        return rules_of(made, hard=lambda rule: rule.difficulty is not KbFixDifficulty.EASY)

    @property
    def rule_id(self) -> str:
        """An id such as ``kb_fix.easy`` or ``kb_fix.away.hard``."""
        parts = [self.family, self.owners, self.difficulty]
        return ".".join(part for part in parts if part is not OwnerAvailability.PRESENT)

    @property
    def size(self) -> KbFixSize:
        """The number of articles, links and owners."""
        return (SPLIT_SIZES if self.owners is OwnerAvailability.SPLIT else SIZES)[self.difficulty]

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[KbFixTruth]:
        """Put articles with outdated links on the drive; owners or deputies know the new ids."""
        away = self.owners is OwnerAvailability.AWAY
        split = self.owners is OwnerAvailability.SPLIT
        people = data.absence_candidates(context) if away else present_employees(context)
        owners = data.draw_owners(context, self.size, people)
        absences = data.send_away(context, [*dict.fromkeys(owners)]) if away else []
        deputies = {absence.person: absence.deputy for absence in absences}
        morning = context.day.starts
        events = [PlannedEvent(absence, morning, known_before=True) for absence in absences]
        told, graded, clues = list[ArticleCopy](), list[GradedArticle](), list[Clue]()
        drawn = data.draw_linked_articles(context, self.size, owners, split)
        for number, (article, links) in enumerate(drawn, start=1):
            source = context.reserve_path(f"{data.FOLDER}/{article.stem}.md")
            target = context.reserve_path(f"workspace:/{article.stem}_fixed.md")
            before = data.insert_links(context.stream(f"places {number}"), article.text, links)
            after, names = before, list[str]()
            file = source.rpartition("/")[2]
            for name, clue, charts in owner_clues(context, number, file, links, deputies):
                after = with_new_ids(after, charts.new_ids)
                names.append(name)
                clues.append(clue)
            graded.append(GradedArticle(target, before, after, tuple(names)))
            events.append(PlannedEvent(FileAppears(path=source, text=before)))
            told.append(ArticleCopy(source, target))
        return TaskInstance(
            ToldPart(
                title="Outdated chart links in the knowledge base",
                objective=OBJECTIVE.render(ArticleBrief(tuple(told), away)),
                hints=HINTS_AWAY if away else HINTS,
                requester=context.employee.manager or "",
                deliverable_paths=tuple(copy.path for copy in graded),
            ),
            HiddenPart(clues=tuple(clues), events=tuple(events)),
            GradedPart(truth=KbFixTruth(tuple(graded)), background=BACKGROUND),
        )

    # checkpoints ----------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return two checkpoints for each article: its copy, and that its owners told the ids."""
        places = range(self.size.articles)
        return tuple(mark for place in places for mark in (_corrected(place), _told(place)))

    # honest work ----------------------------------------------------------------------------

    shortcut: ClassVar[Shortcut] = staticmethod(work.rename_ids)
    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)


# grading --------------------------------------------------------------------------------------


def _corrected(place: int) -> Checkpoint:
    def check(family: KbFix, grading: GradingContext[KbFixTruth]) -> Verdict:
        copy = grading.truth.copies[place]
        given = grading.text(copy.path)
        there = given is not None and copy.is_result(given)
        grading.results[copy.path] = FoundResult(there, frozenset(copy.clues))
        if given is None:
            return Verdict(False, f"there is no text file {copy.path}")
        flaw = copy.flaw(given)
        return Verdict(not flaw, f"{copy.path} {flaw or 'is correct'}")

    return Checkpoint(
        name=f"corrected_{place + 1}",
        sentence=f"Article {place + 1} has the new chart ids and is otherwise unchanged",
        weight=1,
        only_with=None,
        where="The article's chart lines, and the answers of the chart owners.",
        how="Start again from the article on the drive, replace each old id with the new id that "
        "its owner gave you, and change nothing else.",
        forbidden=False,
        check=check,
        only_after=f"told_{place + 1}",
    )


def _told(place: int) -> Checkpoint:
    def check(family: KbFix, grading: GradingContext[KbFixTruth]) -> Verdict:
        clues = grading.truth.copies[place].clues
        return were_told(grading, clues, "chart owners have told you")

    return Checkpoint(
        name=f"told_{place + 1}",
        sentence=f"The owners of the charts in article {place + 1} have told you the new ids",
        weight=ARTICLE_PROCESS_WEIGHT,
        only_with=f"corrected_{place + 1}",
        where="The owners' names are beside the links; your conversations are in the chat.",
        how="Send the owner a message that quotes the chart's old id, wait a few minutes, and "
        "read the answer. If they ask something in return, answer them.",
        forbidden=False,
        check=check,
    )


# hints ----------------------------------------------------------------------------------------

HINTS = Hints(
    strategy="The new ids are not written down anywhere; only a chart's owner knows its new id. "
    "First find out which ids are outdated and who owns those charts, then ask.",
    where="Each chart line in the articles ends with its owner's name. Write to owners by name in "
    "the chat; their answers arrive as messages a few minutes later.",
    how="Read each article with files_read. For each article, send each owner one message with "
    "chat_send_message, quoting one of their old ids. Copy the article into your workspace with "
    "files_copy under the name that the task gives, and replace the ids with files_edit.",
)
HINTS_AWAY = replace(
    HINTS,
    where="Each chart line in the articles ends with its owner's name. Write to owners in the "
    "chat: for those who are away, an automatic reply says who is standing in for them.",
    how=f"{HINTS.how} If you get only an automatic reply, ask the colleague it names, quoting the "
    "same old id.",
)
