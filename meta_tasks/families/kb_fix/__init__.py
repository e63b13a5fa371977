"""Outdated links in the knowledge base: only a chart's owner knows its new id.

Told: the articles, the names of the corrected copies, that owners are asked. Hidden: for
each owner and article, what became of the owner's charts there. Nothing on the drive has it.
Owners may be away; then their deputy knows, whom only the owner's mailbox names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, JsonValue

from trainee_bench.meta_tasks.families.kb_fix.data import (
    FOLDER,
    KbFixSize,
    OwnerAnswer,
    draw_articles,
    draw_link_owners,
    draw_old_ids,
    draw_owners,
    owner_answers,
    possible_owners,
)
from trainee_bench.meta_tasks.families.kb_fix.deputies import (
    absence_candidates,
    away_events,
    find_deputies,
)
from trainee_bench.meta_tasks.families.kb_fix.library import (
    CHART_ID,
    Article,
    ChartLink,
    insert_links,
)
from trainee_bench.meta_tasks.families.kb_fix.oracle import correct_articles
from trainee_bench.meta_tasks.meta_task import (
    CheckFunction,
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
)
from trainee_bench.meta_tasks.task_context import TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person

ARTICLE_PROCESS_WEIGHT = 0.25
"""Weight of having been told, beside 1 for the corrected article: a fifth of the task."""


class KbFixDifficulty(StrEnum):
    """How much there is to correct."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class OwnerAvailability(StrEnum):
    """How the owners of charts can be asked."""

    PRESENT = "present"
    """Each article's charts have one owner, who is there."""
    AWAY = "away"
    """The owner is away, and a deputy knows."""
    SPLIT = "split"
    """Each article's charts have several owners."""


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
"""As many articles as above; each has two links at least, and two owners."""


@dataclass(frozen=True)
class GradedArticle:
    """One article as it is graded: where the copy is handed in, the text before and as it
    should be, and the names of the clues it needs."""

    path: str
    before: str
    after: str
    clues: tuple[str, ...]


@dataclass(frozen=True)
class KbFixTruth:
    """All articles of the task, in the order in which it names them."""

    copies: tuple[GradedArticle, ...]


class _PublishedKbParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    difficulty: KbFixDifficulty


