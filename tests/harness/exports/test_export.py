"""A run as training examples and as traces: nothing is lost, made up, or foreign."""

from __future__ import annotations

import base64
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import call, run_day
from trainee_bench.harness.exports.recorded_episodes import (
    CannotExport,
    picture_url,
    recorded_episodes,
)
from trainee_bench.harness.exports.sft import sft_examples
from trainee_bench.harness.records.run_folder import RunFolder

PLAN = "ads_strategy.balanced.very_easy"
"""A rule for which the oracle looks at a picture."""


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of two agents, one of which does everything right."""
    folder = tmp_path_factory.mktemp("exported")
    return run_day(folder, "--agent", "oracle", "--agent", "nothing", rules=(PLAN,))


export = partial(call, "export")


def exported(out: Path, *arguments: object) -> list[dict[str, Any]]:
    export(*arguments)
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def trajectory(run: Path, agent: str) -> dict[str, Any]:
    lines = (run / "results.jsonl").read_text(encoding="utf-8").splitlines()
    (result,) = (found for found in map(json.loads, lines) if found["agent"] == agent)
    told: dict[str, Any] = json.loads((run / result["trajectory"]).read_text(encoding="utf-8"))
    return told


def test_an_example_has_the_prompt_each_call_with_its_result_and_the_tools(
    worked: Path, tmp_path: Path
) -> None:
    out = tmp_path / "sft.jsonl"
    (example,) = exported(out, "sft", worked, out)
    recorded = trajectory(worked, "oracle")
    messages = example["messages"]
    assert messages[0] == {"role": "user", "content": recorded["steps"][0]["message"]}
    calls = [call for message in messages for call in message.get("tool_calls", [])]
    made = [call for step in recorded["steps"] for call in step.get("tool_calls", [])]
    assert [call["function"]["name"] for call in calls] == [call["function_name"] for call in made]
    given = [json.loads(call["function"]["arguments"]) for call in calls]
    assert given == [call["arguments"] for call in made]
    answers = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert answers == [call["id"] for call in calls]
    assert example["tools"] == recorded["agent"]["tool_definitions"]
    assert example["score"] == 1


def test_a_picture_that_an_agent_saw_is_in_its_example(worked: Path, tmp_path: Path) -> None:
    out = tmp_path / "sft.jsonl"
    (example,) = exported(out, "sft", worked, out)
    contents = [message["content"] for message in example["messages"] if message["role"] == "tool"]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    kind, _, data = urls[0].partition(";base64,")
    (picture, *_) = sorted((worked / "trajectories").rglob("*.png"))
    assert kind == "data:image/png"
    assert base64.b64decode(data) == picture.read_bytes()


def test_the_examples_of_a_model_are_the_conversations_that_it_was_sent(
    worked: Path, tmp_path: Path
) -> None:
    """Its second reply was empty, and its first three messages were summarised later."""
    copy = tmp_path / "run"
    shutil.copytree(worked, copy)
    (result,) = (
        result for result in RunFolder.open(copy).ledger.read() if result.agent == "oracle"
    )
    path = copy / str(result.trajectory)
    told = json.loads(path.read_text(encoding="utf-8"))
    said = [
        {"role": role, "content": content}
        for role, content in (
            ("system", "Work."), ("user", "T1"), ("assistant", "So."), ("user", "Call a tool."),
            ("assistant", ""), ("user", "It was empty."), ("assistant", "Now."),
            ("user", "T1, notes"),
        )
    ]  # fmt: skip
    told["extra"] |= {
        "messages": said,
        "conversations": [
            {"tools": True, "messages": [0, 1, 2, 3, 4, 5]},
            {"tools": True, "messages": [0, 7, 2, 6]},
        ],
        "turns": [2, 6],
    }
    path.write_text(json.dumps(told), encoding="utf-8")
    out = tmp_path / "sft.jsonl"
    first, second = exported(out, "sft", copy, out)
    assert first["messages"] == said[:6]
    assert second["messages"] == [said[0], said[7], said[2], said[6]]
    assert first["tools"] == second["tools"] == told["agent"]["tool_definitions"]
    episode = next(recorded_episodes(copy, "oracle"))
    rewarded = sft_examples(episode, [0.25, -0.5])
    assert [example["rewards"] for example in rewarded] == [[0.25, 0.0], [0.25, -0.5]]


def test_only_episodes_with_the_least_score_become_examples(worked: Path, tmp_path: Path) -> None:
    out = tmp_path / "sft.jsonl"
    assert len(exported(out, "sft", worked, out, "--least-score", "0")) == 2
    refused = export("sft", worked, out, "--agent", "nothing", exits=2)
    assert "try a smaller --least-score" in refused.output
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2, "the file is as it was"


def named(span: dict[str, Any]) -> dict[str, Any]:
    return {pair["key"]: next(iter(pair["value"].values())) for pair in span["attributes"]}


def test_a_trace_has_a_span_for_each_turn_and_call_and_each_task_s_score(
    worked: Path, tmp_path: Path
) -> None:
    out = tmp_path / "otel.jsonl"
    (request,) = exported(out, "otel", worked, out, "--agent", "oracle")
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    steps = trajectory(worked, "oracle")["steps"]
    root, *others = spans
    kinds = [named(span)["gen_ai.operation.name"] for span in others]
    assert kinds.count("chat") == sum(step["source"] == "agent" for step in steps)
    assert kinds.count("execute_tool") == sum(len(step.get("tool_calls", [])) for step in steps)
    assert {span["parentSpanId"] for span in others} == {root["spanId"]}
    assert len({span["spanId"] for span in spans}) == len(spans)
    assert len({span["traceId"] for span in spans}) == 1
    (event,) = root["events"]
    assert named(event)["gen_ai.evaluation.score.value"] == 1
    assert all(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in spans)


def test_a_folder_that_is_not_a_run_is_refused_in_words(tmp_path: Path) -> None:
    assert "There is no run in" in export("otel", tmp_path, tmp_path / "out.jsonl", exits=2).output


def test_a_trajectory_that_is_a_link_out_of_the_run_is_not_exported(tmp_path: Path) -> None:
    out = run_day(tmp_path, "--agent", "nothing", out="run")
    (trajectory,) = (out / "trajectories").glob("*.json")
    trajectory.rename(tmp_path / "secret.json")
    trajectory.symlink_to(tmp_path / "secret.json")
    with pytest.raises(CannotExport, match="is a link out of the run's folder, so it is not read"):
        next(recorded_episodes(out))


def test_a_picture_elsewhere_is_not_exported(tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_bytes(b"secret")
    (tmp_path / "run").mkdir()
    source = {"path": "../id_rsa", "media_type": "image/png"}
    with pytest.raises(CannotExport, match="is not in the run's folder, so it is not read"):
        picture_url(dict(source), tmp_path / "run")
