"""Output tokens take simulated minutes: whole ones, once a reply, before its calls are made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.session.test_agent_session import DAY, FakeTransport
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.thinking import ThinkingPace, TimedThinking
from trainee_bench.harness.session.turns import InfrastructureFault, Thought, ToolCall
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day

PACE = 300
LIMITS = EpisodeLimits(tokens_per_minute=PACE)


class SharedClock:
    """The clock of the office that the transport stands for."""

    def __init__(self, transport: FakeTransport):
        self.transport = transport
        self.passed: list[int] = []

    async def pass_minutes(self, minutes: int) -> datetime:
        self.passed.append(minutes)
        self.transport.now = min(self.transport.now + timedelta(minutes=minutes), DAY.ends)
        return self.transport.now


class BrokenClock:
    async def pass_minutes(self, minutes: int) -> datetime:
        raise OSError("no space left")


def thinks(tokens: int | None) -> Thought:
    return Thought("Hm.", model="m", completion_tokens=tokens)


class Thinking:
    """Makes a turn of these calls for each reply of so many tokens."""

    def __init__(self, *replies: int | None, calls: tuple[str, ...] = ("a",)):
        self.replies = replies
        self.calls = calls

    async def work(self, session: AgentSession) -> None:
        for tokens in self.replies:
            await session.turn([ToolCall(name) for name in self.calls], thinks(tokens))


def opened(limits: EpisodeLimits = LIMITS) -> tuple[AgentSession, SharedClock]:
    transport = FakeTransport()
    clock = SharedClock(transport)
    thinking = TimedThinking(PACE, clock)
    return AgentSession(transport, [], "Work.", DAY, limits, thinking=thinking), clock


async def test_tokens_that_took_no_whole_minute_count_with_the_next_reply() -> None:
    session, clock = opened()
    await run_agent(Thinking(100, 100, 150, 249, 1, 900), session)
    assert clock.passed == [1, 1, 3]
    assert [turn.thinking_minutes for turn in session.record] == [0, 0, 1, 0, 1, 3]


@given(st.lists(st.integers(0, 5_000), max_size=30), st.integers(1, 1_000))
def test_replies_take_together_what_one_long_reply_takes(tokens: list[int], pace: int) -> None:
    carrying = ThinkingPace(pace)
    assert sum(map(carrying.minutes, tokens)) == sum(tokens) // pace
    assert carrying.carried == sum(tokens) % pace


async def test_a_turn_of_several_calls_is_charged_once_and_before_the_first() -> None:
    session, clock = opened()
    await run_agent(Thinking(600, calls=("a", "b", "c")), session)
    assert clock.passed == [2]
    (turn,) = session.record
    assert turn.began == DAY.starts
    assert [answer.time for answer in turn.answers] == [
        DAY.starts + timedelta(minutes=minutes) for minutes in (12, 22, 32)
    ]


async def test_a_reply_without_calls_and_an_aside_take_time_too() -> None:
    session, clock = opened()

    class Rambling:
        async def work(self, session: AgentSession) -> None:
            await session.turn([], thinks(300))
            await session.aside(thinks(700))

    await run_agent(Rambling(), session)
    assert clock.passed == [1, 2]
    assert session.now == DAY.starts + timedelta(minutes=3)


async def test_the_day_may_end_in_the_middle_of_a_thought() -> None:
    session, clock = opened()
    conduct = await run_agent(Thinking(10**9, 300), session)
    assert conduct.ended is EndReason.DAY_OVER
    assert session.over and len(session.record) == 1 == len(clock.passed)


async def test_replies_without_tokens_are_counted_and_too_many_are_a_fault() -> None:
    session, clock = opened()
    await run_agent(Thinking(None, None, None, None, 300, None, None, None, None), session)
    assert session.counts.incidents == {"uncounted_thinking": 8}
    assert clock.passed == [1]
    again, _ = opened()
    with pytest.raises(InfrastructureFault, match="does not report the tokens"):
        await run_agent(Thinking(*[None] * 5), again)


async def test_a_clock_that_fails_is_a_fault_of_the_infrastructure() -> None:
    session = AgentSession(
        FakeTransport(), [], "Work.", DAY, LIMITS, thinking=TimedThinking(PACE, BrokenClock())
    )
    with pytest.raises(InfrastructureFault, match="no space left"):
        await run_agent(Thinking(300), session)


@pytest.mark.parametrize(
    "made",
    [
        lambda: AgentSession(FakeTransport(), [], "", DAY, LIMITS),
        lambda: opened(EpisodeLimits()),
        lambda: opened()[0].restore([]),
    ],
    ids=["no-clock", "no-pace", "continued"],
)
async def test_a_session_that_could_not_charge_exactly_is_refused(
    made: Callable[[], object],
) -> None:
    with pytest.raises(ValueError, match="thinking"):
        made()


async def test_a_refused_call_does_not_claim_that_no_time_passed() -> None:
    session, _ = opened()
    await run_agent(Thinking(900, calls=("a",) * 4), session)
    assert "the call took no time" in session.record[0].answers[3].text
    plain = AgentSession(FakeTransport(), [], "Work.", DAY, EpisodeLimits())
    await run_agent(Thinking(900, calls=("a",) * 4), plain)
    assert "Nothing happened and no time passed;" in plain.record[0].answers[3].text


async def test_the_prompt_says_in_one_sentence_how_much_time_thinking_takes() -> None:
    day = await stage_day(single_task_day("kb_fix.easy", 1))
    async with day.world:
        off = await day.world.read(lambda tx: build_prompt(tx, EpisodeLimits()))
        slow = await day.world.read(lambda tx: build_prompt(tx, LIMITS))
        alone = await day.world.read(lambda tx: build_prompt(tx, None, PACE))
    said = (
        "Thinking takes time, too: one minute for every 300 tokens that you write, your "
        "reasoning included. "
    )
    assert slow.replace(said, "") == off
    assert said in slow and said in alone and "turns" not in alone
    assert "one minute. No other time passes. You may make up to 3 calls" in off


def test_limits_without_it_are_written_as_before() -> None:
    assert "tokens_per_minute" not in EpisodeLimits().model_dump_json()
    assert EpisodeLimits.model_validate_json(LIMITS.model_dump_json()) == LIMITS