class PublishedKbFix(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_params: _PublishedKbParameters


class KbFix(MetaTask[KbFixTruth]):
    """Articles with links to charts whose ids have changed."""

    family: ClassVar[str] = "kb_fix"
    domain: ClassVar[Domain] = Domain.INQUIRY
    published_name: ClassVar[str] = "KB Link Fix"

    difficulty: KbFixDifficulty
    owners: OwnerAvailability = OwnerAvailability.PRESENT

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One per difficulty, for each way to reach the owners."""
        made = [
            cls(difficulty=difficulty, owners=owners)
            for owners in OwnerAvailability
            for difficulty in KbFixDifficulty
        ]
        easy = KbFixDifficulty.EASY
        return tuple(
            Rule(one.rule_id, Difficulty.EASY if one.difficulty is easy else Difficulty.HARD, one)
            for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``kb_fix.easy`` or ``kb_fix.away.hard``."""
        knobs = [self.family, self.owners, self.difficulty]
        return ".".join(knob for knob in knobs if knob is not OwnerAvailability.PRESENT)

    @property
    def size(self) -> KbFixSize:
        """How much there is to correct, and whose it is."""
        return (SPLIT_SIZES if self.owners is OwnerAvailability.SPLIT else SIZES)[self.difficulty]

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> KbFix:
        """The difficulty that an entry of the original's files names. Raises ValueError."""
        return cls(difficulty=PublishedKbFix.model_validate(arguments).task_params.difficulty)

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[KbFixTruth]:
        """Articles with outdated links on the drive, and people who know the new ids."""
        away = self.owners is OwnerAvailability.AWAY
        people = absence_candidates(context) if away else possible_owners(context)
        owners = draw_owners(context, self.size, people)
        deputies = find_deputies(context, [*dict.fromkeys(owners)]) if away else {}
        copies: list[GradedArticle] = []
        clues: list[Clue] = []
        events = [*away_events(context, deputies)]
        pairs: list[str] = []
        for number, (article, links) in enumerate(self._linked(context, owners), start=1):
            source = context.reserve_path(f"{FOLDER}/{article.stem}.md")
            target = context.reserve_path(f"workspace:/{article.stem}_fixed.md")
            text = insert_links(
                context.stream(f"places {number}"), article.text, links, context.company.domain
            )
            answers = owner_answers(context, number, source, links, deputies)
            copies.append(_copy(target, text, answers))
            clues += [told.clue for told in answers]
            events.append(PlannedEvent(FileAppears(path=source, text=text)))
            pairs.append(f"- {source} -> {target}")
        return TaskInstance(
            title="Outdated chart links in the knowledge base",
            objective=_objective(pairs, away),
            truth=KbFixTruth(tuple(copies)),
            hints=_HINTS_AWAY if away else _HINTS,
            clues=tuple(clues),
            events=tuple(events),
            deliverable_paths=tuple(copy.path for copy in copies),
            requester=context.employee.manager or "",
        )

    def _linked(
        self, context: TaskContext, owners: Sequence[Person]
    ) -> Iterator[tuple[Article, list[ChartLink]]]:
        """The task's articles, each with its links: outdated ones, and perhaps a current one."""
        size, draws = self.size, context.stream("links")
        ids = draw_old_ids(context, size.articles * size.most_links)
        articles = draw_articles(context, size)
        for number, (article, owner) in enumerate(zip(articles, owners, strict=True), start=1):
            titles = draws.sample(article.charts, len(article.charts))
            count = draws.randint(size.least_links, size.most_links)
            whose = [owner] * count
            if self.owners is OwnerAvailability.SPLIT:
                whose = draw_link_owners(context, size, number, count)
            links = [
                ChartLink(next(ids), titles[place], its.id, its.name)
                for place, its in enumerate(whose)
            ]
            if draws.random() < 0.5:
                # No old chart became this one: new ids begin with 2 to 9 (see `owners_answers`).
                corrected = f"NEW{draws.randrange(100_000, 200_000)}"
                other = draws.choice(possible_owners(context))
                decoy = ChartLink(corrected, titles[count], other.id, other.name)
                links.insert(draws.randint(0, count), decoy)
            yield article, links

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Ask each owner and correct the copies."""
        await correct_articles(client)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """For each article: its corrected copy, and that its owners were asked."""
        count = self.size.articles
        pairs = [(_corrected(place), _told(place)) for place in range(count)]
        return tuple(mark for pair in pairs for mark in pair)


# what is told ---------------------------------------------------------------------------


def _objective(pairs: Sequence[str], away: bool) -> str:
    copies = "this article" if len(pairs) == 1 else "each of these articles"
    stands_in = ", or whoever stands in for them today," if away else ""
    opening = (
        "The chart service was moved, and links to charts in the knowledge base are outdated. "
        f"Hand in a corrected copy of {copies}:"
    )
    rest = (
        "In every link whose chart has an old id (OLD and six digits), put the chart's new id "
        "(NEW and six digits) in its place. Leave everything else exactly as it is. Links that "
        f"have a NEW id already are right. Only the owner named beside a link{stands_in} knows the "
        "new id of that chart: ask them in the chat, quoting the id or the article's file. Do not "
        "change the articles on the drive. drive:/kb/keeping_articles_current.md says more."
    )
    return "\n".join([opening, *pairs, rest])


def _copy(path: str, text: str, answers: Sequence[OwnerAnswer]) -> GradedArticle:
    """The article as it is graded: all ids replaced that the owners' answers replace."""
    new_ids = {old: new for told in answers for old, new in told.new_ids.items()}
    after = CHART_ID.sub(lambda found: new_ids.get(found.group(), found.group()), text)
    return GradedArticle(path, text, after, tuple(told.name for told in answers))


_HINTS = Hints(
    strategy="The new ids are written down nowhere; each is in the head of the chart's owner. Find "
    "out first which ids are outdated and whose they are, then ask.",
    where="Owners are named at the end of each chart line in the articles. Reach them by name in "
    "the chat; their answers come as messages a few minutes later.",
    how="Read each article with files_read. Send each owner one message per article with "
    "chat_send_message, quoting an old id of theirs. Copy the article into your workspace with "
    "files_copy under the name the task gives, and exchange the ids with files_edit.",
)

_HINTS_AWAY = replace(
    _HINTS,
    where="Owners are named at the end of each chart line in the articles. Write to them in the "
    "chat: somebody who is away has an automatic reply that says who stands in for them.",
    how=f"{_HINTS.how} Where only a mailbox answers, ask the colleague whom it names, quoting the "
    "same old id.",
)


# how it is graded -----------------------------------------------------------------------


def _normalize(text: str) -> str:
    """The text without regard to the kind of line ends and to blank lines at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")


def _corrected(place: int) -> Checkpoint:
    def check(family: KbFix, grading: GradingContext[KbFixTruth]) -> Verdict:
        copy = grading.truth.copies[place]
        given = grading.text(copy.path)
        if given is None:
            return Verdict(False, f"there is no text file {copy.path}")
        right = _normalize(given) == _normalize(copy.after)
        return Verdict(right, f"{copy.path} {_difference(_normalize(given), copy, right)}")

    return _mark(
        name=f"corrected_{place + 1}",
        sentence=f"Article {place + 1} has the new chart ids and is otherwise as before",
        weight=1,
        where="In the chart lines of the article, and in what their owners told you.",
        how="Start again from the article on the drive, replace each old id by the one its owner "
        "gave for it, and change nothing else.",
        check=check,
    )


def _difference(given: str, copy: GradedArticle, right: bool) -> str:
    before = _normalize(copy.before)
    if right:
        return "is as it should be"
    if not given.strip():
        return "is empty"
    if given == before:
        return "is an unchanged copy of the article"
    if CHART_ID.sub("#", given) != CHART_ID.sub("#", before):
        return "differs from the article in more than the ids of charts"
    if any(chart.startswith("OLD") for chart in CHART_ID.findall(given)):
        return "still has old ids"
    return "has an id that is not the chart's"


def _told(place: int) -> Checkpoint:
    def check(family: KbFix, grading: GradingContext[KbFixTruth]) -> Verdict:
        clues = grading.truth.copies[place].clues
        told = sum(grading.clue_released_at(clue) is not None for clue in clues)
        return Verdict(
            told == len(clues), f"{told} of {len(clues)} owners of charts in it have told you"
        )

    return replace(
        _mark(
            name=f"told_{place + 1}",
            sentence=f"The owners of the charts in article {place + 1} have told the new ids",
            weight=ARTICLE_PROCESS_WEIGHT,
            where="The owners' names stand beside the links; the chat has your conversations.",
            how="Send the owner a message that quotes the chart's old id, wait a few minutes, and "
            "read the answer. If they ask back, answer them.",
            check=check,
        ),
        only_with=f"corrected_{place + 1}",
    )


def _mark(
    *, name: str, sentence: str, weight: float, where: str, how: str, check: CheckFunction
) -> Checkpoint:
    return Checkpoint(name, sentence, weight, None, where, how, forbidden=False, check=check)
