"""Runs whose scenarios name the terminal: refused where there is no sandbox, marked where there
is one; and certificates never have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.test_run import day, invoke, read
from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.episodes import identity
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.mcp_servers import default_toolboxes, terminal
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.detection import SandboxProbe

NONE = SandboxProbe(None, ("bubblewrap: bwrap is not installed",))
HERE = "tests.harness.batch.test_sandboxed_runs"


class AtTheTerminal:
    """Runs one command and goes home."""

    async def work(self, session: AgentSession) -> None:
        await session.call("terminal_run_shell", command="echo hello > hello.txt; date +%N")


def config(folder: Path, *tools: str) -> Path:
    """A benchmark of one day with these apps."""
    path = folder / "mine.json"
    scenario = {"name": "one", "days": [{"name": "day_1", **day("kb_fix.easy")}], "tools": tools}
    path.write_text(json.dumps({"name": "mine", "scenarios": [scenario]}), encoding="utf-8")
    return path


def lose_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "find_sandbox", lambda: NONE)
    monkeypatch.setattr(identity, "find_sandbox", lambda: NONE)


def test_a_run_that_needs_a_sandbox_is_refused_before_anything_is_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_the_sandbox(monkeypatch)
    path = config(tmp_path, "desk", "terminal")
    with pytest.raises(PlanError, match=r"^one: The terminal needs a sandbox.*bwrap is not inst"):
        build_plan(RunOptions(config=path))
    done = invoke("--config", path, "--out", tmp_path / "out")
    assert done.exit_code == 2 and "apt-get install bubblewrap" in done.output
    assert not (tmp_path / "out").exists()
    assert build_plan(RunOptions(config=config(tmp_path, "desk"))).benchmark == "mine"


@needs_bubblewrap
def test_a_run_with_a_sandbox_says_which_it_was(tmp_path: Path) -> None:
    path, agent = config(tmp_path, "desk", "files", "terminal"), f"{HERE}:AtTheTerminal"
    done = invoke("--config", path, "--agent", agent, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    (result,) = read(tmp_path / "out")
    assert result.agent_error is None and result.failed_calls == 0
    assert result.identity is not None
    assert (result.identity.tools, result.identity.sandbox) == (
        ("desk", "files", "terminal"),
        BubblewrapBackend.kind,
    )
    assert "**Sandbox**: bubblewrap\n" in (tmp_path / "out" / "report.md").read_text()


@needs_bubblewrap
def test_such_a_run_is_neither_gone_on_with_nor_worked_without_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, agent = config(tmp_path, "desk", "terminal"), f"{HERE}:AtTheTerminal"
    assert invoke("--config", path, "--agent", agent, "--out", tmp_path / "out").exit_code == 0
    lose_the_sandbox(monkeypatch)
    again = invoke("--resume", tmp_path / "out")
    assert again.exit_code == 2 and "The terminal needs a sandbox" in again.output
    monkeypatch.setattr(
        "trainee_bench.harness.batch.validation.check_apps_available", lambda plan: None
    )
    invoke("--config", path, "--agent", agent, "--out", tmp_path / "other")
    (result,) = read(tmp_path / "other")
    assert result.score is None and result.tries == 1
    assert "The terminal needs a sandbox" in str(result.error)


async def test_certificates_and_rehearsals_have_no_terminal() -> None:
    staged = await stage_day(single_task_day("kb_fix.easy", 1))
    async with staged.world:
        assert set(staged.seat.tools) == {
            tool.name for box in default_toolboxes().values() for tool in box
        }
        assert "terminal_run_shell" not in staged.seat.tools
