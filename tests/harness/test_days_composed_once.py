"""A day is composed once in a process, for all who stage, grade, measure and show it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.harness.days import one_day
from tests.harness.runs import LINKS, MEETING, config, day, invoke, named
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.verifier import recompose_day
from trainee_bench.meta_tasks import composition
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.kept_days import KEPT_DAYS, composed, keep_days
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.task_context import CompositionError


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    keep_days(KEPT_DAYS)
    yield
    keep_days(KEPT_DAYS)


@pytest.fixture
def compositions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scenarios of all compositions so far, whoever asked: each draws its company once."""
    seen: list[str] = []
    really = composition.create_company

    def counted(stream: str, size: int) -> Any:
        seen.append(stream)
        return really(stream, size)

    monkeypatch.setattr(composition, "create_company", counted)
    return seen


scenario = partial(one_day, name="kept", seed=3)


def test_a_run_of_three_days_with_two_agents_composes_three_times(
    tmp_path: Path, compositions: list[str]
) -> None:
    path = config(tmp_path, three=[day(MEETING), day(LINKS), day(LINKS, MEETING)])
    out = tmp_path / "out"
    invoke("--config", path, *named("oracle", "nothing"), "--out", out)
    assert len((out / "results.jsonl").read_text().splitlines()) == 6
    assert (out / "report.html").exists()
    assert len(compositions) == 3


def test_the_order_in_which_a_scenario_lists_its_tasks_makes_no_other_day() -> None:
    assert composed(scenario(LINKS, MEETING)) is composed(scenario(MEETING, LINKS))


def test_another_seed_and_another_variation_are_other_days() -> None:
    day, other = composed(scenario(LINKS)), composed(scenario(LINKS, seed=4))
    without = composed(scenario(LINKS), 0, Variation(unstaged=("T1",)))
    assert (day.scenario_day.scenario.seed, other.scenario_day.scenario.seed) == (3, 4)
    assert without.scenario_day.variation.unstaged == ("T1",)


async def test_a_world_is_graded_by_the_day_from_which_it_was_staged() -> None:
    day = await stage_day(composed(scenario(MEETING)))
    async with day.world:
        assert await recompose_day(day.world) is day.composition


def test_the_day_that_nobody_wanted_for_longest_goes_first(compositions: list[str]) -> None:
    keep_days(2)
    for seed in (1, 2, 1, 3, 1):
        composed(scenario(LINKS, seed=seed))
    assert len(compositions) == 3
    composed(scenario(LINKS, seed=2))
    assert len(compositions) == 4


def test_a_day_in_use_is_found_however_many_came_in_between(compositions: list[str]) -> None:
    keep_days(2)
    held = composed(scenario(LINKS, seed=1))
    for seed in (2, 3, 4):
        composed(scenario(LINKS, seed=seed))
    assert composed(scenario(LINKS, seed=1)) is held
    assert len(compositions) == 4


def test_a_day_that_cannot_be_composed_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(CompositionError, match="has 1 days, not 2"):
            composed(scenario(LINKS), 1)


def test_many_threads_may_ask_for_days_at_once(compositions: list[str]) -> None:
    wanted = [scenario(LINKS, seed=number % 3) for number in range(60)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(composed, wanted))
    assert [day.scenario_day.scenario for day in found] == wanted
    kept = len(compositions)
    assert [composed(one) for one in wanted[:3]] == found[:3]
    assert len(compositions) == kept


async def test_work_changes_nothing_of_a_kept_day() -> None:
    day = composed(scenario(MEETING, LINKS))
    assert (await run_in_process("oracle", day)).grade.score == 1
    assert day == compose_day(scenario(MEETING, LINKS))
    assert repr(day) == repr(compose_day(scenario(MEETING, LINKS)))
