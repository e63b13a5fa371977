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
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.mcp_servers.office import AppUnavailable

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


@pytest.mark.parametrize(
    ("agent", "tries", "broken"), [(f"{__name__}:Remembering", 1, True), ("in_order", 2, False)]
)
def test_a_day_that_broke_half_way_is_not_tried_again_by_who_may_remember_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, tries: int, broken: bool
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
    out = tmp_path / "out"
    done = invoke("--config", config(tmp_path, one=[day(LINKS)]), "--agent", agent, "--out", out)
    assert done.exit_code == broken, done.output
    (result,) = read(out)
    assert (result.tries, result.broken) == (tries, broken)
    assert len(Remembering.seen) <= 1
    assert not broken or "--resume" in str(result.error)
    assert result.faults == (() if broken else ("ConnectionError: the line is dead",))
    (told,) = (out / "faults").iterdir()
    assert "ConnectionError: the line is dead" in told.read_text(encoding="utf-8")
    assert "the line is dead" in (out / "report.md").read_text(encoding="utf-8")


def test_an_app_that_is_gone_at_the_second_try_does_not_hide_what_broke_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken: list[Exception] = [ConnectionError("the line is dead"), AppUnavailable("no sheets")]

    @asynccontextmanager
    async def gone(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        raise broken.pop(0)
        yield

    monkeypatch.setattr(InMemoryServers, "connect", gone)
    path, out = config(tmp_path, one=[day(LINKS)]), tmp_path / "out"
    assert invoke("--config", path, "--agent", "in_order", "--out", out).exit_code == 1
    (result,) = read(out)
    assert (result.tries, result.faults) == (2, ("ConnectionError: the line is dead",))
    assert "no sheets" in str(result.error)


class Generous:
    """Grants itself more than the order does, and says that it had nothing."""

    async def work(self, office: AgentSession) -> None:
        office._limits = EpisodeLimits(steps=9_999)
        office._tools = ()


def test_what_a_result_says_of_limits_and_tools_comes_from_the_order(tmp_path: Path) -> None:
    out, agent = tmp_path / "out", f"{__name__}:Generous"
    done = invoke("--config", config(tmp_path, one=[day(LINKS)]), "--agent", agent, "--out", out)
    assert done.exit_code == 0, done.output
    (result,) = read(out)
    assert result.identity is not None
    assert result.identity.limits == EpisodeLimits()
    assert {"chat", "desk", "mail"} <= set(result.identity.tools)
