"""An oracle asks until it is answered; facts are read, checkpoints see what was told."""

from __future__ import annotations

import pytest

from tests.meta_tasks.stock_list import LEVEL, Missing, StockList
from trainee_bench.harness.testbench.staged_day import StagedDay, open_staged_day, single_task_day
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    GradingContext,
    PublishedEntry,
    ToolClient,
    ToolFailed,
    answer_to,
    ask,
    ask_all,
    ask_fact,
    ask_in_turn,
    choose_checkpoints,
    id_of,
    manager_of,
    person_called,
    send,
    was_told,
    were_told,
)
from trainee_bench.meta_tasks.checkpoints import Verdict
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.world.world import World

QUESTION = LEVEL.question()


@pytest.fixture(autouse=True)
def _catalog_of_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in StockList.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


async def a_day() -> StagedDay:
    composition = single_task_day("stock_list.i5", 1)
    world = await World.create_inline(composition.world_config(), composition.populate)
    return open_staged_day(composition, world)


def holder_of(day: StagedDay) -> str:
    return day.composition.tasks[0].instance.clues[0].holder


async def as_oracle(day: StagedDay, work: object) -> None:
    """Let *work* be done in place of the oracle's. Raises what it raises."""
    failures = await day.work({"T1": work})  # type: ignore[dict-item]
    for failure in failures.values():
        raise failure


async def test_the_answer_to_this_very_question_is_waited_for() -> None:
    async def work(client: ToolClient) -> None:
        holder, (other, *_) = holder_of(day), day.composition.company.staff("HR")
        first = await send(client, other.id, "Hello!")
        level = await ask_fact(client, holder, LEVEL)
        assert str(level) in await ask(client, holder, QUESTION)
        assert str(level) not in await answer_to(client, first)
        assert len(await ask_all(client, [(other.id, QUESTION), (holder, QUESTION)])) == 2

    day = await a_day()
    async with day.world:
        await as_oracle(day, work)


async def test_several_people_are_asked_until_one_tells() -> None:
    async def work(client: ToolClient) -> None:
        holder = holder_of(day)
        others = [one.id for one in day.composition.company.staff("HR")]
        assert await ask_in_turn(client, others[:1], LEVEL) is None
        assert await ask_in_turn(client, [others[0], holder], LEVEL) is not None
        with pytest.raises(ToolFailed, match="target level"):
            await ask_fact(client, others[0], LEVEL)

    day = await a_day()
    async with day.world:
        await as_oracle(day, work)


async def test_people_are_found_by_name_and_by_what_they_manage() -> None:
    async def work(client: ToolClient) -> None:
        company = day.composition.company
        boss = company.department("Marketing").managers[0]
        found = await manager_of(client, "Marketing")
        assert (found.id, found.name, found.is_manager) == (boss.id, boss.name, True)
        assert (await manager_of(client, "Marketing", boss.name)).id == boss.id
        assert await id_of(client, boss.name) == boss.id
        assert await person_called(client, "No Body") is None
        assert await person_called(client, "") is None
        for failing in (manager_of(client, "Marketing", "No Body"), id_of(client, "No Body")):
            with pytest.raises(ToolFailed):
                await failing

    day = await a_day()
    async with day.world:
        await as_oracle(day, work)


# what checkpoints see -----------------------------------------------------------------------


async def test_checkpoints_see_who_has_told() -> None:
    def see(day: StagedDay) -> object:
        task = day.composition.tasks[0]
        return day.world.read(
            lambda tx: (
                was_told(GradingContext(tx, "T1", task.instance.truth), LEVEL.name),
                were_told(
                    GradingContext(tx, "T1", task.instance.truth), [LEVEL.name, "x"], "have told"
                ),
            )
        )

    async def work(client: ToolClient) -> None:
        await ask(client, holder_of(day), QUESTION)

    day = await a_day()
    async with day.world:
        assert await see(day) == (  # type: ignore[misc]
            Verdict(False, "nobody has told you"),
            Verdict(False, "0 of 2 have told"),
        )
        await as_oracle(day, work)
        one, many = await see(day)  # type: ignore[misc]
        assert one.passed and one.seen.startswith("you were told at ")
        assert many == Verdict(False, "1 of 2 have told")


def test_checkpoints_are_chosen_by_name_with_other_weights() -> None:
    def names(marks: tuple[Checkpoint, ...]) -> list[tuple[str, float, str | None]]:
        return [(mark.name, mark.weight, mark.only_with) for mark in marks]

    chosen = choose_checkpoints(StockList, ["lines_right"], {"told": "lines_right"}, {"told": 0.5})
    assert names(chosen) == [("lines_right", 4, None), ("told", 0.5, "lines_right")]
    with pytest.raises(KeyError):
        choose_checkpoints(StockList, ["best"], {})


async def test_what_cannot_be_read_is_seen_by_the_checkpoint_and_breaks_nothing() -> None:
    day = await a_day()
    async with day.world:
        (grade,) = await day.grades()
        assert grade.error is None
        assert not grade.checkpoints[0].passed and "no file" in grade.checkpoints[0].seen


# published entries --------------------------------------------------------------------------


class Entry(PublishedEntry):
    size: int

    def parameters(self) -> dict[str, object]:
        return {"items": self.size}


class Published(StockList):
    published_entry = Entry


def test_a_published_entry_is_translated_into_parameters() -> None:
    assert Published.from_published({"size": 10}) == Published(items=10)
    family: type[MetaTask[Missing]]
    for family, entry in ((Published, {"size": 7}), (Published, {"n": 5}), (StockList, {})):
        with pytest.raises(ValueError):
            family.from_published(entry)
