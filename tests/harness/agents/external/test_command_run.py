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
from trainee_bench.harness.agents.external import command_run
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.turns import InfrastructureFault


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


def program(script: str) -> tuple[CommandAgent, AgentSession]:
    return hired(f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {{mcp_config}}")


@pytest.fixture
def small_quota(monkeypatch: pytest.MonkeyPatch) -> int:
    """A quota of a few files."""
    bytes_ = 1_000_000
    monkeypatch.setattr(command_run, "quota", lambda path: bytes_)
    monkeypatch.setattr(command_run, "QUOTA_SECONDS", 0.05)
    return bytes_


@pytest.mark.parametrize(
    "script",
    [
        "[open(str(n), 'wb').write(bytes(50_000)) for n in range(40)]",
        "import os; [os.mkdir(str(n)) for n in range(400)]",
        "import os; os.mkdir('x'); os.chmod('x', 0)" if os.geteuid() else "open('x', 'wb')",
    ],
    ids=["many files", "many folders", "a closed folder"],
)
async def test_a_program_that_fills_its_folder_is_stopped_and_has_failed_itself(
    small_quota: int, script: str
) -> None:
    if "'x', 'wb'" in script:
        pytest.skip("root can read every folder")
    agent, place = program(f"{script}; import time; time.sleep(60)")
    conduct = await run_agent(agent, place)
    assert conduct.ended == "agent_error"
    assert conduct.agent_error == (
        "CommandFailed: the command was stopped, because its folder had more than 1,000,000 "
        "bytes, or could not be read"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process from outside")
async def test_a_program_cannot_write_a_file_larger_than_its_quota(small_quota: int) -> None:
    script = (
        "import os, time; time.sleep(0.5); f = os.memfd_create('x')\n"
        "try: os.truncate(f, 1_000_001)\n"
        "except OSError as error: print(error.strerror)"
    )
    agent, place = program(script)
    conduct = await run_agent(agent, place)
    assert (conduct.agent_error, agent.log) == (None, "File too large\n")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_a_program_that_opens_hundreds_of_connections_holds_few_of_our_handles() -> None:
    script = (
        "import json, resource as r, socket, sys, time, urllib.parse as u\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (r.getrlimit(r.RLIMIT_NOFILE)[1],) * 2)\n"
        "url = json.load(open(sys.argv[1]))['mcpServers']['office']['url']\n"
        "to, held = (u.urlsplit(url).hostname, u.urlsplit(url).port), []\n"
        "until = time.time() + 2\n"
        "while time.time() < until and len(held) < 1500:\n"
        "    one = socket.socket(); one.setblocking(False); one.connect_ex(to); held.append(one)\n"
        "time.sleep(1)"
    )
    before, most = handles(), 0
    agent, place = program(script)
    working = asyncio.create_task(run_agent(agent, place))
    while not working.done():
        await asyncio.sleep(0)
        most = max(most, handles())
    assert working.result().agent_error is None
    assert most - before < 70


def handles() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are enough
