"""Random draws for the link task: articles, links, chart owners, absences and deputies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from random import Random

from trainee_bench.meta_tasks.absences import free_to_leave, mark_absent, present_employees
from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    CompositionError,
    Converter,
    TaskContext,
    TextTemplate,
)
from trainee_bench.meta_tasks.authoring.holders import SELDOM_NEEDED
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.company.people import Person

FOLDER = "drive:/kb/articles"
OLD_ID: Converter[str] = Converter(r"OLD\d{6}", str)
NEW_ID: Converter[str] = Converter(r"NEW\d{6}", str)
CHART_ID = re.compile(rf"\b(?:{OLD_ID.pattern}|{NEW_ID.pattern})\b")
_PACKAGE = files("trainee_bench.meta_tasks.families.kb_fix")
_ENOUGH_OWNERS = 6
_DAYS_AWAY = (1, 2, 5, 6)
_LONGEST_ABSENCE = timedelta(days=max(_DAYS_AWAY), hours=1)
_NOTES = ("I am on leave.", "I am at a trade fair and do not read messages.", "I am on a course.")


# articles and links ---------------------------------------------------------------------


@dataclass(frozen=True)
class Article:
    """An article without charts: the stem of its file, and titles of charts that fit it."""

    stem: str
    charts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text, without links."""
        return (_PACKAGE / "articles" / f"{self.stem}.md").read_text(encoding="utf-8")


ARTICLES = tuple(
    Article(stem, tuple(titles))
    for stem, titles in json.loads((_PACKAGE / "chart_titles.json").read_text("utf-8")).items()
)


@dataclass(frozen=True)
class ChartLink:
    """A link to a chart in an article, which shows the owner's name but not ``owner_id``."""

    chart: str
    title: str
    owner: str
    domain: str
    owner_id: str = ""

    @property
    def outdated(self) -> bool:
        """Whether the link has an old id."""
        return self.chart.startswith("OLD")


CHART_LINE = TextTemplate(
    ChartLink,
    "Chart: [{title}](https://charts.{domain}/view/{chart}), owner: {owner}",
    {"chart": Converter(CHART_ID.pattern, str), "owner": FULL_NAME},
)
"""The line of an article with a link to a chart."""


def insert_links(draws: Random, text: str, links: Sequence[ChartLink]) -> str:
    """Insert a paragraph for each link at drawn places of *text*, keeping the order of links."""
    blocks = text.rstrip("\n").split("\n\n")
    places = sorted(draws.sample(insertion_points(blocks), len(links)))
    lines = {place: CHART_LINE.render(link) for place, link in zip(places, links, strict=True)}
    inserted: list[str] = []
    for place, block in enumerate(blocks):
        inserted += [block, lines[place]] if place in lines else [block]
    return "\n\n".join(inserted) + "\n"


def insertion_points(blocks: Sequence[str]) -> list[int]:
    """Return the positions of blocks that a chart may follow.

    Headings and blocks that end with a colon are excluded.
    """
    return [
        number
        for number, block in enumerate(blocks)
        if not block.startswith("#") and not block.endswith(":")
    ]


# owners and deputies ----------------------------------------------------------------------


def absence_candidates(context: TaskContext) -> list[Person]:
    """Return people who can own charts and be absent without affecting much else of the day.

    Deputies and managers are excluded. In a small company, anybody else qualifies.
    """
    people = [
        person
        for person in free_to_leave(
            context, present_employees(context), context.day.starts + _LONGEST_ABSENCE
        )
        if not person.is_manager and _deputy_claim(person) not in context.reservations.claims
    ]
    seldom = [person for person in people if person.department in SELDOM_NEEDED]
    return seldom if len(seldom) >= _ENOUGH_OWNERS else people


def draw_owners(context: TaskContext, size: KbFixSize, people: Sequence[Person]) -> list[Person]:
    """Draw an owner from *people* for each article; each owner gets at least one article.

    Raises CompositionError if there are too few people.
    """
    if len(people) < size.owners:
        raise CompositionError(
            f"{context.task} needs {size.owners} colleagues who can own charts, but there are "
            f"{len(people)}; use a larger company"
        )
    owners = context.pick("owners", people, size.owners)
    draws = context.stream("ownership")
    more = [draws.choice(owners) for _ in range(size.articles - len(owners))]
    return draws.sample([*owners, *more], size.articles)


