"""Real time is a limit like any other, and nobody can sit through it: not by sleeping, not by
catching what ends a day."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
import time
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from tests.harness.runs import LINKS, config, day, invoke, read, run_day
from tests.harness.session.test_agent_session import open_session
from trainee_bench.harness.session import cancellation, supervision
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.supervision import AgentExit, run_agent
from trainee_bench.harness.session.turns import InfrastructureFault, ToolCall
from trainee_bench.harness.support.interrupts import (
    forget_interrupts,
    interrupted,
    watched_interrupts,
)

SOON = EpisodeLimits(seconds=0.05)


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "STOP_GRACE_SECONDS", 0.05)
    monkeypatch.setattr(cancellation, "CLEANUP_SECONDS", 0.05)


class Asleep:
    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        await anyio.sleep_forever()


class Swallowing:
    """Takes no cancellation for an answer."""

    async def work(self, session: AgentSession) -> None:
        while True:
            try:
                await session.call("desk_now")
                await asyncio.sleep(3600)
            except BaseException:
                continue


class Shielded:
    """Cannot be reached by a cancellation at all."""

    async def work(self, session: AgentSession) -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep_forever()


class Leaving:
    """Goes home, and leaves something behind that takes no cancellation for an answer."""

    async def work(self, session: AgentSession) -> None:
        async def for_ever() -> None:
            while True:
                try:
                    await asyncio.sleep(3600)
                except BaseException:
                    continue

        self.task = asyncio.ensure_future(for_ever())
        await session.call("desk_tasks")


class InAGroup:
    """Waits inside scopes of its own, and catches what would end them."""

    async def work(self, session: AgentSession) -> None:
        async with anyio.create_task_group():
            with anyio.fail_after(3600):
                while True:
                    try:
                        await anyio.sleep(3600)
                    except BaseException:
                        continue


class Tidy:
    """Cleans up when its day is ended."""

    def __init__(self) -> None:
        self.tidied = False

    async def work(self, session: AgentSession) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
            self.tidied = True


async def test_the_time_limit_ends_a_day_and_is_no_error_of_the_agent() -> None:
    agent, (place, _) = Tidy(), open_session(SOON)
    conduct = await run_agent(agent, place)
    assert (conduct.ended, conduct.agent_error) == (EndReason.TIME_LIMIT, None)
    assert agent.tidied
    assert EndReason.TIME_LIMIT.limited


async def test_time_that_people_make_an_agent_wait_does_not_count() -> None:
    (place, _), asked = open_session(SOON), anyio.Event()

    def waited() -> float:
        """A while, when this is first asked."""
        if asked.is_set():
            return 0.0
        asked.set()
        return 0.2

    place.waited = waited
    conduct = await run_agent(Asleep(), place)
    assert asked.is_set()
    assert conduct.ended is EndReason.TIME_LIMIT

    class Held:
        async def work(self, session: AgentSession) -> None:
            await anyio.sleep(3 * (session.limits.seconds or 0))

    held, _ = open_session(SOON)
    held.waited = lambda: 3600.0
    assert (await run_agent(Held(), held)).ended is EndReason.AGENT


@pytest.mark.parametrize("agent", [Swallowing, Shielded, InAGroup])
async def test_an_agent_that_cannot_be_cancelled_is_left_behind(agent: type[Asleep]) -> None:
    place, _ = open_session(SOON)
    with anyio.fail_after(30):
        conduct = await run_agent(agent(), place)
    assert conduct.ended is EndReason.TIME_LIMIT
    assert conduct.agent_error is not None and "abandoned" in conduct.agent_error


async def test_an_agent_that_swallows_the_end_of_the_steps_is_abandoned_without_a_time_limit() -> (
    None
):
    class Tireless:
        async def work(self, session: AgentSession) -> None:
            while True:
                try:
                    await session.call("work")
                except BaseException:
                    continue

    place, transport = open_session(EpisodeLimits(steps=3))
    with anyio.fail_after(30):
        conduct = await run_agent(Tireless(), place)
    assert conduct.ended is EndReason.STEP_LIMIT
    assert len(transport.made) == 3


async def test_a_call_that_never_comes_back_falls_under_the_time_limit_and_its_step_counts() -> (
    None
):
    place, transport = open_session(SOON)

    async def call(name: str, arguments: object) -> None:
        if name == "never":
            await anyio.sleep_forever()

    transport.call = call  # type: ignore[method-assign, assignment]

    class Calling:
        async def work(self, session: AgentSession) -> None:
            await session.turn([ToolCall("never"), ToolCall("a")])

    conduct = await run_agent(Calling(), place)
    assert conduct.ended is EndReason.TIME_LIMIT
    assert (place.counts.steps, len(place.record), place.record[0].calls) == (1, 1, ())


async def test_tasks_that_an_agent_left_running_can_make_no_call_after_its_day() -> None:
    class Calling:
        async def work(self, session: AgentSession) -> None:
            self.task = asyncio.ensure_future(self.later(session))

        async def later(self, session: AgentSession) -> None:
            await asyncio.sleep(0.01)
            await session.call("a")

    place, transport = open_session()
    agent = Calling()
    await run_agent(agent, place)
    await asyncio.wait({agent.task}, timeout=0.1)
    assert transport.made == []
    agent.task.cancel()


async def test_stopping_the_run_is_not_delayed_by_an_agent_that_swallows_it() -> None:
    with anyio.fail_after(30), anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(run_agent, Shielded(), open_session()[0])
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
    assert scope.cancelled_caught


@pytest.mark.parametrize(
    "raised",
    [
        InfrastructureFault("I say the service is down"),
        ExceptionGroup("g", [InfrastructureFault("I say the service is down")]),
    ],
)
async def test_any_exception_of_an_agent_is_its_own_error(raised: Exception) -> None:
    class Blaming:
        async def work(self, session: AgentSession) -> None:
            raise raised

    conduct = await run_agent(Blaming(), open_session()[0])
    assert conduct.ended is EndReason.AGENT_ERROR
    assert conduct.agent_error == "InfrastructureFault: I say the service is down"


async def test_a_recorded_fault_breaks_the_episode_even_if_the_agent_hides_it() -> None:
    class Hiding:
        async def work(self, session: AgentSession) -> None:
            session.break_off(InfrastructureFault("the service is down"))

    with pytest.raises(InfrastructureFault, match="the service is down"):
        await run_agent(Hiding(), open_session()[0])


@pytest.mark.parametrize("agent", ["Asleep", "Swallowing"])
def test_a_run_ends_though_an_agent_never_does_and_its_day_is_graded(
    tmp_path: Path, agent: str
) -> None:
    out = run_day(tmp_path, "--agent", f"{__name__}:{agent}", "--max-seconds", "2")
    (result,) = read(out)
    assert (result.ended, result.score, result.error) == (EndReason.TIME_LIMIT, 0, None)
    assert result.steps >= 1
    assert result.identity is not None
    assert result.identity.limits.seconds == 2
    assert "at limit" in (out / "report.md").read_text(encoding="utf-8")


def test_tasks_that_an_agent_left_running_do_not_delay_the_run(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", f"{__name__}:Leaving")
    (result,) = read(out)
    assert (result.ended, result.agent_error) == (EndReason.AGENT, None)


class Interrupted:
    """Does not let the event loop run, and takes no interrupt for an answer."""

    async def work(self, session: AgentSession) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            while True:
                time.sleep(0.01)  # noqa: ASYNC251 - just that
        except BaseException:
            return


def test_an_interrupt_by_the_user_ends_the_run_and_is_nobodys_failure() -> None:
    async def run() -> None:
        with watched_interrupts():
            await run_agent(Interrupted(), open_session()[0])

    with pytest.raises(KeyboardInterrupt):
        anyio.run(run)
    assert interrupted()
    forget_interrupts()


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
async def test_a_task_of_an_agent_ends_alone_whatever_it_raises(error: BaseException) -> None:
    async def fail() -> None:
        raise error

    class Delegating:
        async def work(self, session: AgentSession) -> None:
            with contextlib.suppress(Exception):
                await asyncio.create_task(fail())
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())

    conduct = await run_agent(Delegating(), open_session()[0])
    assert conduct.ended is EndReason.AGENT_ERROR
    assert type(error).__name__ in str(conduct.agent_error)


def test_a_thread_in_which_an_agent_waits_does_not_hold_the_run() -> None:
    done = threading.Event()

    class InAThread:
        async def work(self, session: AgentSession) -> None:
            await asyncio.to_thread(done.wait)

    async def run() -> AgentExit:
        return await run_agent(InAThread(), open_session(SOON)[0])

    assert anyio.run(run).ended is EndReason.TIME_LIMIT
    assert not done.is_set()
    done.set()


class Ends:
    """Ends the event loop in a way that nothing keeps it from."""

    async def work(self, session: AgentSession) -> None:
        loop = asyncio.get_running_loop()
        await session.call("desk_now")
        self.ways[self.way](loop)
        await asyncio.sleep(3600)

    way: str
    ways = {
        "exit": lambda loop: loop.call_soon(sys.exit, 5),
        "stop": lambda loop: loop.stop(),
        "cancel": lambda loop: [task.cancel() for task in asyncio.all_tasks(loop)],
    }


@pytest.mark.parametrize("way", Ends.ways)
def test_an_agent_that_ends_the_event_loop_is_named_and_the_run_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(Ends, "way", way, raising=False)
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke("--config", path, "--agent", f"{__name__}:Ends", "--out", out, exits=1)
    assert "An agent has ended the event loop" in done.output
    monkeypatch.setitem(Ends.ways, way, lambda loop: sys.exit(5))
    invoke("--resume", out)
    assert [result.agent_error for result in read(out)] == ["SystemExit: 5"]
