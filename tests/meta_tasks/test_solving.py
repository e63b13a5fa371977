"""Scripts: what they read at the start of a task and ask for; checkpoints see what was told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pytest
from pydantic import JsonValue

from tests.meta_tasks.days import staged
from tests.meta_tasks.stock_list import LEVEL, Missing, StockList
from trainee_bench.harness.testbench.staged_day import StagedDay, open_staged_day, single_task_day
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    GradingContext,
    PublishedEntry,
    TextTemplate,
    ToolClient,
    ToolFailed,
    ask,
    choose_checkpoints,
    people,
    read_brief,
    was_told,
    were_told,
)
from trainee_bench.meta_tasks.authoring.solving import collect_stated_rules
from trainee_bench.meta_tasks.checkpoints import Verdict
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.meta_tasks.work.scripted import Script, scripted
from trainee_bench.world.world import World

QUESTION = LEVEL.question()


@pytest.fixture(autouse=True)
def _catalog_of_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = catalog.all_rules() | {rule.id: rule for rule in StockList.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


async def a_day() -> StagedDay:
    composition = single_task_day("stock_list.i5", 1)
    world = await World.create_inline(composition.world_config(), composition.populate)
    return open_staged_day(composition, world)


def holder_of(day: StagedDay) -> str:
    return day.composition.tasks[0].instance.hidden.clues[0].holder


async def done_by(day: StagedDay, script: Script) -> None:
    """Let a *script* work the day's task. Raises what it raises."""
    for failure in (await day.work({"T1": scripted(script)})).values():
        raise failure


async def test_a_script_waits_for_the_answer_to_its_last_message() -> None:
    async def script(client: ToolClient) -> None:
        holder, (other, *_) = holder_of(day), day.composition.company.staff("HR")
        assert LEVEL.answer.search(await ask(client, other.id, "Hello!")) is None
        assert LEVEL.answer.search(await ask(client, holder, QUESTION)) is not None
        assert LEVEL.answer.search(await ask(client, holder, "Hello!")) is None

    day = await a_day()
    async with day.world:
        await done_by(day, script)


async def test_a_script_finds_who_manages_a_department() -> None:
    async def script(client: ToolClient) -> None:
        department = day.composition.company.department("Marketing")
        boss, found = department.managers[0], await people(client, "Marketing")
        assert {person.department for person in found} == {"Marketing"}
        assert (boss.id, boss.name) in {
            (person.id, person.name) for person in found if person.is_manager
        }
        assert not all(person.is_manager for person in found)

    day = await a_day()
    async with day.world:
        await done_by(day, script)


# what checkpoints see -----------------------------------------------------------------------


async def test_checkpoints_see_who_has_told() -> None:
    def see(day: StagedDay) -> object:
        task = day.composition.tasks[0]
        return day.world.read(
            lambda tx: (
                was_told(GradingContext(tx, "T1", task.instance.graded.truth), LEVEL.name),
                were_told(
                    GradingContext(tx, "T1", task.instance.graded.truth),
                    [LEVEL.name, "x"],
                    "have told",
                ),
            )
        )

    async def script(client: ToolClient) -> None:
        await ask(client, holder_of(day), QUESTION)

    day = await a_day()
    async with day.world:
        assert await see(day) == (  # type: ignore[misc]
            Verdict(False, "nobody has told you"),
            Verdict(False, "0 of 2 have told"),
        )
        await done_by(day, script)
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


async def test_an_unreadable_file_is_seen_by_the_checkpoint_and_breaks_nothing() -> None:
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


# what is read at the start ----------------------------------------------------------------


RULES = (
    "kb_fix.away.easy",
    "meeting_attend.check_sum.u1",
    "meeting_book.moved.c2",
    "sales.sales_statistics",
    "website_analysis.slow_page",
)


@pytest.mark.parametrize("guidance", [1, 3])
@pytest.mark.parametrize("rule", RULES)
async def test_hints_behind_the_objective_are_not_taken_for_a_part_of_it(
    rule: str, guidance: int
) -> None:
    days = (DaySpec(tasks=(TaskSpec(rule=rule),)),)
    async with staged(compose_day(Scenario(name="hints", days=days, guidance=guidance))) as day:
        assert await day.work() == {}
        (grade,) = await day.grades()
        assert grade.success


@dataclass(frozen=True)
class Counted:
    """The values in a made-up objective."""

    what: str
    twice: bool = False


COUNTED = TextTemplate(Counted, "Count the {what}. Round up. Hand in the number.")


class Desk:
    """An office that only lists one task."""

    task = "T1"

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        objective = "Count the boxes. Round up. Hand in the number."
        tasks = [{"id": "T1", "objective": objective}]
        return ToolResponse("", {"tasks": tasks}, datetime(2025, 10, 1, 8))

    async def wait_until(self, time: datetime) -> None:
        raise AssertionError("the task is there")

    async def wait_at_least(self, minutes: int) -> None:
        raise AssertionError("the task is there")


async def test_rules_that_depend_on_what_is_stated_are_checked_and_collected() -> None:
    with collect_stated_rules() as stated:
        brief = await read_brief(
            Desk(), COUNTED, ["Round up."], lambda counted: (f"Count the {counted.what}.",)
        )
    assert brief == Counted("boxes")
    assert (stated.briefs, stated.rules) == (1, ["Round up.", "Count the boxes."])
    with pytest.raises(ToolFailed, match="the objective does not say: Count all boxes"):
        await read_brief(Desk(), COUNTED, (), lambda counted: (f"Count all {counted.what}.",))
    assert stated.briefs == 1
