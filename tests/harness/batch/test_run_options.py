"""Runs that keep the tokens of their models, and runs whose scenarios name the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import config, day, invoke, read
from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from tests.scripted_endpoint import Answer, calls, says, scripted_server
from trainee_bench.harness.batch.agent_configs import build_agent_configs
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.episodes import identity
from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ReplyTokens, Thought, sanitize_thought
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.mcp_servers import default_toolboxes, terminal
from trainee_bench.mcp_servers.sandbox.bubblewrap import BubblewrapBackend
from trainee_bench.mcp_servers.sandbox.detection import SandboxProbe


def tells(asked: dict[str, Any]) -> Answer:
    """Ends the day, with tokens if they are wanted."""
    plain = says("", calls("desk_finish_day"))
    assert isinstance(plain.body, dict)
    if asked.get("return_token_ids"):
        (choice,) = plain.body["choices"]
        choice["token_ids"] = [30, 31]
        choice["logprobs"] = {"content": [{"logprob": -0.5}, {"logprob": -2.0}]}
        plain.body["prompt_token_ids"] = [10, 20]
    return plain


def metrics(tmp_path: Path, *options: str) -> tuple[dict[str, Any], str]:
    """The metrics of the first turn, and the text of the trajectory."""
    with scripted_server(then=tells) as server:
        api = tmp_path / "api_config.json"
        api.write_text(json.dumps(server.described("mine")), encoding="utf-8")
        invoke(
            "--config", config(tmp_path, one=[day("kb_fix.easy")]), "--model", "mine",
            "--api-config", api, "--out", tmp_path / "out", *options,
        )  # fmt: skip
    (path,) = (tmp_path / "out/trajectories").glob("*.json")
    text = path.read_text(encoding="utf-8")
    steps = json.loads(text)["steps"]
    found: dict[str, Any] = next(step for step in steps if step["source"] == "agent")["metrics"]
    return found, text


def test_the_trajectory_has_each_replys_tokens_in_a_line(tmp_path: Path) -> None:
    found, text = metrics(tmp_path, "--record-tokens")
    assert found["prompt_token_ids"] == [10, 20]
    assert found["completion_token_ids"] == [30, 31]
    assert found["logprobs"] == [-0.5, -2.0]
    assert '"prompt_token_ids": [10, 20],' in text
    plan = json.loads((tmp_path / "out/run.json").read_text(encoding="utf-8"))
    assert [agent["record_tokens"] for agent in plan["agents"]] == [True]


def test_without_the_option_nothing_is_asked_for_or_kept_and_plans_stay_as_they_were(
    tmp_path: Path,
) -> None:
    found, _ = metrics(tmp_path)
    assert {"prompt_token_ids", "completion_token_ids", "logprobs"}.isdisjoint(found)
    assert "record_tokens" not in (tmp_path / "out/run.json").read_text(encoding="utf-8")
    assert "record_tokens" not in AgentConfig(name="a", agent="b").model_dump()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (RunOptions(record_tokens=True), "needs a model on a server"),
        (RunOptions(record_tokens=True, model=["scripted"]), "is scripted and has no tokens"),
        (RunOptions(record_tokens=True, model=["mine"], service="my:Own"), "my:Own is your own"),
    ],
    ids=["no-model", "scripted", "own-service"],
)
def test_tokens_that_nobody_could_give_are_refused(options: RunOptions, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        build_agent_configs(options)


def test_tokens_of_a_service_of_ones_own_are_kept_and_junk_is_not() -> None:
    kept = ReplyTokens(completion_ids=(1, 2))
    assert sanitize_thought(Thought("a", tokens=kept)).tokens == kept
    assert sanitize_thought(Thought("a", tokens=[1, 2])).tokens is None  # type: ignore[arg-type]


NONE = SandboxProbe(None, ("bubblewrap: bwrap is not installed",))
HERE = __name__


class AtTheTerminal:
    """Runs one command and goes home."""

    async def work(self, session: AgentSession) -> None:
        await session.call("terminal_run_shell", command="echo hello > hello.txt; date +%N")


def one_day_with(folder: Path, *tools: str) -> Path:
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
    path = one_day_with(tmp_path, "desk", "terminal")
    with pytest.raises(PlanError, match=r"^one: The terminal needs a sandbox.*bwrap is not inst"):
        build_plan(RunOptions(config=path))
    done = invoke("--config", path, "--out", tmp_path / "out", exits=2)
    assert "apt-get install bubblewrap" in done.output
    assert not (tmp_path / "out").exists()
    assert build_plan(RunOptions(config=one_day_with(tmp_path, "desk"))).benchmark == "mine"


@needs_bubblewrap
def test_a_run_with_a_sandbox_says_which_it_was(tmp_path: Path) -> None:
    path, agent = one_day_with(tmp_path, "desk", "files", "terminal"), f"{HERE}:AtTheTerminal"
    invoke("--config", path, "--agent", agent, "--out", tmp_path / "out")
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
    path, agent = one_day_with(tmp_path, "desk", "terminal"), f"{HERE}:AtTheTerminal"
    invoke("--config", path, "--agent", agent, "--out", tmp_path / "out")
    lose_the_sandbox(monkeypatch)
    assert "The terminal needs a sandbox" in invoke("--resume", tmp_path / "out", exits=2).output
    monkeypatch.setattr(
        "trainee_bench.harness.batch.validation.check_apps_available", lambda plan: None
    )
    invoke("--config", path, "--agent", agent, "--out", tmp_path / "other", exits=1)
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
