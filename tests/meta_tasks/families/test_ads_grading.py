"""Grading of plans: only a valid plan that is nearly the best earns anything."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import graded, hear_everything, staged, truth_of, with_truth, write
from tests.meta_tasks.families.ads_days import Planner, day_of, exposures_with, sheet
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.families.ads_strategy import AdsStrategy
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import (
    NEAR_BEST_SHARE,
    CampaignPlan,
    CampaignTruth,
)
from trainee_bench.meta_tasks.families.ads_strategy.subject import (
    Channel,
    ChannelType,
    best_selection,
)

RULE, SEED = "balanced.easy", 2

# A worked example, calculated by hand. The map has two rows, the lower one first:
#   grid_j 1:  3  0
#   grid_j 0:  5  1
LEVELS = ((5, 1), (3, 0))
FITS = {
    ChannelType.SUBWAY: 6,
    ChannelType.MALL_SCREEN: 5,
    ChannelType.BUS_STOP: 9,
    ChannelType.CAMPUS_SCREEN: 4,
}
CHANNELS = (
    Channel(
        "CH001", "Lotus Gate", ChannelType.SUBWAY, 0, 0, 400, 1000
    ),  # 1000 * 1.0 * 0.6 = 600.00
    Channel(
        "CH002", "Jade Hill", ChannelType.MALL_SCREEN, 0, 1, 300, 900
    ),  # 900 * 0.8 * 0.5 = 360.00
    Channel("CH003", "Pearl Bay", ChannelType.BUS_STOP, 1, 1, 300, 777),  # 777 * 0.5 * 0.9 = 349.65
    Channel(
        "CH004", "Lake Park", ChannelType.CAMPUS_SCREEN, 1, 0, 500, 1501
    ),  # 1501 * 0.6 * 0.4 = 360.24
)
EXPOSURES = (60_000, 36_000, 34_965, 36_024)
BUDGET = 600
"""CH002 and CH003 cost 600 and reach 709.65. CH001 has the best exposure for its cost, but then
nothing else fits: 600.00. No other two cost 600 or less."""
RIGHT = CampaignTruth(
    path="workspace:/plan.json",
    budget=BUDGET,
    costs={channel.id: channel.cost for channel in CHANNELS},
    exposures={c.id: reached for c, reached in zip(CHANNELS, EXPOSURES, strict=True)},
    best=70_965,
)


def test_the_worked_example_comes_to_what_was_calculated_by_hand() -> None:
    assert tuple(channel.exposure(LEVELS, FITS) for channel in CHANNELS) == EXPOSURES
    assert best_selection([c.cost for c in CHANNELS], EXPOSURES, BUDGET) == (1, 2)


@pytest.mark.parametrize(
    ("selected", "cost", "exposure", "flaw"),
    [
        (["CH002", "CH003"], 600, 709.65, ""),
        (["CH003 ", "CH002"], 600, 709.6501, ""),
        (["ch003", "CH002"], 600, 709.65, "not in the list"),
        (["CH001"], 400, 600, ""),
        (["CH002", "CH003"], 600, 709.66, "total_exposure"),
        (["CH002", "CH003"], 600, float("nan"), "total_exposure"),
        (["CH002", "CH003"], 600, float("inf"), "total_exposure"),
        (["CH002", "CH003"], 601, 709.65, "total_cost"),
        (["CH002", "CH003", "CH002"], 600, 709.65, "twice"),
        (["CH002", "CH005"], 600, 709.65, "not in the list"),
        (["CH001", "CH002"], 700, 960, "more than the budget"),
        ([], 0, 0, "no channel"),
    ],
)
def test_a_plan_is_valid_or_its_flaw_is_named(
    selected: list[str], cost: int, exposure: float, flaw: str
) -> None:
    plan = CampaignPlan(selected_channels=selected, total_cost=cost, total_exposure=exposure)
    found = RIGHT.flaw(plan)
    assert flaw in found and bool(found) is bool(flaw)
    assert not any(character.isdigit() for character in found)


# on a day --------------------------------------------------------------------------------


def planner_of(day: StagedDay) -> Planner:
    return Planner(day.composition.tasks[0].instance)


async def score_with(day: StagedDay, plan: JsonValue) -> float:
    """Return the score of a plan or another text, with or without the told clue."""
    await write(day, plan)
    return (await graded(day)).score or 0.0


async def test_the_best_plan_without_having_been_told_is_a_guess_and_earns_nothing() -> None:
    async with staged(day_of(RULE, SEED)) as day:
        planner = planner_of(day)
        selection, _ = planner.plan(planner.levels, planner.fits)
        ids, cost, reached = summed(planner, selection)
        assert await score_with(day, sheet(ids[::-1], cost, reached / 100)) == 0
        await hear_everything(day)
        assert await score_with(day, sheet(ids[::-1], cost, reached / 100)) == 1
        assert reached == planner.scene.graded.truth.best


async def test_every_best_selection_is_right_if_there_are_several() -> None:
    composition = day_of(RULE, SEED)
    tied = replace(
        RIGHT,
        path=truth_of(composition).path,
        exposures=RIGHT.exposures | {"CH001": 70_965},
    )
    async with staged(with_truth(composition, tied), told=True) as day:
        assert await score_with(day, sheet(["CH001"], 400, 709.65)) == 1
        assert await score_with(day, sheet(["CH002", "CH003"], 600, 709.65)) == 1
        assert await score_with(day, sheet(["CH004"], 500, 360.24)) == 0


async def test_a_plan_hardly_worse_than_the_best_earns_a_fifth_and_a_worse_one_nothing() -> None:
    async with staged(day_of(RULE, SEED)) as day:
        planner = planner_of(day)
        await hear_everything(day)
        best = planner.scene.graded.truth.best
        selection, _ = planner.plan(planner.levels, planner.fits)
        exchanged = sorted(neighbours(planner, selection), key=planner.reached)
        near = [ids for ids in exchanged if NEAR_BEST_SHARE * best <= planner.reached(ids) < best]
        far = [ids for ids in exchanged if planner.reached(ids) < NEAR_BEST_SHARE * best]
        ids, cost, reached = summed(planner, near[-1])
        assert await score_with(day, sheet(ids, cost, reached / 100)) == 0.2
        assert await score_with(day, sheet(ids, cost, best / 100)) == 0
        ids, cost, reached = summed(planner, far[-1])
        assert await score_with(day, sheet(ids, cost, reached / 100)) == 0
        seen = {check.seen for check in (await graded(day)).checkpoints}
        assert "another selection within the budget reaches more" in seen


async def test_neither_an_empty_plan_nor_one_over_the_budget_earns_anything() -> None:
    """The original gave points for an empty selection and did not check the budget."""
    async with staged(day_of(RULE, SEED)) as day:
        planner = planner_of(day)
        assert await score_with(day, sheet([], 0, 0)) == 0
        everything = range(len(planner.ids))
        ids, cost, reached = summed(planner, [*everything])
        assert cost > planner.scene.graded.truth.budget
        assert await score_with(day, sheet(ids, cost, reached / 100)) == 0
        for at in everything:  # nor one channel alone
            ids, cost, reached = summed(planner, [at])
            assert await score_with(day, sheet(ids, cost, reached / 100)) == 0


@pytest.mark.parametrize("seed", range(6))
async def test_plans_of_somebody_who_was_told_nothing_earn_nothing(seed: int) -> None:
    async with staged(day_of(RULE, seed)) as day:
        planner = planner_of(day)
        for assumed in (1, 1, 1, 1), (0.6, 0.6, 0.5, 0.9), (0.5, 0.5, 0.5, 0.5):
            fits = dict(zip(planner.fits, assumed, strict=True))
            selection, stated = planner.plan(planner.levels, fits)
            ids, cost, _ = summed(planner, selection)
            assert await score_with(day, sheet(ids, cost, stated / 100)) == 0
        by_cost = sorted(range(len(planner.ids)), key=planner.costs.__getitem__)
        stated_by_all = exposures_with(planner.rows, planner.levels, dict.fromkeys(planner.fits, 1))
        cheapest: list[int] = []
        for at in by_cost:
            if (
                sum(planner.costs[place] for place in [*cheapest, at])
                <= planner.scene.graded.truth.budget
            ):
                cheapest.append(at)
        ids, cost, reached = summed(planner, cheapest)
        stated = sum(stated_by_all[at] for at in cheapest)
        assert await score_with(day, sheet(ids, cost, stated / 100)) == 0
        assert await score_with(day, sheet(ids, cost, reached / 100)) == 0


async def test_a_file_in_any_json_style_is_a_plan() -> None:
    async with staged(day_of(RULE, SEED)) as day:
        assert await day.work() == {}
        (path,) = day.composition.deliverable_paths
        done = await day.call("files_read", {"path": path})
        plan = json.loads(done.data["text"])
        for made in (
            json.dumps(plan, indent=8),
            "\ufeff" + json.dumps(dict(reversed(plan.items()))),
            json.dumps(plan | {"total_cost": float(plan["total_cost"])}),
        ):
            assert await score_with(day, made) == 1
        assert await score_with(day, json.dumps(plan | {"city": "Wuhan"})) == 0


def test_nothing_is_given_for_the_handbook_or_the_format() -> None:
    """The original gave points for copied files and for well-formed ones."""
    marks = AdsStrategy.rules()[0].meta_task.checkpoints()
    assert [(mark.name, mark.weight) for mark in marks] == [
        ("best", 3),
        ("nearly_best", 1),
        ("told", 1),
    ]
    assert marks[2].only_with == "best"


def summed(planner: Planner, selection: list[int]) -> tuple[list[str], int, int]:
    """Return ids, cost and exposure (in hundredths) of a selection."""
    ids = [planner.ids[at] for at in selection]
    return ids, sum(planner.costs[at] for at in selection), planner.reached(selection)


def neighbours(planner: Planner, selection: list[int]) -> list[list[int]]:
    """Return selections within the budget that swap or drop one channel."""
    others = [at for at in range(len(planner.ids)) if at not in selection]
    found = []
    for out in selection:
        rest = [at for at in selection if at != out]
        found += [rest, *([*rest, at] for at in others)]
    budget = planner.scene.graded.truth.budget
    return [chosen for chosen in found if sum(planner.costs[at] for at in chosen) <= budget]