def send_away(context: TaskContext, owners: Sequence[Person]) -> list[AbsenceBegins]:
    """Make the *owners* absent today, as the directory shows, each with a different deputy.

    A deputy is from the owner's department if possible. Raises CompositionError if there are too
    few people.
    """
    for owner in owners:
        mark_absent(context, owner)
    draws, lengths = context.stream("deputies"), context.stream("absences")
    deputies, found = list[Person](), list[AbsenceBegins]()
    for owner in owners:
        free = [person for person in present_employees(context) if person not in deputies]
        near = [person for person in free if person.department == owner.department]
        if not free:
            raise CompositionError(f"{context.task} has no deputy for {owner.name}")
        deputies.append(draws.choice(near or free))
        context.reservations.claims.setdefault(_deputy_claim(deputies[-1]), context.task)
        until = context.day.starts + timedelta(days=lengths.choice(_DAYS_AWAY), hours=1)
        note = lengths.choice(_NOTES)
        found.append(AbsenceBegins(person=owner.id, until=until, note=note, deputy=deputies[-1].id))
    return found


def _deputy_claim(person: Person) -> str:
    return f"{person.id} is a deputy"


# drawing --------------------------------------------------------------------------------


@dataclass(frozen=True)
class KbFixSize:
    """Number of articles, range of outdated links in each, and number of owners in all."""

    articles: int
    least_links: int
    most_links: int
    owners: int


def draw_linked_articles(
    context: TaskContext, size: KbFixSize, owners: Sequence[Person], split: bool
) -> Iterator[tuple[Article, list[ChartLink]]]:
    """Yield the task's articles, each with its outdated links and perhaps a current one.

    *owners* has one owner for each article. If *split*, an article's links have several owners.
    """
    draws = context.stream("links")
    ids = _draw_old_ids(context)
    articles = zip(_draw_articles(context, size), owners, strict=True)
    for number, (article, owner) in enumerate(articles, start=1):
        titles = draws.sample(article.charts, len(article.charts))
        count = draws.randint(size.least_links, size.most_links)
        whose = _draw_link_owners(context, size, number, count) if split else [owner] * count
        links = [
            _link(context, next(ids), titles[place], person) for place, person in enumerate(whose)
        ]
        if draws.random() < 0.5:
            # New ids of old charts begin with 2 to 9 (see `owner_clues`), so this is none of them.
            current = f"NEW{draws.randrange(100_000, 200_000)}"
            current_owner = draws.choice(present_employees(context))
            extra = _link(context, current, titles[count], current_owner)
            links.insert(draws.randint(0, count), extra)
        yield article, links


def _link(context: TaskContext, chart: str, title: str, owner: Person) -> ChartLink:
    return ChartLink(chart, title, owner.name, context.company.domain, owner.id)


def _draw_articles(context: TaskContext, size: KbFixSize) -> list[Article]:
    """Draw articles, preferring those that no other task of the day uses."""
    drawn = context.stream("articles").sample(ARTICLES, len(ARTICLES))
    taken = context.reservations.files
    drawn.sort(key=lambda article: f"{FOLDER}/{article.stem}.md" in taken)
    return drawn[: size.articles]


def _draw_link_owners(
    context: TaskContext, size: KbFixSize, number: int, links: int
) -> list[Person]:
    """Draw an owner for each of the *links* of article *number*, two or three owners in all."""
    owners = context.pick("owners", present_employees(context), size.owners)
    draws = context.stream(f"owners of article {number}")
    few = draws.sample(owners, min(len(owners), draws.randint(2, 3)))
    some = few[:2] + draws.choices(few, k=links - 2)
    return draws.sample(some, links)


def _draw_old_ids(context: TaskContext) -> Iterator[str]:
    """Yield old ids that no other chart of the day has."""
    draws, claims = context.stream("old ids"), context.reservations.claims
    while True:
        chart = f"OLD{draws.randrange(100_000, 1_000_000)}"
        if chart not in claims:
            claims[chart] = context.task
            yield chart
