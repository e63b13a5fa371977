"""Whose charts are linked in which article, and what their owners tell about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.absences import without_absent
from trainee_bench.meta_tasks.families.kb_fix.library import ARTICLES, Article, ChartLink
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.org_chart import EXECUTIVE
from trainee_bench.world.company.people import Person

FOLDER = "drive:/kb/articles"


@dataclass(frozen=True)
class KbFixSize:
    """How many articles, outdated links in each (least and most), and owners in all."""

    articles: int
    least_links: int
    most_links: int
    owners: int


def possible_owners(context: TaskContext) -> list[Person]:
    """Those who may own charts: everybody at work but the executives."""
    people = (person for person in context.company.people if person.department != EXECUTIVE)
    return without_absent(context, people)


def draw_articles(context: TaskContext, size: KbFixSize) -> list[Article]:
    """Drawn articles, those first that no other task of the day has."""
    drawn = context.stream("articles").sample(ARTICLES, len(ARTICLES))
    taken = context.reservations.files
    drawn.sort(key=lambda article: f"{FOLDER}/{article.stem}.md" in taken)
    return drawn[: size.articles]


def draw_owners(context: TaskContext, size: KbFixSize, people: Sequence[Person]) -> list[Person]:
    """The owner of each article's charts, of *people*; each of the task's owners has at least
    one article. Raises CompositionError if there are too few."""
    if len(people) < size.owners:
        raise CompositionError(
            f"{context.task} needs {size.owners} colleagues who may own charts and finds "
            f"{len(people)}; take a larger company"
        )
    owners = context.pick("owners", people, size.owners)
    draws = context.stream("ownership")
    more = [draws.choice(owners) for _ in range(size.articles - len(owners))]
    return draws.sample([*owners, *more], size.articles)


def draw_link_owners(
    context: TaskContext, size: KbFixSize, number: int, links: int
) -> list[Person]:
    """Whose each of the *links* of article *number* is: of two or three of the task's owners."""
    owners = context.pick("owners", possible_owners(context), size.owners)
    draws = context.stream(f"owners of article {number}")
    few = draws.sample(owners, min(len(owners), draws.randint(2, 3)))
    some = few[:2] + draws.choices(few, k=links - 2)
    return draws.sample(some, links)


def draw_old_ids(context: TaskContext, count: int) -> Iterator[str]:
    """Old ids that no other chart of the day has."""
    draws = context.stream("old ids")
    found: list[str] = []
    while len(found) < count:
        chart = f"OLD{draws.randrange(100_000, 1_000_000)}"
        if (
            chart not in found
            and context.reservations.claims.setdefault(chart, context.task) == context.task
        ):
            found.append(chart)
    return iter(found)


@dataclass(frozen=True)
class OwnerAnswer:
    """What one owner tells about one article: the clue, its name, and old ids to new ones."""

    clue: Clue
    name: str
    new_ids: Mapping[str, str]


def owner_answers(
    context: TaskContext,
    number: int,
    path: str,
    links: Sequence[ChartLink],
    deputies: Mapping[str, Person],
) -> tuple[OwnerAnswer, ...]:
    """What each owner of outdated links in the article at *path*, the task's *number*, tells,
    or, where there is one of *deputies* (by owner's id), they in the owner's place."""
    file, answers = path.rpartition("/")[2], []
    names = {link.owner: link.owner_name for link in links}
    owners = dict.fromkeys(link.owner for link in links if link.outdated)
    for place, owner in enumerate(owners, start=1):
        name = f"charts_{number}_{place}"
        old = [link.chart for link in links if link.outdated and link.owner == owner]
        drawn = context.secret_stream(name).sample(range(200_000, 1_000_000), len(old))
        new_ids = {chart: f"NEW{id}" for chart, id in zip(old, drawn, strict=True)}
        told = "; ".join(f"{chart} is now {new}" for chart, new in new_ids.items())
        deputy = deputies.get(owner)
        theirs = f"{names[owner]}'s"
        clue = Clue(
            id=context.clue_id(name),
            holder=deputy.id if deputy else owner,
            asks=_asks(file, old, theirs if deputy else "your"),
            keys=(*old, file),
            payload=f"{theirs if deputy else 'My'} charts in {file}: {told}.",
        )
        answers.append(OwnerAnswer(clue, name, new_ids))
    return tuple(answers)


def _asks(file: str, old: Sequence[str], whose: str) -> tuple[str, ...]:
    first, last, every = old[0], old[-1], " and ".join(old)
    article = file.removesuffix(".md").replace("_", " ")
    return (
        f"What is the new id of chart {first}?",
        f"Which chart replaces {last}?",
        f"How are the old ids {every} mapped to the new ones?",
        f"The link to chart {last} is dead. What is the current id?",
        f"I am fixing the links in the knowledge base. What is the new id for {first}?",
        f"What are the new ids of {whose} charts in {file}?",
        f"Which ids do the old charts of the {article} article have now?",
        f"I am updating the article {article}: could you tell me what replaces {first}?",
    )
