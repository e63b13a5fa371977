"""Our runs as Inspect logs, read back by Inspect's own reader."""

from __future__ import annotations

import importlib.util
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import call, run_day

PLAN = "ads_strategy.balanced.very_easy"
"""A rule for which the oracle looks at a picture."""


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of two agents, each twice."""
    pytest.importorskip("inspect_ai", reason="Inspect is not installed")
    folder = tmp_path_factory.mktemp("exported")
    agents = ("--agent", "oracle", "--agent", "nothing")
    return run_day(folder, *agents, "--epochs", "2", "--executor", "async", rules=(PLAN,))


export = partial(call, "export", "inspect")


def test_without_inspect_the_command_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = export(tmp_path, tmp_path / "logs", exits=2)
    assert "pip install 'trainee-bench[inspect]'" in done.output


def logs(folder: Path) -> dict[str, Any]:
    """Return the logs in *folder* by agent, as Inspect lists and reads them."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    read = [read_eval_log(info) for info in list_eval_logs(str(folder))]
    return {log.eval.solver: log for log in read if log.eval.solver}


@pytest.fixture(scope="module")
def written(worked: Path) -> dict[str, Any]:
    export(worked, worked.parent / "logs")
    return logs(worked.parent / "logs")


def test_each_agent_has_a_log_with_a_sample_for_each_attempt(written: dict[str, Any]) -> None:
    assert set(written) == {"oracle", "nothing"}
    for log in written.values():
        assert log.status == "success"
        assert log.eval.task == "trainee_bench/mine"
        assert [(sample.id, sample.epoch) for sample in log.samples] == [
            ("one.day_1", 1),
            ("one.day_1", 2),
        ]


def test_scores_and_means_are_those_of_the_run(worked: Path, written: dict[str, Any]) -> None:
    lines = (worked / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = {(result["agent"], result["attempt"]): result for result in map(json.loads, lines)}
    for agent, log in written.items():
        for sample in log.samples:
            score, result = sample.scores["day_score"], results[agent, sample.epoch]
            assert score.value == {"score": result["score"], "success": float(result["success"])}
            assert score.metadata["digest"] == result["digest"]
            assert score.metadata["identity"] == result["identity"]
            for check in result["tasks"][0]["checkpoints"]:
                assert check["sentence"].rstrip(".") in score.explanation
        means = {score.name: score.metrics["mean"].value for score in log.results.scores}
        assert means == dict.fromkeys(("score", "success"), 1.0 if agent == "oracle" else 0.0)


def test_the_conversation_has_each_call_with_its_result_time_and_pictures(
    worked: Path, written: dict[str, Any]
) -> None:
    sample = written["oracle"].samples[0]
    path = next((worked / "trajectories").glob("*oracle.1.json"))
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    made = [call for step in steps for call in step.get("tool_calls", [])]
    shown = [message for message in sample.messages if message.role == "tool"]
    assert [message.function for message in shown] == [call["function_name"] for call in made]
    assert sample.messages[0].text == steps[0]["message"]
    assert {message.metadata["time"] for message in sample.messages} == {
        step["timestamp"] for step in steps
    }
    parts = [
        part for message in shown if isinstance(message.content, list) for part in message.content
    ]
    assert sum(part.type == "image" for part in parts) > 0


def test_only_the_agent_that_is_named_is_exported(
    worked: Path, tmp_path: Path, written: dict[str, Any]
) -> None:
    export(worked, tmp_path / "logs", "--agent", "nothing")
    assert set(logs(tmp_path / "logs")) == {"nothing"}
    refused = export(worked, tmp_path / "none", "--agent", "nobody", exits=2)
    assert "try another --agent" in refused.output
