"""Texts of the link task: the objective, and the new ids that chart owners tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    Converter,
    HiddenFact,
    TaskContext,
    TextTemplate,
    one_of,
    separated,
)
from trainee_bench.meta_tasks.families.kb_fix.data import NEW_ID, OLD_ID, ChartLink
from trainee_bench.world.colleagues.knowledge import Clue

# the objective ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ArticleCopy:
    """An article on the drive, and the path of its corrected copy."""

    article: str
    copy: str


@dataclass(frozen=True)
class ArticleBrief:
    """Contents of the objective; *away* means that the owners have deputies today."""

    copies: tuple[ArticleCopy, ...]
    away: bool

    @property
    def articles(self) -> str:
        """The noun phrase for the articles in the text."""
        return "this article" if len(self.copies) == 1 else "each of these articles"


_COPY = TextTemplate(ArticleCopy, "- {article} -> {copy}", {"article": PATH, "copy": PATH})
BACKGROUND = ("The chart service has moved, and links to charts",)
"""Sentences that only explain why the task exists."""
OBJECTIVE_RULES = (
    "Hand in a corrected copy of",
    "In every link, replace an old chart id (OLD and six digits) with the chart's new id",
    "Leave everything else exactly as it is.",
    "Links that already have a NEW id are correct.",
    "knows the chart's new id: ask them in the chat, quoting the old id",
    "Do not change the articles on the drive.",
)
"""Sentences of the objective that honest work relies on."""
OBJECTIVE = TextTemplate(
    ArticleBrief,
    "The chart service has moved, and links to charts in the knowledge base are outdated. "
    "Hand in a corrected copy of {articles}:\n"
    "{copies}\n"
    "In every link, replace an old chart id (OLD and six digits) with the chart's new id "
    "(NEW and six digits). Leave everything else exactly as it is. Links that already have a "
    "NEW id are correct. Only the owner named beside a link{away} knows the chart's new id: ask "
    "them in the chat, quoting the old id or the article's file name. Do not change the articles "
    "on the drive. drive:/kb/keeping_articles_current.md says more.",
    {
        "copies": separated(_COPY.converter(), "\n"),
        "away": one_of({False: "", True: ", or the colleague standing in for them today,"}),
    },
)

# the hidden facts -------------------------------------------------------------------------


@dataclass(frozen=True)
class NewId:
    """A chart's old and new id."""

    old: str
    new: str


@dataclass(frozen=True)
class ChartsTold:
    """New ids of charts in an article's file; *whose* is "My", or "Ada Quist's" for a deputy."""

    whose: str
    file: str
    ids: tuple[NewId, ...]

    @property
    def noun(self) -> str:
        """The noun for the charts: one or several."""
        return "chart" if len(self.ids) == 1 else "charts"

    @property
    def new_ids(self) -> Mapping[str, str]:
        """New ids by old ids."""
        return {id.old: id.new for id in self.ids}


_NEW_ID = TextTemplate(NewId, "{old} is now {new}", {"old": OLD_ID, "new": NEW_ID})
CHARTS_TOLD = TextTemplate(
    ChartsTold,
    "{whose} {noun} in {file}: {ids}.",
    {
        "noun": Converter("charts?", str),
        "whose": Converter(f"(?:My|{FULL_NAME.pattern}'s)", str),
        "file": WORD,
        "ids": separated(_NEW_ID.converter(), "; "),
    },
)
CHARTS = HiddenFact(
    name="charts_{number}_{place}",
    questions=(
        "What is the new id of chart {first}?",
        "Which chart replaces {last}?",
        "How are the old ids {every} mapped to the new ones?",
        "The link to chart {last} is dead. What is the current id?",
        "I am fixing the links in the knowledge base. What is the new id for {first}?",
        "What are the new ids of {whose} charts in {file}?",
        "Which ids do the old charts of the {article} article have now?",
        "I am updating the article {article}: could you tell me what replaces {first}?",
        "What number does {first} have now?",
        "What is {first} called since the chart service has moved?",
        "What do I have to put instead of {first}?",
        "Under which ids are {whose} diagrams in {file} found today?",
        "What are the current numbers of {whose} graphs in {file}?",
        "What became of {every}?",
    ),
    answer=CHARTS_TOLD,
)


def owner_clues(
    context: TaskContext,
    number: int,
    file: str,
    links: Sequence[ChartLink],
    deputies: Mapping[str, str],
) -> Iterator[tuple[str, Clue, ChartsTold]]:
    """Yield the name, the clue and the told ids for each owner of outdated *links*.

    The links are in the article *file*, which is article *number* of the task. *deputies* maps ids
    of absent owners to ids of their deputies, who tell the ids instead.
    """
    outdated = [link for link in links if link.outdated]
    owners = {link.owner_id: link.owner for link in outdated}
    for place, (owner, name) in enumerate(owners.items(), start=1):
        old = [link.chart for link in outdated if link.owner_id == owner]
        away = owner in deputies
        about = {
            "number": str(number),
            "place": str(place),
            "first": old[0],
            "last": old[-1],
            "every": " and ".join(old),
            "whose": f"{name}'s" if away else "your",
            "file": file,
            "article": file.removesuffix(".md").replace("_", " "),
        }
        secret = context.secret_stream(CHARTS.clue_name(about))
        new = secret.sample(range(200_000, 1_000_000), len(old))
        ids = tuple(NewId(chart, f"NEW{id}") for chart, id in zip(old, new, strict=True))
        told = ChartsTold(f"{name}'s" if away else "My", file, ids)
        holder = context.company.person(deputies.get(owner, owner))
        clue = CHARTS.clue(context, holder, told, about, keys=(*old, file))
        yield CHARTS.clue_name(about), clue, told
