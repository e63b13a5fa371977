"""Trajectories are ATIF-v1.8: what the format requires is there, what it forbids is not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from tests.harness.builders import episode, plan, task
from trainee_bench.harness.episodes.trajectory import ATIF, write_trajectory
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.supervision import run_agent
from trainee_bench.harness.session.turns import Thought, ToolCall, ToolInfo, ToolResult
from trainee_bench.world.transaction import Picture, WorkingDay

DAY = WorkingDay(datetime(2025, 10, 1, 8), datetime(2025, 10, 1, 20))
ROOT_KEYS = {
    "schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics",
    "continued_trajectory_ref", "extra", "subagent_trajectories",
}  # fmt: skip
STEP_KEYS = {
    "step_id", "timestamp", "source", "model_name", "message", "reasoning_content", "tool_calls",
    "observation", "metrics", "extra",
}  # fmt: skip
METRIC_KEYS = {"prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"}


class FakeTransport:
    def __init__(self) -> None:
        self.now = DAY.starts

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> ToolResult:
        self.now += timedelta(minutes=1)
        pictures = (Picture(b"\x89PNG", "image/png"),) if name == "files_view_image" else ()
        return ToolResult(f"did {name}", {}, self.now, pictures=pictures)


class Looking:
    async def work(self, session: AgentSession) -> None:
        thought = Thought("I look.", "A map?", "some-model", 100, 20, 0.5)
        await session.turn([ToolCall("files_view_image", {"path": "drive:/map.png"})], thought)
        await session.turn([ToolCall("desk_now"), ToolCall("desk_tasks")], Thought(prompt_tokens=7))
        await session.turn(
            [ToolCall("desk_\ud83d", {"text": "\ud83d"})], Thought("cut \ud83d", "\ud83d")
        )
        await session.turn([])
        await session.aside(Thought("In short: a map.", None, "some-model", 50, 5, None, 40))


async def written(folder: Path) -> dict[str, Any]:
    tools = [ToolInfo("desk_now", "The time. (1 min)", {"type": "object"}, 1)]
    session = AgentSession(FakeTransport(), tools, "You are new here.", DAY, EpisodeLimits())
    await run_agent(Looking(), session)
    (order,) = plan("one").episode_specs()
    path = folder / "t.json"
    write_trajectory(path, order, [session], episode("nothing", "one", task(0.5)))
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


async def test_only_keys_of_the_format_are_used(tmp_path: Path) -> None:
    document = await written(tmp_path)
    assert document["schema_version"] == ATIF
    assert set(document) <= ROOT_KEYS
    for step in document["steps"]:
        assert set(step) <= STEP_KEYS
        assert set(step.get("metrics", {})) <= METRIC_KEYS


async def test_steps_are_numbered_from_one_and_their_times_never_go_back(tmp_path: Path) -> None:
    steps = (await written(tmp_path))["steps"]
    assert [step["step_id"] for step in steps] == [1, 2, 3, 4, 5]
    assert [step["source"] for step in steps] == ["user", "agent", "agent", "agent", "agent"]
    times = [datetime.fromisoformat(step["timestamp"]) for step in steps]
    assert times == sorted(times)
    assert steps[0]["message"] == "You are new here."


async def test_every_result_belongs_to_a_call_of_its_step(tmp_path: Path) -> None:
    steps = (await written(tmp_path))["steps"]
    ids = [call["tool_call_id"] for step in steps for call in step.get("tool_calls", [])]
    assert len(ids) == len(set(ids)) == 4
    for step in steps[1:4]:
        called = [call["tool_call_id"] for call in step["tool_calls"]]
        assert [one["source_call_id"] for one in step["observation"]["results"]] == called
    assert "tool_calls" not in steps[4]
    assert "observation" not in steps[4]


async def test_pictures_are_files_beside_the_trajectory(tmp_path: Path) -> None:
    steps = (await written(tmp_path))["steps"]
    text, image = steps[1]["observation"]["results"][0]["content"]
    assert text == {"type": "text", "text": "did files_view_image"}
    assert image["source"]["media_type"] == "image/png"
    assert (tmp_path / image["source"]["path"]).read_bytes() == b"\x89PNG"


async def test_tokens_are_summed_with_those_of_asides_and_a_cost_known_in_part_is_not_told(
    tmp_path: Path,
) -> None:
    document = await written(tmp_path)
    assert document["final_metrics"] == {
        "total_prompt_tokens": 157,
        "total_completion_tokens": 25,
        "total_cached_tokens": 40,
        "total_steps": 5,
    }
    assert document["steps"][1]["metrics"]["cost_usd"] == 0.5
    assert document["agent"]["model_name"] == "some-model"
    (aside,) = document["extra"]["asides"]
    assert (aside["message"], aside["metrics"]["prompt_tokens"]) == ("In short: a map.", 50)
    assert document["steps"][1]["model_name"] == "some-model"
    assert document["steps"][1]["reasoning_content"] == "A map?"
    assert document["extra"]["score"] == 0.5


async def test_a_character_that_a_model_cut_in_half_still_gives_valid_json(tmp_path: Path) -> None:
    step = (await written(tmp_path))["steps"][3]
    assert (step["message"], step["reasoning_content"]) == ("cut ?", "?")
    assert "correct it" in step["observation"]["results"][0]["content"]
