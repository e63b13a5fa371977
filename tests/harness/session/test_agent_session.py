"""The workplace holds the limits: calls a turn, steps, the day; nobody can go on past them."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import anyio
import pytest
from pydantic import JsonValue

from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.turns import (
    InfrastructureFault,
    ModelUsage,
    Thought,
    ToolCall,
    ToolResult,
    total_usage,
)
from trainee_bench.world.transaction import WorkingDay

DAY = WorkingDay(datetime(2025, 10, 1, 8), datetime(2025, 10, 1, 20))


class FakeTransport:
    """Takes ten minutes for each call, refuses the tool "fail", breaks at "break"."""

    def __init__(self) -> None:
        self.now = DAY.starts
        self.made: list[str] = []

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        await anyio.lowlevel.checkpoint()
        if name == "break":
            raise ConnectionError("the line is dead")
        self.made.append(name)
        self.now += timedelta(minutes=10)
        return ToolResult(f"did {name}", {"name": name}, self.now, failed=name == "fail")


class Scripted:
    def __init__(self, *turns: list[str]):
        self.turns = turns
        self.answers: list[tuple[ToolResult, ...]] = []

    async def work(self, session: AgentSession) -> None:
        for tx in self.turns:
            self.answers.append(await session.turn([ToolCall(name) for name in tx]))


class Tireless:
    """Goes on for ever, and takes no exception for an answer."""

    async def work(self, session: AgentSession) -> None:
        while True:
            try:
                await session.call("work")
            except Exception:
                continue


class Breaking:
    def __init__(self, error: BaseException):
        self.error = error

    async def work(self, session: AgentSession) -> None:
        await session.call("work")
        raise self.error


def open_session(limits: EpisodeLimits | None = None) -> tuple[AgentSession, FakeTransport]:
    transport = FakeTransport()
    return AgentSession(transport, [], "Work.", DAY, limits or EpisodeLimits()), transport


async def test_calls_beyond_three_a_turn_are_refused_in_words_counted_and_not_made() -> None:
    place, transport = open_session()
    agent = Scripted(["a", "b", "c", "d", "e"], ["f"])
    await run_agent(agent, place)
    assert transport.made == ["a", "b", "c", "f"]
    made, refused = agent.answers[0][:3], agent.answers[0][3:]
    assert all(not answer.failed for answer in made)
    assert all(answer.failed and "next turn" in answer.text for answer in refused)
    assert [answer.time for answer in refused] == [None, None]
    assert (place.counts.tool_calls, place.counts.refused_calls, place.counts.steps) == (4, 2, 2)


async def test_failed_calls_are_counted_apart() -> None:
    place, _ = open_session()
    await run_agent(Scripted(["fail", "a"]), place)
    assert (place.counts.tool_calls, place.counts.failed_calls) == (2, 1)


async def test_an_agent_that_comes_to_its_end_ends_its_day() -> None:
    place, _ = open_session()
    assert (await run_agent(Scripted(["a"]), place)).ended is EndReason.AGENT


async def test_the_step_limit_ends_an_agent_that_would_never_stop() -> None:
    place, transport = open_session(EpisodeLimits(steps=5))
    conduct = await run_agent(Tireless(), place)
    assert conduct.ended is EndReason.STEP_LIMIT
    assert conduct.agent_error is None
    assert len(transport.made) == 5 == place.counts.steps


async def test_the_end_of_the_day_ends_an_agent_that_would_never_stop() -> None:
    place, transport = open_session()
    conduct = await run_agent(Tireless(), place)
    assert conduct.ended is EndReason.DAY_OVER
    assert transport.now == DAY.ends


@pytest.mark.parametrize(
    "error",
    [
        ValueError("my own mistake"),
        ExceptionGroup("g", [KeyError("x")]),
        SystemExit(3),
        KeyboardInterrupt("of its own"),
        BaseException("of a library's own"),
        GeneratorExit(),
        BaseExceptionGroup("g", [SystemExit(3)]),
        asyncio.CancelledError("leaked from a library"),
    ],
)
async def test_an_exception_of_an_agent_is_its_own_failure(error: BaseException) -> None:
    place, transport = open_session()
    conduct = await run_agent(Breaking(error), place)
    assert conduct.ended is EndReason.AGENT_ERROR
    leaf = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error
    assert conduct.agent_error == f"{type(leaf).__name__}: {leaf}".strip()
    assert transport.made == ["work"]


async def test_a_broken_line_is_a_fault_of_the_infrastructure_even_if_the_agent_hides_it() -> None:
    class Hiding:
        async def work(self, session: AgentSession) -> None:
            for name in ("break", "a"):
                try:
                    await session.call(name)
                except Exception:
                    continue

    place, transport = open_session()
    with pytest.raises(InfrastructureFault, match="the line is dead"):
        await run_agent(Hiding(), place)
    assert transport.made == []


async def test_an_agents_tasks_of_its_own_are_ended_with_it() -> None:
    class Many:
        async def work(self, session: AgentSession) -> None:
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(Tireless().work, session)

    place, _ = open_session(EpisodeLimits(steps=7))
    assert (await run_agent(Many(), place)).ended is EndReason.STEP_LIMIT
    assert place.counts.steps == 7


async def test_the_record_keeps_thoughts_calls_and_answers_in_order() -> None:
    class Thinking:
        async def work(self, session: AgentSession) -> None:
            await session.turn(
                [ToolCall("a", {"x": 1}), ToolCall("b", id="mine")], Thought("First.")
            )
            await session.turn([], Thought("Only thinking."))

    place, _ = open_session()
    await run_agent(Thinking(), place)
    first, second = place.record
    assert [call.id for call in first.calls] == ["call-1-1", "mine"]
    assert [answer.text for answer in first.answers] == ["did a", "did b"]
    assert first.began == DAY.starts
    assert second.began == DAY.starts + timedelta(minutes=20)
    assert (second.thought.message, second.calls) == ("Only thinking.", ())
    assert place.counts.steps == 2


NESTED: list[object] = []
for _ in range(3_000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("a", {"text": "half of a character: \ud83d"}),
        ToolCall("a\ud83d"),
        ToolCall("a", {"number": math.nan}),
        ToolCall("a", {"number": math.inf}),
        ToolCall("a", {"values": {1, 2}}),  # type: ignore[dict-item]
        ToolCall("a", {"value": object()}),  # type: ignore[dict-item]
        ToolCall("a", {"list": NESTED}),  # type: ignore[dict-item]
        ToolCall("a", json.loads('{"a":' * 101 + "1" + "}" * 101)),
        ToolCall("a", {"text": "x" * 8_000_000}),
        ToolCall(None),  # type: ignore[arg-type]
        ToolCall("a", ["text"]),  # type: ignore[arg-type]
    ],
    ids=[
        "text",
        "name",
        "nan",
        "infinity",
        "set",
        "object",
        "depth",
        "objects",
        "length",
        "none",
        "list",
    ],
)
async def test_a_call_that_no_wire_could_carry_is_refused_in_words_and_the_day_goes_on(
    call: ToolCall,
) -> None:
    place, transport = open_session()
    unsound, sound = await place.turn([call, ToolCall("b")])
    assert unsound.failed
    assert "correct it and call again" in unsound.text
    assert unsound.time is None
    assert not sound.failed
    assert transport.made == ["b"]
    assert (place.counts.tool_calls, place.counts.refused_calls) == (1, 1)


async def test_an_error_in_half_characters_can_be_recorded() -> None:
    conduct = await run_agent(Breaking(ValueError("a\ud83db")), open_session()[0])
    assert (conduct.agent_error or "").encode() == b"ValueError: a b"


async def test_an_agent_that_cancels_its_own_task_ends_its_day_and_nothing_else() -> None:
    class Gone:
        async def work(self, session: AgentSession) -> None:
            await session.call("a")
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await session.call("b")

    place, transport = open_session()
    conduct = await run_agent(Gone(), place)
    assert conduct.ended is EndReason.AGENT_ERROR
    assert transport.made == ["a"]


async def test_cancelling_an_episode_ends_the_agents_work() -> None:
    ended = []

    class Asleep:
        async def work(self, session: AgentSession) -> None:
            try:
                await anyio.sleep_forever()
            finally:
                ended.append("ended")

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(run_agent, Asleep(), open_session()[0])
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
    assert scope.cancelled_caught
    assert ended == ["ended"]


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), "7", True])
async def test_tokens_and_money_that_are_none_are_unknown(wrong: Any) -> None:
    place, _ = open_session(EpisodeLimits(tokens=100, cost_usd=1))
    await place.turn([], Thought("I think.", None, "m", wrong, 2.0, wrong, wrong))  # type: ignore[arg-type]
    await place.aside(Thought("Besides.", None, "m", 1, wrong, 0.5))
    assert total_usage(place.thoughts) == ModelUsage(1, 2, None, None)


async def test_an_object_that_is_no_thought_counts_as_silence() -> None:
    place, _ = open_session()
    nothing: Any = None
    await place.turn([], nothing)
    assert place.thoughts == [Thought()]
