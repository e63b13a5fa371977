"""Advertising in a city: choose channels with the highest exposure within a budget.

Told: city, target group, budget, and the paths of the channel list, the maps and the handbook. The
maps show how densely the group lives. Hidden: the audience fit of each channel type. One colleague
knows it, and every colleague can name that person. The fit decides which selection is best.

    list + map of the group + handbook's formula + fit ──► exposures ──► best selection
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import ClassVar

from pydantic import AliasChoices, BaseModel, Field, field_validator

from trainee_bench.meta_tasks.authoring import (
    CompositionError,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    Modality,
    OutputType,
    PlannedEvent,
    PublishedEntry,
    Rule,
    TaskContext,
    TaskInstance,
    ToldPart,
    Verdict,
    checkpoint,
    head_of,
    pick_free,
    rules_of,
    was_told,
)
from trainee_bench.meta_tasks.families.ads_strategy import work
from trainee_bench.meta_tasks.families.ads_strategy.brief import (
    DENSITY_WORDS,
    DEPARTMENT,
    FIT,
    FOLDER,
    HANDBOOK,
    OBJECTIVE,
    AudienceFit,
    CampaignBrief,
    Deduction,
    holder_referral,
)
from trainee_bench.meta_tasks.families.ads_strategy.data import (
    ChannelOptions,
    draw_channels,
    draw_density,
)
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import (
    NEAR_BEST_SHARE,
    CampaignPlan,
    CampaignTruth,
)
from trainee_bench.meta_tasks.families.ads_strategy.subject import (
    CAMPAIGN_SIZES,
    CHANNELS,
    DENSITIES,
    GROUP_WORDS,
    CampaignDifficulty,
    ChannelMix,
    City,
    DensityCell,
    DensityLevels,
    Fits,
    TargetGroup,
    left_of,
)
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.meta_tasks.scene_features import FACT_WORK
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.pictures.density_map import DensityMap

MIN_REMAINING_SHARE = 0.5
"""Minimum share of the budget that another task's deduction must leave."""
HINTS = Hints(
    strategy="Collect everything the formula needs, and calculate the exposure of every channel "
    "before you choose. The rest is a knapsack problem: the most exposure within the budget. Ask "
    "early for what is not written down.",
    where="The handbook in the folder that the task names has the formula. The target group's map, "
    "and no other group's, shows the density in a channel's cell. One colleague in Marketing knows "
    "the audience fit; any colleague can tell you who.",
    how="Read the handbook and the channel list with files_read, and view the target group's map "
    "with files_view_image (or read the table). Ask with chat_send_message who has set the "
    "audience fit for the city, then ask that person. Calculate every exposure with "
    "sheets_calculate. Start with the channels that give the most exposure for their cost. Then "
    "swap one or two of them for others until no swap within the budget reaches more. A program "
    "that tries all selections is certain to find the best. Add up the cost and the exposure of "
    "your selection, and write the JSON file with files_write.",
)


class _PublishedParameters(BaseModel, frozen=True, extra="forbid"):
    city: City
    difficulty: CampaignDifficulty
    mix: ChannelMix = Field(
        default=ChannelMix.BALANCED, validation_alias=AliasChoices("mix", "channel_mix")
    )

    @field_validator("city", mode="before")
    @classmethod
    def _letters(cls, given: object) -> object:
        """Match a city by its letters alone: "Xi'an" is XiAn."""
        if not isinstance(given, str):
            return given
        letters = "".join(filter(str.isalpha, given)).casefold()
        return next((city for city in City if city.casefold() == letters), given)

    @field_validator("difficulty", mode="before")
    @classmethod
    def _without_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given


class PublishedAdsStrategy(PublishedEntry):
    """Arguments of a published entry. Without a channel mix, the mix is balanced."""

    task_params: _PublishedParameters

    def parameters(self) -> Mapping[str, object]:
        """Return city, difficulty and mix."""
        return dict(self.task_params)


