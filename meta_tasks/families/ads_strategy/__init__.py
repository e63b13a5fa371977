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

from meta_tasks.deliverable import Flaw
from meta_tasks.families.ads_strategy.campaign import SIZES, City, Difficulty, Group, Mix
from meta_tasks.families.ads_strategy.channels import as_csv, draw_channels
from meta_tasks.families.ads_strategy.density import Levels, draw_levels
from meta_tasks.families.ads_strategy.fits import Choices
from meta_tasks.families.ads_strategy.oracle import plan_campaign
from meta_tasks.families.ads_strategy.plan import NEAR, Plan, Right
from meta_tasks.families.ads_strategy.spent import budget_left, less_spent
from meta_tasks.families.ads_strategy.telling import (
    CLUE,
    DEPARTMENT,
    FOLDER,
    HANDBOOK,
    HINTS,
    draw_holder,
    fit_clue,
    handbook,
    handbook_known,
    holder_known,
    objective,
)
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Domain,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Verdict,
    checkpoint,
)
from meta_tasks.stage import CompositionError, Modality, Port, Stage
from world.apps.files import FileAppears, PictureAppears
from world.event import Event
from world.pictures.density_map import DensityMap


class _Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    city: City
    difficulty: Difficulty

    @field_validator("difficulty", mode="before")
    @classmethod
    def _with_blanks(cls, given: object) -> object:
        return given.replace(" ", "_") if isinstance(given, str) else given


