"""A program's day from inside the harness: it cannot begin, or everybody has to stop."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from pathlib import Path

import anyio
import pytest

from tests.harness.agents.external.test_gateway import open_session
from tests.mcp_servers.sandbox.boxes import a_nap, needs_bubblewrap, running
from trainee_bench.harness.agents.builtin.command import CommandAgent
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.tool_types import InfrastructureFault


def hired(
    line: str, isolation: str = "none", allowed: tuple[str, ...] = ()
) -> tuple[CommandAgent, AgentSession]:
    agent_config = AgentConfig(
        name="command", agent="command", command=line, isolation=isolation, allowed=allowed
    )
    return CommandAgent.from_config(agent_config), open_session()[0]


@pytest.mark.parametrize("program", ["/no/such/program", "/dev/null"])
async def test_a_program_that_cannot_be_started_any_more_is_a_fault_and_no_bad_work(
    program: str,
) -> None:
    agent, place = hired(f"{program} {{mcp_config}}")
    with pytest.raises(InfrastructureFault, match="cannot be started"):
        await run_agent(agent, place)


@needs_bubblewrap
async def test_a_sandbox_that_cannot_be_made_any_more_is_a_fault_and_no_bad_work(
    tmp_path: Path,
) -> None:
    agent, place = hired("/bin/true {mcp_config}", "sandbox", (str(tmp_path / "gone"),))
    with pytest.raises(InfrastructureFault, match=r"sandbox cannot be created: .*gone"):
        await run_agent(agent, place)
    agent, place = hired("/no/such/program {mcp_config}", isolation="sandbox")
    with pytest.raises(InfrastructureFault, match=r"sandbox cannot be created: .*/no/such/program"):
        await run_agent(agent, place)


@needs_bubblewrap
async def test_a_program_that_fails_in_a_sandbox_has_failed_itself() -> None:
    agent, place = hired("/bin/sh -c 'exit 1' {mcp_config}", isolation="sandbox")
    conduct = await run_agent(agent, place)
    assert conduct.agent_error == "CommandFailed: the command ended with exit code 1"


async def test_when_everything_is_to_stop_a_program_stops_at_once_with_what_it_started() -> None:
    nap = a_nap()
    script = f"import subprocess as s; s.run({nap.split()!r}, start_new_session=True)"
    agent, place = hired(f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {{mcp_config}}")
    working = asyncio.create_task(run_agent(agent, place))
    while not running(nap):  # noqa: ASYNC110 - another process tells nobody
        await anyio.sleep(0.05)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert not running(nap)


async def test_what_hangs_on_to_the_output_of_a_program_does_not_hold_its_day_up() -> None:
    nap = a_nap()
    script = (
        "import subprocess as s\n"
        f"print(s.Popen({nap.split()!r}, start_new_session=True, env={{}}).pid)"
    )
    agent, place = hired(f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {{mcp_config}}")
    conduct = await run_agent(agent, place)
    assert agent.log is not None
    os.kill(int(agent.log), signal.SIGKILL)  # it threw its environment away: nobody finds it
    assert (conduct.ended, conduct.agent_error) == ("agent", None)
