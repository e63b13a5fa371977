"""Advertising in a city: the channels that reach most people of a group within a budget.

Told: city, group, budget, where list, maps and handbook lie. In pictures: how densely the group
lives. Hidden: the audience fit of the types of channels, which one colleague knows and
everybody refers to. It changes which selection is the best.

    list + map of the group + handbook's formula + fit ──► exposures ──► best selection
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, JsonValue, field_validator

from trainee_bench.meta_tasks.deliverable import InvalidDeliverable
from trainee_bench.meta_tasks.families.ads_strategy.audience_fit import ChannelOptions
from trainee_bench.meta_tasks.families.ads_strategy.campaign import (
    CAMPAIGN_SIZES,
    CampaignDifficulty,
    ChannelMix,
    City,
    TargetGroup,
)
from trainee_bench.meta_tasks.families.ads_strategy.channels import channels_csv, draw_channels
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import (
    NEAR_BEST_SHARE,
    CampaignPlan,
    CampaignTruth,
)
from trainee_bench.meta_tasks.families.ads_strategy.density import DensityLevels, draw_density
from trainee_bench.meta_tasks.families.ads_strategy.oracle import plan_campaign
from trainee_bench.meta_tasks.families.ads_strategy.prompts import (
    DEPARTMENT,
    FIT_CLUE,
    FOLDER,
    HANDBOOK,
    HINTS,
    draw_fit_holder,
    fit_clue,
    handbook,
    handbook_referral,
    holder_referral,
    objective,
)
from trainee_bench.meta_tasks.families.ads_strategy.remaining_budget import (
    calculate_remaining_budget,
    deduction_phrase,
)
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
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    Modality,
    OutputType,
    TaskContext,
)
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.transaction import Event


class _PublishedAdsParameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    city: City
    difficulty: CampaignDifficulty

    @field_validator("difficulty", mode="before")
    @classmethod
    def _with_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given


class PublishedAdsStrategy(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_params: _PublishedAdsParameters


class AdsStrategy(MetaTask[CampaignTruth]):
    """A campaign whose channels are to be chosen."""

    family: ClassVar[str] = "ads_strategy"
    domain: ClassVar[Domain] = Domain.STRATEGY
    input_type: ClassVar[OutputType | None] = OutputType.AMOUNT
    published_name: ClassVar[str] = "ADs Strategy Plan"

    mix: ChannelMix
    difficulty: CampaignDifficulty
    city: City | None = None
    group: TargetGroup | None = None

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each mix of channels and difficulty, all of them hard."""
        made = [
            cls(mix=mix, difficulty=level) for mix, level in product(ChannelMix, CampaignDifficulty)
        ]
        return tuple(Rule(one.rule_id, Difficulty.HARD, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``ads_strategy.balanced.very_easy``."""
        return f"{self.family}.{self.mix}.{self.difficulty}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> AdsStrategy:
        """City and difficulty as an entry of the original's files names them; its mix of
        channels is always the balanced one. Raises ValueError."""
        entry = PublishedAdsStrategy.model_validate(arguments).task_params
        return cls(mix=ChannelMix.BALANCED, difficulty=entry.difficulty, city=entry.city)

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[CampaignTruth]:
        """A list of channels and three maps on the drive, and a colleague who knows the fit."""
        size, city = CAMPAIGN_SIZES[self.difficulty], self._city(context)
        group = self.group or context.stream("group").choice(list(TargetGroup))
        levels, choices = self._drawn(context, group)
        left = calculate_remaining_budget(context, size.budget)
        if left != size.budget:  # drawn without it: channels must not show another task's result
            choices = choices.with_budget(left)
            if not choices.fits_can_matter():
                raise CompositionError(
                    f"the fit does not matter with what is left of the budget of {context.task}; use "
                    "another seed"
                )
        fits = choices.draw_fits(context.secret_stream(FIT_CLUE))
        paths: dict[TargetGroup | str, str] = {
            "channels": context.reserve_path(f"{FOLDER}/channels.csv"),
            "plan": context.reserve_path(f"workspace:/ads_strategy_plan_{city}.json"),
        }
        events: list[Event] = [
            FileAppears(path=paths["channels"], text=channels_csv(choices.channels)),
        ]
        for of in TargetGroup:
            event = _density_event(context, city, of, levels[of])
            paths[of] = event.path
            events.append(event)
        if context.reservations.files.setdefault(HANDBOOK, context.task) == context.task:
            text = handbook(context.modality)
            events += [FileAppears(path=HANDBOOK, text=text), handbook_referral()]
        holder = draw_fit_holder(context)
        events.append(holder_referral(holder, city))
        exposures = choices.exposures(fits)
        return TaskInstance(
            title=f"Advertising campaign in {city}",
            objective=objective(
                city, group, f"{size.budget}{deduction_phrase(context)}", paths, context.modality
            ),
            truth=CampaignTruth(
                path=paths["plan"],
                budget=choices.budget,
                costs={channel.id: channel.cost for channel in choices.channels},
                exposures={
                    channel.id: exposure
                    for channel, exposure in zip(choices.channels, exposures, strict=True)
                },
                best=choices.highest(fits),
            ),
            hints=HINTS,
            clues=(fit_clue(context, holder, city, fits),),
            events=tuple(map(PlannedEvent, events)),
            deliverable_paths=(paths["plan"],),
            requester=context.company.department(DEPARTMENT).managers[0].id,
        )

    def _city(self, context: TaskContext) -> City:
        """The city, in which no other campaign of the day runs."""
        taken = context.reservations.claims
        free = [city for city in City if _campaign_claim(city) not in taken] or list(City)
        city = self.city or context.stream("city").choice(free)
        context.claim(_campaign_claim(city))
        return city

    def _drawn(
        self, context: TaskContext, group: TargetGroup
    ) -> tuple[dict[TargetGroup, DensityLevels], ChannelOptions]:
        """Maps, and channels among which the fit of a group's campaign decides."""
        size, maps, channels = (
            CAMPAIGN_SIZES[self.difficulty],
            context.stream("maps"),
            context.stream("channels"),
        )
        while True:
            levels = {of: draw_density(maps, size.grid, size.hot_spots) for of in TargetGroup}
            others = [levels[of] for of in TargetGroup if of is not group]
            drawn = draw_channels(channels, size, self.mix)
            choices = ChannelOptions(drawn, levels[group], others, size.budget)
            if choices.fits_can_matter():
                return levels, choices

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Look, ask, calculate, choose."""
        await plan_campaign(client)

    # what is graded ---------------------------------------------------------------------

    @checkpoint(
        "The selected channels reach the highest exposure within the budget, and their total cost "
        "and total exposure are right",
        weight=3,
        where="The exposure of every channel, also of those that are not selected, and what of the "
        "budget is left.",
        how="Try all selections with a program, or exchange selected channels for others until "
        "nothing within the budget reaches more.",
    )
    def best(self, grading: GradingContext[CampaignTruth]) -> Verdict:
        """The whole plan; of equally good ones each."""
        return _reaches_share(grading, 1)

    @checkpoint(
        "The selected channels cost no more than the budget, come within 2 % of the highest "
        "exposure, and their total cost and total exposure are right",
        where="The densities in the map of the target group at the channels' cells, the formula in "
        "the handbook, and what the colleague said who has set the audience fit.",
        how="Work out the exposure of each selected channel again, from its base_effect, the "
        "density in its cell and the fit of its type, and add them up; add up the costs as well.",
    )
    def nearly_best(self, grading: GradingContext[CampaignTruth]) -> Verdict:
        """A plan that is hardly worse than the best."""
        return _reaches_share(grading, NEAR_BEST_SHARE)

    @checkpoint(
        "The audience fit was told by the colleague who has set it",
        only_with="best",
        where="The department that the task names; any colleague knows who has set the fit.",
        how="Ask somebody there who has set the audience fit for the campaign, naming the city, "
        "and then ask that person for it.",
    )
    def told(self, grading: GradingContext[CampaignTruth]) -> Verdict:
        """Whether the clue was released, whatever the employee wrote themself."""
        when = grading.clue_released_at(FIT_CLUE)
        said = "nobody has told it" if when is None else f"it was told at {when:%H:%M}"
        return Verdict(when is not None, said)


def _campaign_claim(city: City) -> str:
    return f"the campaign in {city}"


def _density_event(
    context: TaskContext, city: City, group: TargetGroup, levels: DensityLevels
) -> FileAppears | PictureAppears:
    """How densely a group lives, as a picture or, for those who cannot see, as a table."""
    stem = f"{FOLDER}/target_user_density_{group}"
    if context.modality is Modality.PICTURES:
        title = f"{city}: density of {group.words}"
        return PictureAppears(
            path=context.reserve_path(f"{stem}.png"), drawing=DensityMap(title=title, levels=levels)
        )
    lines = [f"{i},{j},{level}\n" for j, row in enumerate(levels) for i, level in enumerate(row)]
    return FileAppears(
        path=context.reserve_path(f"{stem}.csv"), text="grid_i,grid_j,density\n" + "".join(lines)
    )


def _reaches_share(grading: GradingContext[CampaignTruth], share: float) -> Verdict:
    """Whether the plan is sound and reaches this share of the best."""
    right = grading.truth
    plan = grading.read_deliverable(right.path, CampaignPlan)
    if isinstance(plan, InvalidDeliverable):
        return Verdict(False, plan.seen)
    flaw = right.flaw(plan)
    if flaw:
        return Verdict(False, flaw)
    if right.reached(plan) < share * right.best:
        return Verdict(False, "another selection within the budget reaches more")
    return Verdict(
        True,
        "no selection within the budget reaches more"
        if share == 1
        else "hardly any selection within the budget reaches more",
    )
