"""A person as an agent: calls come from outside, and the day ends as any agent's does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from trainee_bench.harness.agents.agent import UnknownAgent
from trainee_bench.harness.agents.person import PersonAgent, PersonHasLeft
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.agents.runtime.runner import AgentRunner, forgets
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.supervision import AgentExit, run_agent
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import compose_day

CONFIG = AgentConfig(name="person", agent="person", isolation="person")


@asynccontextmanager
async def seated(
    steps: int = 150, place: int = 0, days: int = 1
) -> AsyncIterator[tuple[PersonAgent, AgentSession, asyncio.Task[AgentExit]]]:
    """A person at work, the session, and how it will end."""
    staged = await stage_day(compose_day(find_scenario(), 0))
    async with staged.world:
        transport = InProcessToolTransport(staged.seat)
        limits = EpisodeLimits(steps=steps)
        day = staged.composition.today
        session = AgentSession(transport, transport.tools({}), "", day, limits, place, days)
        person = PersonAgent()
        working = asyncio.create_task(run_agent(person, session))
        await person.begun.wait()
        yield person, session, working
        working.cancel()


async def test_a_call_is_a_turn_and_whoever_leaves_has_finished_the_day() -> None:
    async with seated() as (person, session, working):
        answer = await person.call("desk_write_note", {"text": "mine"})
        assert answer.text.startswith("Note 1") and session.counts.steps == 1
        failed = await person.call("mail_read", {"mail": 9})
        assert failed.failed and session.counts.failed_calls == 1
        person.leave("Aids: none")
        assert (await working).ended is EndReason.AGENT
        assert [thought.message for thought in session.asides] == ["Aids: none"]
        with pytest.raises(PersonHasLeft, match="day is over"):
            await person.call("desk_now", {})


async def test_a_finished_day_waits_for_the_answer_of_its_person() -> None:
    async with seated() as (person, _, working):
        await person.call("desk_finish_day", {})
        await asyncio.sleep(0)
        assert person.day_over and not working.done()
        with pytest.raises(PersonHasLeft):
            await person.call("desk_now", {})
        person.leave()
        assert (await working).ended is EndReason.AGENT


async def test_the_clock_and_the_limit_of_steps_end_a_persons_day_as_an_agents() -> None:
    async with seated() as (person, _, working):
        await person.call("desk_wait", {"until": "20:00", "wake": False})
        person.leave()
        assert (await working).ended is EndReason.DAY_OVER
    async with seated(steps=2) as (person, _, working):
        await person.call("desk_now", {})
        await person.call("desk_now", {})
        person.leave()
        assert (await working).ended is EndReason.STEP_LIMIT


async def test_between_the_days_of_a_week_nobody_is_asked() -> None:
    async with seated(place=0, days=2) as (person, _, working):
        await person.call("desk_finish_day", {})
        assert (await working).ended is EndReason.AGENT
        assert not person.day_over


async def test_who_leaves_on_a_day_of_a_week_has_left_for_all_its_days() -> None:
    async with seated(place=0, days=2) as (person, session, working):
        person.leave()
        assert (await working).ended is EndReason.AGENT
        session.ended, session.place, session.another_day_follows = None, 1, False
        assert (await run_agent(person, session)).ended is EndReason.AGENT


async def test_a_day_that_breaks_off_leaves_no_call_without_an_answer() -> None:
    async with seated() as (person, session, working):
        session.stop(EndReason.TIME_LIMIT)
        await working
        with pytest.raises(PersonHasLeft):
            await asyncio.wait_for(person.call("desk_now", {}), 5)


def test_a_person_is_known_by_name_remembers_and_is_kept_for_a_further_try() -> None:
    assert find_agent("person") is PersonAgent and "person" not in discover_agents()
    assert not forgets(CONFIG)
    person = PersonAgent()
    runner = AgentRunner(CONFIG, agent=person)
    runner.reset()
    assert runner._agent is person
    with pytest.raises(UnknownAgent):
        find_agent("persona")
