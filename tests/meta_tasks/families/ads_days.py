"""Scenes and days of the advertising family, and plans based on assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from tests.meta_tasks.days import context_of
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.catalog import all_rules, make_meta_task
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import CampaignTruth
from trainee_bench.meta_tasks.families.ads_strategy.subject import ChannelType, best_selection
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.scenario import NO_VARIATION, Variation
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.pictures.density_map import DensityMap

FAMILY = "ads_strategy"
RULES = [id for id in all_rules() if id.startswith(f"{FAMILY}.")]
CSV_HEAD = "id,name,type,grid_i,grid_j,cost,base_effect"
Row = Mapping[str, str]
Levels = tuple[tuple[int, ...], ...]


def scene_of(rule: str, seed: int, offset: int = 0) -> TaskInstance[CampaignTruth]:
    instance: TaskInstance[CampaignTruth] = make_meta_task(f"{FAMILY}.{rule}", {}).generate(
        context_of(seed, offsets={"fit": offset})
    )
    return instance


def sheet(selected: Sequence[str], cost: float, exposure: float) -> dict[str, JsonValue]:
    """Return a plan in the submitted format."""
    return {"selected_channels": [*selected], "total_cost": cost, "total_exposure": exposure}


def day_of(rule: str, seed: int, variation: Variation = NO_VARIATION) -> ComposedDay:
    return single_task_day(f"{FAMILY}.{rule}", seed, variation)


# what lies open --------------------------------------------------------------------------


def rows_of(instance: TaskInstance[CampaignTruth]) -> list[dict[str, str]]:
    """Return the rows of the channel list."""
    for planned in instance.hidden.events:
        event = planned.event
        if isinstance(event, FileAppears) and event.text and event.text.startswith(CSV_HEAD):
            head, *lines = event.text.splitlines()
            return [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines]
    raise AssertionError("no channel list")


def map_of(instance: TaskInstance[CampaignTruth], group: str) -> tuple[tuple[int, ...], ...]:
    """Return the levels of the map of *group*."""
    for planned in instance.hidden.events:
        event = planned.event
        if isinstance(event, PictureAppears) and f"density_{group}" in event.path:
            assert isinstance(event.drawing, DensityMap)
            return event.drawing.levels
    raise AssertionError(f"no map of {group}")


def target_of(instance: TaskInstance[CampaignTruth]) -> str:
    """Return the name of the target group as in file names."""
    words = instance.told.objective.partition("It targets ")[2].partition(" (")[0]
    return words.replace(" ", "_")


def fits_told(instance: TaskInstance[CampaignTruth]) -> dict[str, float]:
    """Return the fits in the clue."""
    values = instance.hidden.clues[0].payload.partition(": ")[2].rstrip(".")
    pairs = [pair.split(" ") for pair in values.split(", ")]
    assert [name for name, _ in pairs] == [*ChannelType]
    return {name: float(fit) for name, fit in pairs}


# answers ---------------------------------------------------------------------------------


def exposures_with(
    rows: Sequence[Row], levels: Sequence[Sequence[int]], fits: Mapping[str, float]
) -> list[int]:
    """Calculate the handbook's formula in hundredths, independently of the family."""
    return [
        round(
            100
            * round(
                int(row["base_effect"])
                * (0.5 + 0.5 * levels[int(row["grid_j"])][int(row["grid_i"])] / 5)
                * fits[row["type"]],
                2,
            )
        )
        for row in rows
    ]


class Planner:
    """A planner with all data of an instance, which may use other fits or maps."""

    def __init__(self, instance: TaskInstance[CampaignTruth]):
        self.scene = instance
        self.rows = rows_of(instance)
        self.ids = [row["id"] for row in self.rows]
        self.costs = [int(row["cost"]) for row in self.rows]
        self.levels = map_of(instance, target_of(instance))
        self.fits = fits_told(instance)
        self.exposures = exposures_with(self.rows, self.levels, self.fits)

    def plan(self, levels: Levels, fits: Mapping[str, float]) -> tuple[list[int], int]:
        """Return the best selection by this map and these fits, and its apparent exposure."""
        values = exposures_with(self.rows, levels, fits)
        selection = best_selection(self.costs, values, self.scene.graded.truth.budget)
        return [*selection], sum(values[at] for at in selection)

    def reached(self, selection: Sequence[int]) -> int:
        """Return the real exposure of a selection."""
        return sum(self.exposures[at] for at in selection)

    def by_ratio(self) -> list[int]:
        """Return the selection that books greedily by exposure per cost."""
        ratios = [e / c for e, c in zip(self.exposures, self.costs, strict=True)]
        booked, room = [], self.scene.graded.truth.budget
        for at in sorted(range(len(ratios)), key=lambda at: -ratios[at]):
            if self.costs[at] <= room:
                booked.append(at)
                room -= self.costs[at]
        return booked

    def misread(self) -> list[Levels]:
        """Return the map upside down, the map transposed, and the maps of other groups."""
        groups = {"college_students", "young_professionals", "seniors"} - {target_of(self.scene)}
        others = [map_of(self.scene, group) for group in sorted(groups)]
        return [self.levels[::-1], tuple(zip(*self.levels, strict=True)), *others]


def all_best(costs: Sequence[int], values: Sequence[int], budget: int) -> int:
    """Return the highest value within the budget, by dynamic programming over costs."""
    most = {0: 0}
    for cost, value in zip(costs, values, strict=True):
        for spent, reached in [*most.items()]:
            if spent + cost <= budget:
                most[spent + cost] = max(most.get(spent + cost, 0), reached + value)
    return max(most.values())
