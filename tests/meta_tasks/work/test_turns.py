"""Several calls in one turn: as many as fit, and none that makes a more urgent one late."""

from __future__ import annotations

import pytest

from tests.meta_tasks.work.diary_office import Diary, Step, Steps, at, worked
from tests.meta_tasks.work.test_planner import calls, meets
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.scripted import scripted


@pytest.mark.parametrize(("at_once", "turns"), [(2, [2] * 4), (3, [3] * 4), (9, [3] * 4)])
async def test_calls_for_different_tasks_share_a_turn_up_to_the_limit(
    at_once: int, turns: list[int]
) -> None:
    office = Diary()
    works = dict.fromkeys(("T1", "T2", "T3"), calls("quick", 4))
    assert await worked(office, at_once=at_once, **works) == {}
    assert office.turns == turns


async def test_with_one_call_a_turn_no_turn_is_made_of_several() -> None:
    office = Diary()
    assert await worked(office, at_once=1, T1=calls("quick", 4), T2=calls("quick", 4)) == {}
    assert (office.turns, len(office.done("quick"))) == ([], 8)


async def test_a_script_makes_one_call_after_the_other() -> None:
    office = Diary()
    assert await worked(office, at_once=3, T1=calls("quick", 4)) == {}
    assert office.turns == []


async def test_needs_of_one_task_that_are_wanted_side_by_side_share_a_turn() -> None:
    async def work(work: Work, task: str) -> None:
        await work.all(Step(task, number, "quick") for number in range(3))

    office = Diary()
    assert await worked(office, at_once=3, T1=work) == {}
    assert office.turns == [3]


async def test_a_call_that_would_run_into_an_appointment_waits() -> None:
    office = Diary()
    works = {"T1": meets(at(8, 7)), "T2": calls("slow"), "T3": calls("slow")}
    assert await worked(office, at_once=3, **works) == {}
    assert office.entries[1:] == [
        ("08:00", "slow T2"),
        ("08:05", "desk_wait"),
        ("08:07", "quick T1"),
        ("08:08", "slow T3"),
    ]


async def test_a_refused_call_of_a_turn_reaches_its_own_task_alone() -> None:
    heard: list[str] = []

    async def breaks(client: ToolClient) -> None:
        try:
            await client.call("broken", who=client.task)
        except ToolFailed as error:
            heard.append(str(error))
        await client.call("quick", who="after all")

    office = Diary()
    assert await worked(office, at_once=2, T1=scripted(breaks), T2=calls("quick", 4)) == {}
    assert heard == ["it does not work"]
    assert office.done("quick").count("T2") == 4
    assert "after" in office.done("quick")


async def test_less_urgent_calls_take_no_minute_from_urgent_ones() -> None:
    office = Diary({"T1": at(12), "T2": at(18), "T3": at(18)})
    works = dict.fromkeys(("T1", "T2", "T3"), Steps(4, "slow"))
    assert await worked(office, at_once=3, **works) == {}
    assert office.done("slow")[:4] == ["T1"] * 4
    assert office.turns == [2, 2, 2, 2]