class AdsStrategy(MetaTask[CampaignTruth]):
    """Choose the channels of an advertising campaign."""

    family = "ads_strategy"
    domain = Domain.STRATEGY
    features = FACT_WORK
    input_type = OutputType.AMOUNT
    published_name = "ADs Strategy Plan"
    published_entry = PublishedAdsStrategy

    mix: ChannelMix
    difficulty: CampaignDifficulty
    city: City | None = None
    group: TargetGroup | None = None

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return one rule for each channel mix and difficulty, all hard."""
        pairs = product(ChannelMix, CampaignDifficulty)
        made = (cls(mix=mix, difficulty=difficulty) for mix, difficulty in pairs)
        return rules_of(made, hard=lambda rule: True)

    @property
    def rule_id(self) -> str:
        """An id such as ``ads_strategy.balanced.very_easy``."""
        return f"{self.family}.{self.mix}.{self.difficulty}"

    # the task instance ----------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[CampaignTruth]:
        """Put a channel list and three maps on the drive; one colleague knows the fit."""
        size, city = CAMPAIGN_SIZES[self.difficulty], self._city(context)
        group = self.group or context.stream("group").choice(list(TargetGroup))
        levels, drawn = context.drawn_alike(
            "options", group, lambda: self._draw_options(context, group)
        )
        options = _with_reduced_budget(context, drawn)
        fits = options.draw_fits(context.secret_stream(FIT.name))
        channels = context.reserve_path(f"{FOLDER}/channels.csv")
        plan = context.reserve_path(f"workspace:/ads_strategy_plan_{city}.json")
        maps = context.drawn_once(
            "maps", lambda: [_map(context, city, each, levels[each]) for each in TargetGroup]
        )
        given = context.task_input
        brief = CampaignBrief(
            city=city,
            group=group,
            budget=size.budget,
            deduction=Deduction(given.words, given.path, given.task) if given else None,
            channels=channels,
            modality=context.modality,
            maps={each: shown.path for each, shown in zip(TargetGroup, maps, strict=True)},
            plan=plan,
        )
        handbook = HANDBOOK.events(context, {"{{density}}": DENSITY_WORDS[context.modality]})
        marketing = context.company.staff(DEPARTMENT)
        holder = pick_free(context, "who set the fit", marketing, "an audience fit set")
        return TaskInstance(
            ToldPart(
                title=f"Advertising campaign in {city}",
                objective=OBJECTIVE.render(brief),
                hints=HINTS,
                requester=head_of(context.company, DEPARTMENT).id,
                deliverable_paths=(plan,),
            ),
            HiddenPart(
                clues=(
                    FIT.clue(context, holder, AudienceFit(city, fits), {"city": city}, (city,)),
                ),
                events=(
                    PlannedEvent(
                        FileAppears(path=channels, text=CHANNELS.render(options.channels))
                    ),
                    *map(PlannedEvent, maps),
                    *handbook,
                    PlannedEvent(holder_referral(holder, city)),
                ),
            ),
            GradedPart(
                truth=_truth(plan, options, fits),
                right_text=f"{options.highest(fits) / 100:.2f}",
                background=tuple(
                    shown.path
                    for each, shown in zip(TargetGroup, maps, strict=True)
                    if each is not group
                ),
            ),
        )

    def _city(self, context: TaskContext) -> City:
        """Draw a city, if possible one without another campaign.

        Raises CompositionError if the city is taken, and the scenario has no copies.
        """
        taken = context.reservations.claims
        free = [city for city in City if f"the campaign in {city}" not in taken] or list(City)
        city = self.city or context.stream("city").choice(free)
        if not context.copies:
            context.claim(f"the campaign in {city}")
        context.claim_if_free(f"the campaign in {city}")
        return city

    def _draw_options(
        self, context: TaskContext, group: TargetGroup
    ) -> tuple[dict[TargetGroup, DensityLevels], ChannelOptions]:
        """Draw maps and channels until the audience fit can change the best selection."""
        size = CAMPAIGN_SIZES[self.difficulty]
        maps, channels = context.stream("maps"), context.stream("channels")
        while True:
            levels = {each: draw_density(maps, size.grid, size.hot_spots) for each in TargetGroup}
            others = [levels[each] for each in TargetGroup if each is not group]
            drawn = draw_channels(channels, size, self.mix)
            options = ChannelOptions(drawn, levels[group], others, size.budget)
            if options.fits_can_matter():
                return levels, options

    # checkpoints ------------------------------------------------------------------------

    @checkpoint(
        "The selected channels reach the highest exposure within the budget, and their total cost "
        "and total exposure are right",
        weight=3,
        only_after="told",
        where="The exposure of every channel, including those you did not select, and the unused "
        "part of the budget.",
        how="Try all selections with a program, or exchange selected channels for others until no "
        "exchange within the budget reaches more.",
    )
    def best(self, grading: GradingContext[CampaignTruth]) -> Verdict:
        """Check that the plan is one of the best."""
        return _reaches_share(grading, 1)

    @checkpoint(
        "The selected channels cost no more than the budget and reach at least 98 % of the highest "
        "exposure, and their total cost and total exposure are right",
        only_after="told",
        where="The densities of the channels' cells in the target group's map, the formula in the "
        "handbook, and the audience fit that the colleague told you.",
        how="Calculate the exposure of each selected channel again from its base_effect, the "
        "density in its cell and the fit of its type, and add up exposures and costs.",
    )
    def nearly_best(self, grading: GradingContext[CampaignTruth]) -> Verdict:
        """Check that the plan is almost as good as the best."""
        return _reaches_share(grading, NEAR_BEST_SHARE)

    @checkpoint(
        "The colleague who has set the audience fit told you what it is",
        only_with="best",
        where="The department that the task names; any colleague can tell you who has set the fit.",
        how="Ask somebody there who has set the audience fit for the campaign, and name the city. "
        "Then ask that person for it.",
    )
    def told(self, grading: GradingContext[CampaignTruth]) -> Verdict:
        """Check that the fit was told, independently of the deliverable."""
        return was_told(grading, FIT.name, yes="it was told at {at:%H:%M}", no="nobody has told it")

    # honest work ----------------------------------------------------------------------------

    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)
    shortcut: ClassVar[Shortcut] = staticmethod(work.plan_with_equal_fits)


# staging -------------------------------------------------------------------------------------


def _with_reduced_budget(context: TaskContext, options: ChannelOptions) -> ChannelOptions:
    """Reduce the budget by the amount that another task spends.

    The options are drawn before this, so that the channels do not reveal the other task's result.
    Raises CompositionError if the rest is too small or the fit no longer matters.
    """
    given = context.task_input
    if given is None:
        return options
    left = left_of(options.budget, given.cents)
    if left < MIN_REMAINING_SHARE * options.budget:
        raise CompositionError(
            f"{given.task} leaves {context.task} too little of its budget; use another seed"
        )
    reduced = options.with_budget(left)
    if not reduced.fits_can_matter():
        raise CompositionError(
            f"the fit does not matter with what is left of the budget of {context.task}; use "
            "another seed"
        )
    return reduced


def _truth(path: str, options: ChannelOptions, fits: Fits) -> CampaignTruth:
    """Return the grading data for the plan at *path*, given the *fits*."""
    ids = [channel.id for channel in options.channels]
    return CampaignTruth(
        path=path,
        budget=options.budget,
        costs={channel.id: channel.cost for channel in options.channels},
        exposures=dict(zip(ids, options.exposures(fits), strict=True)),
        best=options.highest(fits),
    )


def _map(
    context: TaskContext, city: City, group: TargetGroup, levels: DensityLevels
) -> FileAppears | PictureAppears:
    """Return a group's density map as a picture or, for text-only agents, as a table."""
    stem = f"{FOLDER}/target_user_density_{group}"
    if context.modality is Modality.PICTURES:
        drawing = DensityMap(title=f"{city}: density of {GROUP_WORDS[group]}", levels=levels)
        return PictureAppears(path=context.reserve_path(f"{stem}.png"), drawing=drawing)
    cells = (
        DensityCell(i, j, level) for j, row in enumerate(levels) for i, level in enumerate(row)
    )
    return FileAppears(path=context.reserve_path(f"{stem}.csv"), text=DENSITIES.render(cells))


# grading --------------------------------------------------------------------------------------


def _reaches_share(grading: GradingContext[CampaignTruth], share: float) -> Verdict:
    """Check that the plan has no flaw and reaches at least *share* of the best exposure."""
    right = grading.truth
    plan = grading.read(right.path, CampaignPlan)
    flaw = right.flaw(plan)
    if flaw:
        return Verdict(False, flaw)
    if right.reached(plan) < share * right.best:
        return Verdict(False, "another selection within the budget reaches more")
    few = "no" if share == 1 else "hardly any"
    return Verdict(True, f"{few} selection within the budget reaches more")
