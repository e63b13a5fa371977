"""Solvers for the campaign task.

The honest one reads the files and the map, asks for the audience fit and optimises. The shortcut
assumes that all channel types fit equally.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.ads_strategy.brief import (
    DEPARTMENT,
    FIT,
    FORMULA,
    HANDBOOK,
    OBJECTIVE,
    OBJECTIVE_RULES,
    AudienceFit,
    CampaignBrief,
)
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import CampaignPlan
from trainee_bench.meta_tasks.families.ads_strategy.subject import (
    CHANNELS,
    Channel,
    ChannelType,
    City,
    DensityLevels,
    Fits,
    best_selection,
    left_of,
    levels_in,
)
from trainee_bench.meta_tasks.vision.density_map import read_density_map
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn, ResultOf
from trainee_bench.meta_tasks.work.asking import FactQuestion
from trainee_bench.meta_tasks.work.need import All, Need, Work
from trainee_bench.meta_tasks.work.reading import FileText, Page, TaskBrief
from trainee_bench.meta_tasks.work.referring import ToldBySomebody, WhoKnows
from trainee_bench.meta_tasks.work.sources import ViewedPicture


@dataclass(frozen=True)
class FitsInCity(FactQuestion[AudienceFit]):
    """The audience fit of each type of channel for the campaign in a city."""

    def read(self, text: str) -> Mapping[str, AudienceFit]:
        """Return the fits in *text* by subject, for any city."""
        told = self.fact.answer.search(text)
        return {f"{self.name} {told.city}": told} if told else {}


@dataclass(frozen=True)
class Densities(Need[DensityLevels]):
    """A group's densities from its map or table."""

    path: str
    task: str

    async def satisfy(self, work: Work) -> DensityLevels:
        """View the map or read the table."""
        if self.path.endswith(".csv"):
            return levels_in(await work(FileText(self.path, self.task)))
        picture = await work(ViewedPicture(self.path))
        return read_density_map(picture)


async def honest_work(work: Work, task: str) -> None:
    """Read files and map while colleagues answer, then calculate, choose and hand in."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES))
    fits, given = _fits(task, brief.city), brief.deduction
    read = (Page(HANDBOOK.path, (FORMULA,)), FileText(brief.channels, task))
    paid = (ResultOf(given.path, given.task),) if given else ()
    told, levels, texts = await work.three(
        fits, Densities(brief.maps[brief.group], task), All[str]((*read, *paid))
    )
    _, channels, *results = texts
    cents = sum(round(100 * float(json.loads(result)["total_cost"])) for result in results)
    (subject,) = fits.question.subjects
    plan = _plan(brief, CHANNELS.parse(channels), levels, told[subject].fits, cents)
    await work(HandedIn(task, (FileHas(brief.plan, plan.model_dump_json(indent=2)),)))


def _fits(task: str, city: City) -> ToldBySomebody[AudienceFit]:
    """Ask who has set the fits, then ask that person for them."""
    matter = f"set the audience fit for the campaign in {city}."
    words = f"Who has set the audience fit for the campaign in {city}?"
    who = WhoKnows(words, others=f" in {DEPARTMENT} has {matter}", own=f"I have {matter}")
    question = FitsInCity(FIT.name, FIT, (("city", city),))
    return ToldBySomebody(task, DEPARTMENT, who, question)


def _plan(
    brief: CampaignBrief,
    channels: Sequence[Channel],
    levels: DensityLevels,
    fits: Fits,
    cents: int,
) -> CampaignPlan:
    """Return the best plan for the budget that is left after *cents*."""
    exposures = [channel.exposure(levels, fits) for channel in channels]
    costs = [channel.cost for channel in channels]
    chosen = best_selection(costs, exposures, left_of(brief.budget, cents))
    return CampaignPlan(
        selected_channels=[channels[at].id for at in chosen],
        total_cost=sum(costs[at] for at in chosen),
        total_exposure=sum(exposures[at] for at in chosen) / 100,
    )


async def plan_with_equal_fits(client: ToolClient) -> None:
    """Hand in a plan without asking anybody, assuming that all channel types fit equally."""
    brief = await read_brief(client, OBJECTIVE)
    levels = await _read_map(client, brief.maps[brief.group])
    channels = CHANNELS.parse(await read_text(client, brief.channels))
    fits = dict.fromkeys(ChannelType, 10)
    await hand_in(client, brief.plan, _plan(brief, channels, levels, fits, 0))


async def _read_map(client: ToolClient, path: str) -> DensityLevels:
    """Return the densities from a picture or a table."""
    if path.endswith(".csv"):
        return levels_in(await read_text(client, path))
    picture = (await client.call("files_view_image", path=path)).picture
    if picture is None:
        raise LookupError(f"{path} was not shown")
    return read_density_map(picture)
