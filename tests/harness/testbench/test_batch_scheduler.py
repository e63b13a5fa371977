"""Several oracles' calls in one turn: as many as fit, and none that makes another late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
from pydantic import JsonValue

from tests.harness.testbench.test_scheduler import COSTS, MORNING, Diary
from trainee_bench.harness.testbench.scheduler import run_oracles_batched
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed, ToolResponse


class Turns(Diary):
    """An office that tells the time, and keeps a diary of the turns."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[int] = []

    async def call_many(
        self, calls: Sequence[tuple[str, Mapping[str, JsonValue]]]
    ) -> Sequence[ToolResponse | ToolFailed]:
        self.turns.append(len(calls))
        answers: list[ToolResponse | ToolFailed] = []
        for tool, arguments in calls:
            try:
                answers.append(await self.call(tool, arguments))
            except ToolFailed as failed:
                answers.append(failed)
        return answers


async def run(at_once: int, **oracles: Any) -> tuple[Turns, dict[str, Exception]]:
    office = Turns()
    return office, await run_oracles_batched(office, COSTS, oracles, at_once)


async def works(client: ToolClient) -> None:
    for _ in range(4):
        await client.call("quick", who=client.task)


@pytest.mark.parametrize(("at_once", "turns"), [(1, [1] * 12), (2, [2] * 6), (3, [3] * 4)])
async def test_calls_of_different_oracles_share_a_turn_up_to_the_limit(
    at_once: int, turns: list[int]
) -> None:
    office, failures = await run(at_once, T1=works, T2=works, T3=works)
    assert not failures
    assert office.turns == turns


async def test_one_oracle_never_has_two_calls_in_a_turn() -> None:
    office, _ = await run(3, T1=works)
    assert office.turns == [1, 1, 1, 1]


async def test_what_would_run_into_an_appointment_behind_the_others_waits() -> None:
    async def meets(client: ToolClient) -> None:
        await client.wait_until(MORNING + timedelta(minutes=7))
        await client.call("quick", who="meeting")

    async def toils(client: ToolClient) -> None:
        await client.call("slow", who=client.task)

    office, failures = await run(3, T1=meets, T2=toils, T3=toils)
    assert not failures
    assert ("08:07", "quick meeting") in office.entries
    assert office.turns[0] == 1


async def test_a_refused_call_of_a_turn_reaches_its_own_oracle_alone() -> None:
    heard: list[str] = []

    async def breaks(client: ToolClient) -> None:
        try:
            await client.call("broken")
        except ToolFailed as error:
            heard.append(str(error))
        await client.call("quick", who="after all")

    office, failures = await run(2, T1=breaks, T2=works)
    assert not failures
    assert heard == ["it does not work"]
    assert [entry for _, entry in office.entries].count("quick T2") == 4
    assert "quick after all" in [entry for _, entry in office.entries]


class Listed(Turns):
    """An office whose desk lists when tasks are due."""

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        answer = await super().call(tool, arguments)
        if tool != "desk_tasks":
            return answer
        due = {"T1": 12, "T2": 18, "T3": 18}
        tasks = [
            {"id": id, "deadline": answer.time.replace(hour=hour).isoformat()}
            for id, hour in due.items()
        ]
        return ToolResponse("", {"tasks": tasks}, answer.time)


async def test_what_is_less_urgent_takes_no_minute_of_what_is_urgent() -> None:
    async def looks_and_works(client: ToolClient) -> None:
        await client.call("desk_tasks")
        await works(client)

    office = Listed()
    await run_oracles_batched(office, COSTS, dict.fromkeys(("T1", "T2", "T3"), looks_and_works), 3)
    assert [entry for _, entry in office.entries[-12:-8]] == ["quick T1"] * 4
    assert office.turns == [3, 1, 1, 1, 1, 2, 2, 2, 2]
