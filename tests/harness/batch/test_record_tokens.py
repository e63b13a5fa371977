"""A run keeps the tokens of its models where it was asked to, as the trajectory format has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness.test_run import config, day, invoke
from tests.scripted_endpoint import Answer, calls, says, scripted_server
from trainee_bench.harness.batch.agent_configs import build_agent_configs
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.records.plan import AgentConfig, PlanError
from trainee_bench.harness.session.turns import ReplyTokens, Thought, sanitize_thought


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
        done = invoke(
            "--config", config(tmp_path, one=[day("kb_fix.easy")]), "--model", "mine",
            "--api-config", api, "--out", tmp_path / "out", *options,
        )  # fmt: skip
    assert done.exit_code == 0, done.output
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
