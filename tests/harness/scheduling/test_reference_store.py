"""The oracle's days beside a run are worked once, and again where their file cannot be trusted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trainee_bench.harness.scheduling import reference
from trainee_bench.harness.scheduling.reference import ReferenceDay, ReferenceStore
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec


def day(seed: int = 3) -> ComposedDay:
    tasks = (TaskSpec(rule="sales.sales_statistics"),)
    return compose_day(Scenario(name="kept", seed=seed, days=(DaySpec(tasks=tasks),)))


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the days that the oracle worked."""
    seeds: list[int] = []
    work = reference.reference_days

    async def counted(composition: ComposedDay) -> tuple[ReferenceDay, ...]:
        seeds.append(composition.scenario_day.scenario.seed)
        return await work(composition)

    monkeypatch.setattr(reference, "reference_days", counted)
    return seeds


async def test_a_day_is_worked_once_and_then_read_as_it_was(
    tmp_path: Path, worked: list[int]
) -> None:
    first = await ReferenceStore(tmp_path / "optimal").days(day())
    again = await ReferenceStore(tmp_path / "optimal").days(day())
    assert worked == [3]
    assert again == first and again[0].day.lanes and again[0].figures.value is not None


async def test_a_week_is_kept_day_by_day(tmp_path: Path, worked: list[int]) -> None:
    rules = ("kb_fix.easy", "sales.sales_statistics")
    days = tuple(DaySpec(tasks=(TaskSpec(rule=rule),)) for rule in rules)
    week = compose_day(Scenario(name="kept", seed=5, days=days, week=True))
    store = ReferenceStore(tmp_path)
    assert await store.days(week) == await store.days(week)
    assert worked == [5] and len(await store.days(week)) == 2


def cut_short(text: str) -> str:
    return text[: len(text) // 2]


def another_figure(text: str) -> str:
    return text.replace(r"\"switches\":0", r"\"switches\":9")


def older(text: str) -> str:
    return text.replace("generator ", "generator 0")


def no_text(text: str) -> str:
    return "\ud800"


@pytest.mark.parametrize("spoil", [cut_short, another_figure, older, no_text])
async def test_what_cannot_be_trusted_is_worked_anew_and_mended(
    tmp_path: Path, worked: list[int], spoil: Callable[[str], str]
) -> None:
    first = await ReferenceStore(tmp_path).days(day())
    (file,) = tmp_path.iterdir()
    sound = file.read_text(encoding="utf-8")
    spoilt = spoil(sound)
    assert spoilt != sound
    file.write_text(spoilt, encoding="utf-8", errors="surrogatepass")
    assert await ReferenceStore(tmp_path).days(day()) == first
    assert worked == [3, 3] and file.read_text(encoding="utf-8") == sound


async def test_another_day_of_that_name_is_worked_itself(tmp_path: Path, worked: list[int]) -> None:
    await ReferenceStore(tmp_path).days(day())
    await ReferenceStore(tmp_path).days(day(seed=4))
    assert worked == [3, 4]
