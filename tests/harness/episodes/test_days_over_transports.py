"""The same day over every transport, in every process: one digest, one score."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from tests.harness.test_run import HERE, config, day, invoke, read
from trainee_bench.harness.records.plan import Transport
from trainee_bench.harness.session.agent_session import AgentSession

ROOT = Path(__file__).parents[3]
RULES = ("kb_fix.easy", "meeting_attend.check_sum.u1", "website_analysis.slow_page")


def test_the_quickstart_day_is_the_same_over_all_three_transports(tmp_path: Path) -> None:
    seen = {}
    for transport in Transport:
        out = tmp_path / transport
        done = invoke("--limit", 1, "--agent", "oracle", "--transport", transport, "--out", out)
        assert done.exit_code == 0, done.output
        (result,) = read(out)
        assert (result.score, result.success, result.transport) == (1, True, transport)
        seen[transport] = (result.digest, result.steps, result.tool_calls, result.identity)
    assert len(set(map(str, seen.values()))) == 1, seen


@pytest.mark.parametrize(
    "transport", [Transport.HTTP, pytest.param(Transport.STDIO, marks=pytest.mark.sweep)]
)
def test_several_episodes_at_a_time_do_not_mix(tmp_path: Path, transport: Transport) -> None:
    path, out = config(tmp_path, one=[day(RULES[0])], two=[day(RULES[1])]), tmp_path / "out"
    done = invoke("--config", path, "--transport", transport, "--out", out)
    assert done.exit_code == 0, done.output
    results = read(out)
    assert [result.score for result in results if result.agent == "oracle"] == [1, 1]
    assert len({result.digest for result in results}) == len(results) == 6


@pytest.mark.parametrize(
    "transport", [pytest.param(Transport.STDIO, marks=pytest.mark.sweep), Transport.HTTP]
)
def test_limits_hold_over_a_transport(tmp_path: Path, transport: Transport) -> None:
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(RULES[0])])
    agent = f"{HERE}:Stubborn"
    done = invoke("--config", path, "--transport", transport, "--agent", agent, "--out", out)
    assert done.exit_code == 0, done.output
    assert read(out)[0].ended == "step_limit"


@pytest.mark.sweep
@pytest.mark.parametrize("hash_seed", ["4711", "0", "1"])
def test_the_hash_seed_of_the_process_does_not_matter(tmp_path: Path, hash_seed: str) -> None:
    path = config(tmp_path, one=[day(*RULES)])
    here, there = tmp_path / "here", tmp_path / "there"
    agents = ("--agent", "oracle", "--agent", "sprayer")
    assert invoke("--config", path, *agents, "--out", here).exit_code == 0
    subprocess.run(
        [
            sys.executable,
            "-m",
            "trainee_bench.harness",
            "run",
            "--config",
            str(path),
            *agents,
            "--out",
            str(there),
        ],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert {r.episode: r.digest for r in read(here)} == {r.episode: r.digest for r in read(there)}
    for name in ("oracle", "sprayer"):
        file = f"trajectories/one.day_1.{name}.1.json"
        assert (here / file).read_bytes() == (there / file).read_bytes()


class Killing:
    """Kills the server process of its first episode in the middle of the work, then works on."""

    killed: ClassVar[list[int]] = []

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        if not self.killed:
            for child in children(os.getpid()):
                if b"mcp_servers" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGKILL)
                    self.killed.append(child)
        await session.call("desk_now")


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in found for child in file.read_text(encoding="ascii").split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds children through /proc")
def test_an_episode_whose_server_process_is_killed_breaks_and_is_begun_anew_by_resuming(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    path = config(tmp_path, one=[day(RULES[0])])
    agent = "tests.harness.episodes.test_days_over_transports:Killing"
    done = invoke("--config", path, "--transport", "stdio", "--agent", agent, "--out", out)
    assert done.exit_code == 1, done.output
    (result,) = read(out)
    assert result.score is None and "Connection closed" in str(result.error)
    again = invoke("--resume", out)
    assert again.exit_code == 0, again.output
    (result,) = read(out)
    assert (result.steps, result.error) == (2, None)
    assert "Connection closed" in (out / "faults" / f"{result.episode}.txt").read_text("utf-8")