class _Published(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_params: _Parameters


class AdsStrategy(MetaTask[Right]):
    """A campaign whose channels are to be chosen."""

    family: ClassVar[str] = "ads_strategy"
    domain: ClassVar[Domain] = Domain.STRATEGY
    takes: ClassVar[Port | None] = Port.AMOUNT
    published_name: ClassVar[str] = "ADs Strategy Plan"

    mix: Mix
    difficulty: Difficulty
    city: City | None = None
    group: Group | None = None

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """One for each mix of channels and difficulty, all of them hard."""
        made = [cls(mix=mix, difficulty=level) for mix, level in product(Mix, Difficulty)]
        return tuple(Rule(one.rule_id, Label.HARD, one) for one in made)

    @property
    def rule_id(self) -> str:
        """Such as ``ads_strategy.balanced.very_easy``."""
        return f"{self.family}.{self.mix}.{self.difficulty}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> AdsStrategy:
        """City and difficulty as an entry of the original's files names them; its mix of
        channels is always the balanced one. Raises ValueError."""
        entry = _Published.model_validate(arguments).task_params
        return cls(mix=Mix.BALANCED, difficulty=entry.difficulty, city=entry.city)

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Right]:
        """A list of channels and three maps on the drive, and a colleague who knows the fit."""
        size, city = SIZES[self.difficulty], self._city(stage)
        group = self.group or stage.stream("group").choice(list(Group))
        levels, choices = self._drawn(stage, group)
        left = budget_left(stage, size.budget)
        if left != size.budget:  # drawn without it: channels must not show another task's result
            choices = choices.with_budget(left)
            if not choices.can_matter():
                raise CompositionError(
                    f"the fit does not matter with what is left of the budget of {stage.task}; use "
                    "another seed"
                )
        fits = choices.draw_fits(stage.secret(CLUE))
        paths: dict[Group | str, str] = {
            "channels": stage.file(f"{FOLDER}/channels.csv"),
            "plan": stage.file(f"workspace:/ads_strategy_plan_{city}.json"),
        }
        events: list[Event] = [
            FileAppears(path=paths["channels"], text=as_csv(choices.channels)),
        ]
        for of in Group:
            event = _shown(stage, city, of, levels[of])
            paths[of] = event.path
            events.append(event)
        if stage.commons.files.setdefault(HANDBOOK, stage.task) == stage.task:
            text = handbook(stage.modality)
            events += [FileAppears(path=HANDBOOK, text=text), handbook_known()]
        holder = draw_holder(stage)
        events.append(holder_known(holder, city))
        exposures = choices.exposures(fits)
        return Scene(
            title=f"Advertising campaign in {city}",
            objective=objective(
                city, group, f"{size.budget}{less_spent(stage)}", paths, stage.modality
            ),
            truth=Right(
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
            clues=(fit_clue(stage, holder, city, fits),),
            events=tuple(map(Planned, events)),
            outputs=(paths["plan"],),
            requester=stage.company.department(DEPARTMENT).managers[0].id,
        )

    def _city(self, stage: Stage) -> City:
        """The city, in which no other campaign of the day runs."""
        taken = stage.commons.claims
        free = [city for city in City if _campaign(city) not in taken] or list(City)
        city = self.city or stage.stream("city").choice(free)
        stage.claim(_campaign(city))
        return city

    def _drawn(self, stage: Stage, group: Group) -> tuple[dict[Group, Levels], Choices]:
        """Maps, and channels among which the fit of a group's campaign decides."""
        size, maps, channels = (
            SIZES[self.difficulty],
            stage.stream("maps"),
            stage.stream("channels"),
        )
        while True:
            levels = {of: draw_levels(maps, size.grid, size.hot_spots) for of in Group}
            others = [levels[of] for of in Group if of is not group]
            drawn = draw_channels(channels, size, self.mix)
            choices = Choices(drawn, levels[group], others, size.budget)
            if choices.can_matter():
                return levels, choices

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Look, ask, calculate, choose."""
        await plan_campaign(hands)

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
    def best(self, case: Case[Right]) -> Verdict:
        """The whole plan; of equally good ones each."""
        return _reaches(case, 1)

    @checkpoint(
        "The selected channels cost no more than the budget, come within 2 % of the highest "
        "exposure, and their total cost and total exposure are right",
        where="The densities in the map of the target group at the channels' cells, the formula in "
        "the handbook, and what the colleague said who has set the audience fit.",
        how="Work out the exposure of each selected channel again, from its base_effect, the "
        "density in its cell and the fit of its type, and add them up; add up the costs as well.",
    )
    def nearly_best(self, case: Case[Right]) -> Verdict:
        """A plan that is hardly worse than the best."""
        return _reaches(case, NEAR)

    @checkpoint(
        "The audience fit was told by the colleague who has set it",
        only_with="best",
        where="The department that the task names; any colleague knows who has set the fit.",
        how="Ask somebody there who has set the audience fit for the campaign, naming the city, "
        "and then ask that person for it.",
    )
    def told(self, case: Case[Right]) -> Verdict:
        """Whether the clue was released, whatever the employee wrote themself."""
        when = case.released(CLUE)
        said = "nobody has told it" if when is None else f"it was told at {when:%H:%M}"
        return Verdict(when is not None, said)


def _campaign(city: City) -> str:
    return f"the campaign in {city}"


def _shown(stage: Stage, city: City, group: Group, levels: Levels) -> FileAppears | PictureAppears:
    """How densely a group lives, as a picture or, for those who cannot see, as a table."""
    stem = f"{FOLDER}/target_user_density_{group}"
    if stage.modality is Modality.PICTURES:
        title = f"{city}: density of {group.words}"
        return PictureAppears(
            path=stage.file(f"{stem}.png"), drawing=DensityMap(title=title, levels=levels)
        )
    lines = [f"{i},{j},{level}\n" for j, row in enumerate(levels) for i, level in enumerate(row)]
    return FileAppears(
        path=stage.file(f"{stem}.csv"), text="grid_i,grid_j,density\n" + "".join(lines)
    )


def _reaches(case: Case[Right], share: float) -> Verdict:
    """Whether the plan is sound and reaches this share of the best."""
    right = case.truth
    plan = case.handed_in(right.path, Plan)
    if isinstance(plan, Flaw):
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
