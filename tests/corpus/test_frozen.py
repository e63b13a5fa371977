"""The frozen benchmarks stay what they are, and recorded days keep their grades.

A failure here means that scores of today cannot be compared with scores of yesterday. If
that is meant, raise GENERATOR_VERSION or SCORE_VERSION and record anew (frozen.py).
"""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.corpus.frozen import (
    AGENTS,
    FROZEN,
    LARGE,
    RECORDED,
    digests_of,
    recorded,
    recorded_digests,
    regrade,
)
from tests.quick_round import quick_first
from trainee_bench.harness.session.frozen import FrozenDigests
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION
from trainee_bench.world.pictures.render import renderer_digest

ADVICE = (
    "A scenario gives another world. If that is meant, raise GENERATOR_VERSION and record anew "
    "(tests/corpus/frozen.py). A new column changes every world that has rows in its table: keep "
    "the data in a table of its own, as record 17 does for new apps."
)
PROMPT_ADVICE = (
    "Agents are told something else. Keep the prompts of frozen benchmarks word for word, or raise "
    "GENERATOR_VERSION and record anew."
)
TOOL_ADVICE = (
    "The frozen benchmarks offer other tools, descriptions or schemas. Declare a new tool with "
    "opt_in=True, so that only scenarios that name it offer it."
)
PARTS = 25
"""A sample of each benchmark is checked in every round, all of it where sweeps are run."""
DAYS = [
    pytest.param(name, part, marks=pytest.mark.sweep if part else ())
    for name in FROZEN
    for part in range(min(PARTS, len(load_shipped_benchmark(name).scenarios)))
]


def test_what_is_recorded_was_recorded_by_these_versions() -> None:
    frozen = recorded_digests()
    assert (frozen.generator, frozen.score) == (GENERATOR_VERSION, SCORE_VERSION)


@pytest.mark.parametrize(("name", "part"), DAYS)
async def test_every_day_of_a_frozen_benchmark_is_staged_as_ever(name: str, part: int) -> None:
    then = recorded_digests()
    now: dict[str, FrozenDigests] = {}
    for scenario in load_shipped_benchmark(name).scenarios[part::PARTS]:
        now |= await digests_of(scenario)
    assert now
    for key, shown in now.items():
        assert shown.world == then.digests[name][key], ADVICE
        assert shown.prompts == then.prompts[name][key], PROMPT_ADVICE
        assert shown.tools in then.tools[name], TOOL_ADVICE


@pytest.mark.skipif(
    version("pillow") != recorded_digests().pillow,
    reason="another version of Pillow may draw another pixel",
)
def test_agents_see_the_same_pictures_as_ever() -> None:
    assert renderer_digest() == recorded_digests().pictures


@pytest.mark.parametrize("part", quick_first(range(PARTS)))
async def test_recorded_days_earn_the_grades_they_earned(part: int) -> None:
    scenarios = {s.name: s for s in load_shipped_benchmark(RECORDED).scenarios}
    for trajectory in list(recorded())[part::PARTS]:
        now = await regrade(trajectory, compose_day(scenarios[trajectory.scenario]))
        assert now == trajectory.grades, f"{trajectory.agent} on {trajectory.scenario}"


def test_the_recorded_days_are_two_hundred_and_of_every_quality() -> None:
    days = list(recorded())
    assert len(days) == 200
    assert {day.agent for day in days} == set(AGENTS)
    scores = [grade.score or 0 for day in days for grade in day.grades.values()]
    assert any(score == 1 for score in scores)
    assert any(0 < score < 1 for score in scores)
    assert any(score == 0 for score in scores)


def test_deadlines_bind_in_the_order_of_arrival_and_the_oracle_keeps_all() -> None:
    streamed = {
        s.name for s in load_shipped_benchmark(RECORDED).scenarios if s.arrival != "at_once"
    }
    missed: dict[str, set[str]] = {agent: set() for agent in AGENTS}
    for day in recorded():
        if day.scenario in streamed and not all(g.success for g in day.grades.values()):
            missed[day.agent].add(day.scenario)
    assert len(streamed) == 25
    assert not missed["oracle"]
    assert len(missed["in_order"]) >= 0.3 * len(streamed)


def test_the_families_of_the_corpus_are_still_there() -> None:
    assert set(recorded_digests().families) <= set(discover_families())


@pytest.mark.parametrize("name", LARGE)
def test_every_large_benchmark_has_chains_moved_deadlines_and_all_families_then(
    name: str,
) -> None:
    scenarios = load_shipped_benchmark(name).scenarios
    tasks = [task for s in scenarios for day in s.days for task in day.tasks]
    chained = [
        s.name for s in scenarios if any(task.dependencies for d in s.days for task in d.tasks)
    ]
    assert len(chained) >= 3
    assert any(task.moved for task in tasks)
    assert {task.rule.partition(".")[0] for task in tasks} == set(recorded_digests().families)
    assert all(2 <= len(day.tasks) <= 6 for s in scenarios for day in s.days)


def test_the_two_days_of_the_continual_benchmark_have_the_same_rules_in_the_same_order() -> None:
    for scenario in load_shipped_benchmark("continual-50").scenarios:
        first, second = scenario.days
        assert [task.rule for task in first.tasks] == [task.rule for task in second.tasks]
