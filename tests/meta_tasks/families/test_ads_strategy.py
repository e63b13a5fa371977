"""Advertising campaigns: what lies open, what is hidden, and that the one decides nothing
without the other."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests import quick_round
from tests.meta_tasks.days import context_of, day_with, listener_of, staged
from tests.meta_tasks.families.ads_days import (
    FAMILY,
    RULES,
    Planner,
    all_best,
    map_of,
    rows_of,
    scene_of,
    target_of,
)
from trainee_bench.meta_tasks.catalog import make_meta_task
from trainee_bench.meta_tasks.families.ads_strategy import AdsStrategy
from trainee_bench.meta_tasks.families.ads_strategy.brief import HANDBOOK
from trainee_bench.meta_tasks.families.ads_strategy.data import draw_density
from trainee_bench.meta_tasks.families.ads_strategy.subject import (
    CAMPAIGN_SIZES,
    CampaignDifficulty,
    ChannelMix,
    City,
    best_selection,
)
from trainee_bench.meta_tasks.sent_texts import check_clue_collisions
from trainee_bench.meta_tasks.task_context import (
    CompositionError,
    DayReservations,
    Modality,
    TaskContext,
)
from trainee_bench.world.colleagues.understanding import Intent, hear
from trainee_bench.world.company.people import create_company
from trainee_bench.world.random_streams import random_stream

SEEDS = range(12)
LEVELS = [*CampaignDifficulty]


# the rules -------------------------------------------------------------------------------


def test_there_are_fifteen_rules_and_all_are_hard() -> None:
    assert len(RULES) == 15
    assert {rule.difficulty for rule in AdsStrategy.rules()} == {"hard"}
    assert RULES[0] == "ads_strategy.balanced.very_easy"


@pytest.mark.parametrize("level", LEVELS)
def test_difficulties_are_understood_with_blanks_and_without(level: CampaignDifficulty) -> None:
    """The original silently turned "very easy" into medium."""
    for written in {level.value, level.replace("_", " ")}:
        task = AdsStrategy.from_published({"task_params": {"city": "XiAn", "difficulty": written}})
        assert task.difficulty is level and task.city is City.XIAN
        assert task.rule_id == f"ads_strategy.balanced.{level}"


@pytest.mark.parametrize(
    "params",
    [
        {"city": "Beijing", "difficulty": "normal"},
        {"city": "Paris", "difficulty": "easy"},
        {"difficulty": "easy"},
        {"city": "Beijing", "difficulty": "easy", "seed": 42},
    ],
)
def test_an_entry_that_is_not_understood_is_refused(params: dict[str, str | int]) -> None:
    with pytest.raises(ValidationError):
        AdsStrategy.from_published({"task_params": {**params}})


# what lies open --------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_an_instance_has_the_size_and_the_mix_of_its_rule(rule: str) -> None:
    _, mix, level = rule.split(".")
    size = CAMPAIGN_SIZES[CampaignDifficulty(level)]
    instance = scene_of(f"{mix}.{level}", 1)
    rows = rows_of(instance)
    assert [row["id"] for row in rows] == [f"CH{n:03}" for n in range(1, size.channels + 1)]
    assert len({row["name"] for row in rows}) == len({(r["grid_i"], r["grid_j"]) for r in rows})
    for column, (low, high) in (("cost", size.cost), ("base_effect", size.effect)):
        assert all(low <= int(row[column]) <= high for row in rows)
    assert f"budget is {size.budget}." in instance.told.objective
    levels = map_of(instance, target_of(instance))
    assert {len(row) for row in levels} == {len(levels)} == {size.grid}
    counts = Counter(row["type"] for row in rows)
    many = {ChannelMix.METRO_FOCUS: "subway", ChannelMix.CAMPUS_HEAVY: "campus_screen"}.get(
        ChannelMix(mix)
    )
    for type, count in counts.items():
        share = 1 / 4 if many is None else 1 / 2 if type == many else 1 / 6
        assert abs(count - size.channels * share) < 1


@pytest.mark.parametrize(("grid", "spots"), [(8, 1), (18, 2)])
def test_a_map_goes_from_nobody_to_most_and_thins_out_smoothly(grid: int, spots: int) -> None:
    for seed in SEEDS:
        levels = draw_density(random_stream("test", seed), grid, spots)
        assert {level for row in levels for level in row} == {0, 1, 2, 3, 4, 5}
        beside = [(row[i], row[i + 1]) for row in levels for i in range(grid - 1)]
        above = [(levels[j][i], levels[j + 1][i]) for i in range(grid) for j in range(grid - 1)]
        assert max(abs(one - other) for one, other in beside + above) <= 2


def test_cities_groups_maps_and_channels_change_with_the_seed() -> None:
    """In the original, all instances of a difficulty were that of seed 42."""
    scenes = [scene_of("balanced.medium", seed) for seed in range(30)]
    assert len({instance.told.title for instance in scenes}) >= 8
    assert len({target_of(instance) for instance in scenes}) == 3
    assert len({map_of(instance, "seniors") for instance in scenes}) == 30
    assert len({instance.graded.truth.best for instance in scenes}) == 30
    assert len({json.dumps(rows_of(instance)) for instance in scenes}) == 30


def test_city_and_group_can_be_fixed() -> None:
    task = make_meta_task(RULES[0], {"city": "Wuhan", "group": "seniors"})
    for seed in SEEDS:
        instance = task.generate(context_of(seed))
        assert instance.told.deliverable_paths == ("workspace:/ads_strategy_plan_Wuhan.json",)
        assert "campaign in Wuhan. It targets seniors (60+)" in instance.told.objective


# what is hidden --------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@quick_round.seeds(4, sweep=12)
def test_finding_the_best_plan_takes_the_fit_the_right_map_and_comparison(
    level: str, seeds: range
) -> None:
    for seed in seeds:
        for mix in ChannelMix:
            planner = Planner(scene_of(f"{mix}.{level}", seed))
            right = planner.scene.graded.truth
            assert dict(zip(planner.ids, planner.exposures, strict=True)) == right.exposures
            assert right.best == all_best(planner.costs, planner.exposures, right.budget)
            for assumed in (1, 1, 1, 1), (0.6, 0.6, 0.5, 0.9):
                fits = dict(zip(planner.fits, assumed, strict=True))
                selection, _ = planner.plan(planner.levels, fits)
                assert planner.reached(selection) < 0.98 * right.best
            assert planner.reached(planner.by_ratio()) < right.best
            for levels in planner.misread():
                selection, stated = planner.plan(levels, planner.fits)
                assert (planner.reached(selection), stated) != (right.best, right.best)


# asking ----------------------------------------------------------------------------------

FRESH = (
    "Hi, I'm on the {city} ad campaign. Could you tell me the audience fit for each channel type?",
    "Do you know the audience fit values for the advertising campaign in {city}?",
    "Please send me the audience fit coefficients for {city}.",
    "Can you share the fit numbers for the channel types for {city}?",
    "I need the audience fit for subway, mall_screen, bus_stop and campus_screen.",
    "How good is the audience fit of bus stops in {city}?",
    "I'm planning our campaign in {city}. What audience fit did you set for the channel types?",
)


@pytest.mark.parametrize("seed", range(4))
def test_the_holder_understands_fresh_words(seed: int) -> None:
    instance = scene_of("balanced.easy", seed)
    (clue,) = instance.hidden.clues
    assert len(clue.asks) >= 8
    holder = listener_of(instance, create_company(seed), clue.holder)
    for fresh in FRESH:
        understood = holder.understand(hear(fresh.format(city=clue.keys[0])))
        assert (understood.intent, understood.topics) == (Intent.CLEAR, (clue.id,)), fresh


@pytest.mark.parametrize("size", [10, 25, 200])
def test_companies_of_every_size_have_a_holder_of_the_fit(size: int) -> None:
    stage = context_of(1, size)
    instance = make_meta_task(RULES[0], {}).generate(stage)
    assert stage.company.person(instance.hidden.clues[0].holder).department == "Marketing"


# days ------------------------------------------------------------------------------------


def campaign_of(seed: int, task: str, commons: DayReservations) -> TaskContext:
    return context_of(seed, task=task, key=("test", seed, task), reservations=commons)


@pytest.mark.parametrize("seed", range(3))
def test_two_campaigns_of_a_day_differ_in_files_cities_and_holders(seed: int) -> None:
    commons = DayReservations()
    one, other = (
        make_meta_task(RULES[0], {}).generate(campaign_of(seed, task, commons))
        for task in ("T1", "T2")
    )
    check_clue_collisions([one, other])
    assert (
        one.told.title != other.told.title
        and one.told.deliverable_paths != other.told.deliverable_paths
    )
    assert one.hidden.clues[0].holder != other.hidden.clues[0].holder
    paths = [
        path
        for instance in (one, other)
        for planned in instance.hidden.events
        if (path := getattr(planned.event, "path", None))
    ]
    assert len(set(paths)) == 9
    shared = {path for path in paths if paths.count(path) > 1}  # placed once, with the first
    assert shared == {HANDBOOK.path}
    assert all(path in other.told.objective for path in paths[5:])


def test_one_city_has_one_campaign_a_day() -> None:
    commons, task = DayReservations(), make_meta_task(RULES[0], {"city": "Wuhan"})
    task.generate(campaign_of(1, "T1", commons))
    with pytest.raises(CompositionError, match="the campaign in Wuhan"):
        task.generate(campaign_of(1, "T2", commons))


@pytest.mark.parametrize("modality", Modality)
async def test_two_campaigns_are_planned_in_pictures_and_in_tables(modality: Modality) -> None:
    rules = [f"{FAMILY}.balanced.very_easy", f"{FAMILY}.metro_focus.very_easy"]
    composition = day_with(*rules, seed=3, name="ads", modality=modality)
    told = composition.tasks[0].instance.told.objective
    drawn = modality is Modality.PICTURES
    assert ("density_seniors.png" in told, "density_seniors.csv" in told) == (drawn, not drawn)
    assert ("view them as pictures" in told) is drawn
    async with staged(composition) as day:
        handbook = await day.call(
            "files_read", {"path": "drive:/ads_strategy/ads_planning_handbook.md"}
        )
        assert ("View them as pictures" in handbook.text) is drawn and "{{" not in handbook.text
        assert await day.work() == {}
        assert [grade.score for grade in await day.grades()] == [1, 1]


# choosing --------------------------------------------------------------------------------

ITEMS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 60)), max_size=12)


@given(ITEMS, st.integers(0, 150))
def test_best_selection_finds_the_highest_value(items: list[tuple[int, int]], budget: int) -> None:
    costs, values = [cost for cost, _ in items], [value for _, value in items]
    chosen = best_selection(costs, values, budget)
    assert len(set(chosen)) == len(chosen) and sum(costs[at] for at in chosen) <= budget
    assert sum(values[at] for at in chosen) == all_best(costs, values, budget)
