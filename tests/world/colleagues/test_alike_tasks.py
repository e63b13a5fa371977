"""Colleagues who wait to hear something for one task, and are asked something for alike ones."""

from __future__ import annotations

import pytest

from tests.world.colleagues.test_knowledge import ask, heard
from tests.world.office import MARA, at_ten
from trainee_bench.world.colleagues.expectation_matching import MAX_WRONG_GUESSES
from trainee_bench.world.colleagues.knowledge import (
    Clue,
    ClueAdded,
    Expectation,
    ExpectationAdded,
    Shortfall,
)

CUT = Expectation(
    id="T2/told_of_the_cut_1",
    holder=MARA,
    values=(("transactions_2.csv",),),
    reply="Thank you for counting.",
    shortfall=Shortfall(there=72, whole=430),
    asks_back="How many records of transactions_2.csv arrived?",
)
REPORT = "There are only 72 of 430 records in transactions_2.csv."


def limit(task: int) -> Clue:
    """The approval limit for a task, which colleagues tell apart from alike ones."""
    file, about = f"transactions_{task}.csv", f"(T{task})"
    asks = (
        f"Which approval limit is in force for {file}? {about}",
        f"What is the approval limit for the payments in {file}? {about}",
        f"From which amount do the payments of {file} need an approval? {about}",
        f"How much may be paid without an approval in {file}? {about}",
        f"What limit holds for approvals of {file}? {about}",
    )
    payload = f"The limit for {file} is EUR {task}00."
    return Clue(
        id=f"T{task}/limit", holder=MARA, payload=payload, asks=asks, keys=(file, f"T{task}")
    )


@pytest.mark.parametrize("named", [True, False], ids=["with its id", "without its id"])
async def test_a_question_for_another_task_is_no_wrong_value(named: bool) -> None:
    others = [limit(task) for task in range(3, 4 + MAX_WRONG_GUESSES)]
    events = (ExpectationAdded(expectation=CUT), *(ClueAdded(clue=clue) for clue in others))
    async with await at_ten(*events) as world:
        for clue in others:
            question = clue.asks[0] if named else clue.asks[0].rpartition(" ")[0]
            answer = await ask(world, MARA, question)
            assert clue.payload in answer and CUT.asks_back not in answer
        assert CUT.reply in await ask(world, MARA, REPORT)


async def test_a_value_that_is_given_for_another_task_is_not_heard() -> None:
    events = (ExpectationAdded(expectation=CUT), ClueAdded(clue=limit(3)))
    async with await at_ten(*events) as world:
        assert CUT.reply not in await ask(world, MARA, f"{REPORT} (T3)")
        assert not await heard(world, CUT.id)
        assert CUT.reply in await ask(world, MARA, f"For T2 and T3: {REPORT}")


async def test_wrong_values_for_the_task_itself_still_count() -> None:
    events = (ExpectationAdded(expectation=CUT), ClueAdded(clue=limit(3)))
    async with await at_ten(*events) as world:
        for count in (60, 61, 62):
            await ask(world, MARA, f"There are {count} of 430 records in transactions_2.csv (T2).")
        assert CUT.reply not in await ask(world, MARA, REPORT)


async def test_a_list_of_servers_gives_none_though_each_is_of_some_task() -> None:
    waits = Expectation(
        id="T2/diagnosis", holder=MARA, values=(("app-01",),), reply="So that is it."
    )
    asked = limit(3).model_copy(update={"keys": ("app-02", "T3")})
    async with await at_ten(ExpectationAdded(expectation=waits), ClueAdded(clue=asked)) as world:
        assert waits.reply not in await ask(world, MARA, "It is app-01 or app-02.")
        assert waits.reply in await ask(world, MARA, "It is app-01.")


async def test_wrong_values_for_one_task_leave_those_of_another_to_be_heard() -> None:
    other = CUT.model_copy(
        update={"id": "T3/told_of_the_cut_1", "values": (("transactions_3.csv",),)}
    )
    events = (*(ExpectationAdded(expectation=e) for e in (CUT, other)), ClueAdded(clue=limit(3)))
    async with await at_ten(*events) as world:
        for count in (60, 61, 62):
            await ask(world, MARA, f"There are {count} of 430 records in transactions_2.csv (T2).")
        assert CUT.reply not in await ask(world, MARA, f"{REPORT} (T2)")
        assert CUT.reply in await ask(world, MARA, f"{REPORT.replace('_2', '_3')} (T3)")
        assert await heard(world, other.id) and not await heard(world, CUT.id)
