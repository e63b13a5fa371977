"""What an agent raises ends its own episode, whatever it is, and whatever happens to its text."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.harness.runs import LINKS, config, day, invoke, named, read
from tests.harness.session.test_agent_session import open_session
from trainee_bench.harness.agents.agent import Agent
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.harness.session.supervision import AgentExit, run_agent


class Mute(Exception):
    """Has no text: what makes it raises."""

    def __init__(self, raised: BaseException):
        self.raised = raised

    def __str__(self) -> str:
        raise self.raised


class MuteStop(KeyboardInterrupt):
    def __str__(self) -> str:
        raise KeyboardInterrupt


NO_TEXT = "(its message is missing: creating it raised an error)"


@pytest.mark.parametrize(
    "raised", [RuntimeError("no text"), asyncio.CancelledError(), KeyboardInterrupt(), SystemExit()]
)
async def test_an_error_whose_text_cannot_be_made_ends_only_its_agents_day(
    raised: BaseException,
) -> None:
    class Wordless:
        async def work(self, session: AgentSession) -> None:
            raise Mute(raised)

    place, _ = open_session()
    ended = await run_agent(Wordless(), place)
    assert ended == AgentExit(EndReason.AGENT_ERROR, f"Mute: {NO_TEXT}")


async def test_a_task_of_an_agent_whose_stop_has_no_text_ends_only_the_agent() -> None:
    class Delegating:
        async def work(self, session: AgentSession) -> None:
            async def stop() -> None:
                raise MuteStop

            await asyncio.create_task(stop())

    place, _ = open_session()
    ended = await run_agent(Delegating(), place)
    assert ended == AgentExit(EndReason.AGENT_ERROR, f"AgentTaskExit: MuteStop: {NO_TEXT}")


class CancelledBeforeWork:
    def __init__(self) -> None:
        raise asyncio.CancelledError

    async def work(self, session: AgentSession) -> None:
        """Never called."""


class CancelledWhenAskedForItsLog(Agent):
    name = "cancelled"

    @property
    def log(self) -> str | None:  # type: ignore[override]
        raise asyncio.CancelledError

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")


class CancelledAtNight:
    """A learner; neither its reflection nor its memory is of any use."""

    @property
    def memory(self) -> str:
        raise asyncio.CancelledError

    @memory.setter
    def memory(self, text: str) -> None:
        """Forget it."""

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")

    async def reflect(self, feedback: str) -> list[object]:
        return []


def test_a_cancellation_that_an_agent_raises_anywhere_ends_only_its_own_episode(
    tmp_path: Path,
) -> None:
    names = [CancelledBeforeWork, CancelledWhenAskedForItsLog, CancelledAtNight]
    mine = [f"{__name__}:{one.__name__}" for one in names]
    agents = named(*mine, "nothing")
    two_days = config(tmp_path, one=[day(LINKS), day(LINKS)])
    invoke("--config", two_days, *agents, "--executor", "async", "--out", tmp_path / "out")
    results = read(tmp_path / "out")
    ended = {(one.agent, one.day): (one.ended, one.agent_error, one.error) for one in results}
    assert ended == {
        (agent, name): (
            ("agent_error", "CancelledError:", None) if agent == mine[0] else ("agent", None, None)
        )
        for agent in (*mine, "nothing")
        for name in ("day_1", "day_2")
    }
