"""What an agent keeps from one day to the next, and from a try that broke."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from mcp import Client

from tests.harness.test_run import config, day, invoke, read
from trainee_bench.harness.episodes.transports import InMemoryServers
from trainee_bench.harness.session.agent_session import AgentSession

LINKS = "kb_fix.easy"


class Remembering:
    """Writes down how many days it has seen."""

    seen: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.days = 0

    async def work(self, session: AgentSession) -> None:
        self.days += 1
        Remembering.seen.append(self.days)
        await session.call("desk_tasks")


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    Remembering.seen.clear()


def test_an_agent_remembers_the_days_before(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS), {**day(LINKS), "name": "day_2"}])
    agent = f"{__name__}:Remembering"
    done = invoke("--config", path, "--agent", agent, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert Remembering.seen == [1, 2]


def test_a_day_that_broke_half_way_is_begun_by_an_agent_that_has_not_seen_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, opened = InMemoryServers.connect, []

    @asynccontextmanager
    async def fragile(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        async with really(self, world, person) as client:
            yield client
        opened.append(world)
        if len(opened) == 1:
            raise ConnectionError("the line is dead")

    monkeypatch.setattr(InMemoryServers, "connect", fragile)
    agent = f"{__name__}:Remembering"
    out = tmp_path / "out"
    done = invoke("--config", config(tmp_path, one=[day(LINKS)]), "--agent", agent, "--out", out)
    assert done.exit_code == 0, done.output
    assert Remembering.seen == [1, 1]
    assert [result.tries for result in read(out)] == [2]
