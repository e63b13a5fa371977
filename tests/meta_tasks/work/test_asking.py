"""Needs for what colleagues tell: answers are waited for, and read as each person's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import pytest

from tests.meta_tasks.days import staged
from tests.meta_tasks.families.event_days import day_of
from tests.meta_tasks.stock_list import LEVEL, StockList
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.event_planning.brief import FREE_DATES
from trainee_bench.meta_tasks.families.event_planning.work import FreeDates
from trainee_bench.meta_tasks.scenario import NO_VARIATION, Variation
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.asking import (
    Answered,
    FactQuestion,
    ReadMessage,
    Sent,
    Told,
    ToldByOne,
    fact_from,
)
from trainee_bench.meta_tasks.work.habits import NO_HABITS
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import ManagerOf, PersonCalled
from trainee_bench.meta_tasks.work.referring import WhoKnows
from trainee_bench.meta_tasks.work.sources import DirectorySearch

T = TypeVar("T")
QUESTION = FactQuestion(LEVEL.name, LEVEL)


@pytest.fixture(autouse=True)
def _catalog_of_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = catalog.all_rules() | {rule.id: rule for rule in StockList.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


async def learned(day: StagedDay, way: Callable[[Work, str], Awaitable[T]]) -> T:
    """Return what a worker learns that works the day's task in this *way*. Raises what it
    raises."""
    found: list[T] = []

    async def work(work: Work, task: str) -> None:
        found.append(await way(work, task))

    for failure in (await day.work({"T1": work}, NO_HABITS)).values():
        raise failure
    return found[-1]


def level_of(day: StagedDay) -> tuple[str, int]:
    """Return who knows the level (an id), and the level."""
    (clue,) = day.composition.tasks[0].instance.hidden.clues
    level = LEVEL.answer.search(clue.payload)
    assert level is not None
    return clue.holder, level


async def stock_day() -> StagedDay:
    return await stage_day(single_task_day("stock_list.i5", 1))


# one colleague ------------------------------------------------------------------------------


async def test_each_message_has_its_own_answer() -> None:
    async def way(work: Work, task: str) -> tuple[list[int], list[ReadMessage]]:
        texts = (holder, LEVEL.question()), (holder, "Hello!"), (other, LEVEL.question())
        sent = [await work(Sent(task, person, text)) for person, text in texts]
        answers = zip(texts, sent, strict=True)
        told = await work.all(Answered(person, receipt) for (person, _), receipt in answers)
        return [receipt.number for receipt in sent], told

    day = await stock_day()
    holder, level = level_of(day)
    other = day.composition.company.staff("HR")[0].id
    async with day.world:
        numbers, answers = await learned(day, way)
    assert [answer.answers for answer in answers] == numbers
    assert [answer.sender for answer in answers] == [holder, holder, other]
    assert [LEVEL.answer.search(answer.text) for answer in answers] == [level, None, None]


async def test_a_fact_is_asked_for_once_and_read_as_a_value() -> None:
    async def way(work: Work, task: str) -> list[int]:
        return [await fact_from(work, task, name, LEVEL) for _ in range(2)]

    day = await stock_day()
    holder, level = level_of(day)
    (name,) = (person.name for person in day.composition.company.people if person.id == holder)
    async with day.world:
        assert await learned(day, way) == [level, level]
        tools = [entry.tool for entry in await day.world.log()]
    assert tools.count("chat_send_message") == 1


async def test_an_answer_that_tells_something_else_is_none_and_names_what_is_missing() -> None:
    async def way(work: Work, task: str) -> Mapping[str, int]:
        return await work(Told(task, other, QUESTION))

    day = await stock_day()
    other = day.composition.company.staff("HR")[0].id
    async with day.world:
        with pytest.raises(ToolFailed, match=f"^nobody has told {LEVEL.name}$"):
            await learned(day, way)
    assert QUESTION.read("I do not know.") == {}


async def test_several_people_are_asked_until_one_tells() -> None:
    day = await stock_day()
    holder, level = level_of(day)
    first, second, *_ = (person.id for person in day.composition.company.staff("HR"))

    async def told_by(*persons: str) -> Mapping[str, int]:
        one = ToldByOne("T1", persons, QUESTION)
        return await learned(day, lambda work, task: work(one))

    async with day.world:
        assert await told_by(first, holder, second) == {LEVEL.name: level}
        sent = [entry for entry in await day.world.log() if entry.tool == "chat_send_message"]
        assert [entry.arguments["to"] for entry in sent] == [first, holder]
    day = await stock_day()
    async with day.world:
        with pytest.raises(ToolFailed, match=f"nobody knows {LEVEL.name}"):
            await told_by(first, second)


# people -------------------------------------------------------------------------------------


async def test_people_are_found_by_name_and_by_what_they_manage() -> None:
    day = await stock_day()
    boss = day.composition.company.department("Marketing").managers[0]

    async def way(work: Work, task: str) -> list[str]:
        needs = (
            ManagerOf("Marketing"),
            ManagerOf("Marketing", boss.name),
            PersonCalled(boss.name),
            PersonCalled(boss.name, "Marketing"),
            PersonCalled(boss.name, "HR"),
        )
        return [person.id for person in await work.all(needs)]

    async with day.world:
        assert await learned(day, way) == [boss.id] * 5


@pytest.mark.parametrize(
    "need", [ManagerOf("Marketing", "No Body"), PersonCalled("No Body"), PersonCalled("")]
)
async def test_nobody_is_found_whom_the_directory_does_not_have(
    need: ManagerOf | PersonCalled,
) -> None:
    day = await stock_day()
    async with day.world:
        with pytest.raises(ToolFailed, match=r"^nobody (manages Marketing|is called )"):
            await learned(day, lambda work, task: work(need))


# a whole department -------------------------------------------------------------------------


def event(variation: Variation = NO_VARIATION) -> ComposedDay:
    """Return a day on which the team event of Engineering, the largest department, is planned."""
    return day_of("A1", 1, department="Engineering", variation=variation)


async def ask_everybody(work: Work, task: str) -> dict[str, Any]:
    """Return when each person in Engineering is free, by id."""
    members = await work(DirectorySearch(department="Engineering"))
    asked = [
        Told(
            task,
            member.id,
            FreeDates("free", FREE_DATES, (("department", "Engineering"), ("member", member.id))),
        )
        for member in members
    ]
    told = await work.all(asked)
    pairs = zip(members, asked, told, strict=True)
    return {member.id: said[need.question.subjects[0]] for member, need, said in pairs}


async def test_everybody_is_asked_in_groups_and_each_answer_is_that_of_its_person() -> None:
    async with staged(event()) as day:
        told = await learned(day, ask_everybody)
        log = [entry.tool for entry in await day.world.log()]
    clues = day.composition.tasks[0].instance.hidden.clues
    assert len(clues) > 15
    assert told == {clue.holder: FREE_DATES.answer.search(clue.payload) for clue in clues}
    assert log.count("chat_read_history") < len(clues)
    assert log.count("chat_send_message") < len(clues) / 2, "several are asked in one message"


async def test_the_error_names_the_colleague_who_does_not_answer() -> None:
    (first, *_) = event().tasks[0].instance.hidden.clues
    async with staged(event(Variation(withheld=(first.id,)))) as day:
        with pytest.raises(ToolFailed, match=f"^nobody has told free Engineering {first.holder}$"):
            await learned(day, ask_everybody)


# asking who knows something ---------------------------------------------------------------


WHO = WhoKnows(
    "Who keeps the fee rates for fees.csv?",
    others=" in Finance knows the fee rates for fees.csv.",
    own="I know the fee rates for fees.csv.",
)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("Try this: Ada Smith in Finance knows the fee rates for fees.csv.", "Ada Smith"),
        ("I know the fee rates for fees.csv.", ""),
    ],
    ids=["somebody else", "whoever is asked"],
)
def test_the_named_colleague_is_read_from_an_answer(answer: str, named: str) -> None:
    assert WHO.read(answer) == dict.fromkeys(WHO.subjects, named)


@pytest.mark.parametrize(
    "answer",
    [
        "Ada Smith in Finance knows the fee rates for other_fees.csv.",
        "Ada Smith in Finance knows the fee rates for fees.csv2.",
        "I know the fee rates for other_fees.csv.",
        "No idea, sorry.",
    ],
)
def test_an_answer_about_something_else_names_nobody(answer: str) -> None:
    assert WHO.read(answer) == {}
