"""Programs as agents, from inside the harness: their command line, day, output and user."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.harness.agents.external.test_gateway import open_session
from tests.harness.builders import plan
from tests.mcp_servers.sandbox.boxes import a_nap, needs_bubblewrap, running
from trainee_bench.harness.agents.builtin.command import CommandAgent
from trainee_bench.harness.agents.external import command_run, user_lock
from trainee_bench.harness.agents.external.command_line import (
    expand_placeholders,
    normalize_command,
)
from trainee_bench.harness.agents.external.output_buffer import OutputBuffer
from trainee_bench.harness.agents.external.user_lock import locked_users
from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.turns import InfrastructureFault


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent.py").write_text("")
    (tmp_path / "run").write_text("")
    (tmp_path / "my agent").write_text("#!/bin/sh\n")
    (tmp_path / "my agent").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_files_named_from_here_are_found_from_anywhere_and_other_words_stay(here: Path) -> None:
    words = shlex.split(normalize_command("sh agent.py run {mcp_config} --to=agent.py no.py ''"))
    assert words[1:] == [f"{here}/agent.py", "run", "{mcp_config}", "--to=agent.py", "no.py", ""]
    assert Path(words[0]).is_absolute() and os.access(words[0], os.X_OK)
    assert shlex.split(normalize_command("'./my agent' {mcp_config}"))[0] == f"{here}/my agent"


@pytest.mark.usefixtures("here")
def test_settling_twice_changes_nothing() -> None:
    once = normalize_command("sh agent.py 'a b' {mcp_config}")
    assert normalize_command(once) == once


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "command, why",
    [
        ("", "empty"),
        ("sh 'agent.py {mcp_config}", "quot"),
        ("sh agent.py", r"would not know the address of its server.*\{mcp_config\}"),
        ("sh {prompt_file} {url}", "would not know the address of its server"),
        ("sh {mcp_config} {seed}", r"no \{seed\}; there are \{mcp_config\}, \{prompt_file\}"),
        ("sh {mcp_config} ${HOME}", r"no \{HOME\}.*no shell"),
        ("{mcp_config}", "first word"),
        ("no-such-program {mcp_config}", "no program 'no-such-program'"),
        ("agent.py {mcp_config}", "no program"),
    ],
)
def test_a_command_that_cannot_run_is_refused_with_advice(command: str, why: str) -> None:
    with pytest.raises(PlanError, match=why):
        normalize_command(command)


@pytest.mark.usefixtures("here")
def test_a_value_stays_one_word_and_is_not_looked_into() -> None:
    line = "sh --mcp={mcp_config} {prompt} '{\"a\": 1}' {url}{token}"
    values = {"mcp_config": "/a b", "prompt": "Do {token} 'now'", "url": "u", "token": "t"}
    assert expand_placeholders(line, values) == [
        "sh",
        "--mcp=/a b",
        "Do {token} 'now'",
        '{"a": 1}',
        "ut",
    ]


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


async def test_a_child_that_keeps_the_output_of_a_program_open_does_not_delay_its_day() -> None:
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


KEY = "sk-a1b2c3d4e5f6g7h8"


def heard(text: bytes, cuts: list[int]) -> OutputBuffer:
    said, begun = OutputBuffer({"MY_KEY": KEY, "SHORT": "a"}), 0
    for cut in (*sorted(cuts), len(text)):
        said.feed(text[begun:cut])
        begun = max(begun, cut)
    return said


@given(
    st.lists(st.sampled_from([KEY, "a line\n", "x", "\N{HOT BEVERAGE}"]), max_size=40),
    st.lists(st.integers(0, 600), max_size=8),
)
def test_little_is_kept_whole_with_a_name_for_each_key(parts: list[str], cuts: list[int]) -> None:
    said = heard("".join(parts).encode(), cuts)
    assert said.text == "".join(parts).replace(KEY, "[MY_KEY]")


@given(st.integers(0, len(KEY)), st.integers(300_000, 300_100), st.text("\nab", max_size=50))
def test_of_much_the_beginning_and_the_end_are_kept_and_no_part_of_a_key(
    shift: int, size: int, last: str
) -> None:
    text = "begun" + "." * shift + KEY * (size // len(KEY)) + last + "ended"
    said = heard(text.encode(), [100_000, 200_000])
    assert said.text.startswith("begun") and said.text.endswith("ended")
    assert len(said.text) < 270_000
    assert "bytes are left out here" in said.text
    for part in (KEY[:6], KEY[-6:], KEY[6:12]):
        assert part not in said.text


def test_the_last_line_is_the_last_that_says_something() -> None:
    said = OutputBuffer({"MY_KEY": KEY})
    assert said.last_line == ""
    said.feed(b"one\ncannot open " + KEY.encode() + b"\n\n  \n")
    assert said.last_line == "cannot open [MY_KEY]"
    said.feed(b"x" * 1000)
    assert len(said.last_line) == 300


def agent_as(isolation: str) -> AgentConfig:
    return AgentConfig(name=isolation[-4:], agent="command", command="x", isolation=isolation)


@pytest.fixture
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_lock, "LOCK_FOLDERS", (tmp_path / "none", tmp_path))


@pytest.mark.usefixtures("_own_folder")
def test_a_run_waits_for_nobody_but_says_that_another_uses_its_user(tmp_path: Path) -> None:
    made = plan("one").model_copy(update={"agents": (agent_as("user:worker"),)})
    with locked_users([agent_as("user:worker")]):
        run = create_run(made, tmp_path / "run")
        with pytest.raises(PlanError, match="another run uses this user now"):
            execute(run, Console(quiet=True))
    with locked_users(made.agents):
        pass


@pytest.mark.usefixtures("_own_folder")
def test_other_users_and_other_isolation_are_not_locked(tmp_path: Path) -> None:
    with locked_users([agent_as("user:one"), agent_as("user:one")]):
        with locked_users([agent_as("user:two"), agent_as("none"), agent_as("sandbox")]):
            assert len(list(tmp_path.glob("*.lock"))) == 2
        assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.lock")} == {0o600}


@pytest.mark.usefixtures("_own_folder")
def test_a_lock_that_cannot_be_kept_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_lock, "LOCK_FOLDERS", (tmp_path / "missing",))
    with (
        pytest.raises(PlanError, match="cannot be written"),
        locked_users([agent_as("user:worker")]),
    ):
        pass
