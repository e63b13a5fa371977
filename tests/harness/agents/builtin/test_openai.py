"""The agent `openai` in a run, against a server on this machine: what is its own affair is
graded as the world stands, what is not breaks the episode."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.harness.runs import config, day, invoke, read
from tests.scripted_endpoint import (
    KEY,
    Answer,
    Scripted,
    ScriptedEndpoint,
    calls,
    fails,
    hangs,
    says,
    scripted_endpoint,
    too_long_for_openai,
)
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.mcp_servers.llm import client

LINKS, MAP = "kb_fix.easy", "ads_strategy.balanced.very_easy"
FINISH = says("Done.", calls("desk_finish_day"))
LOOK = says("I look.", calls("desk_tasks"), reasoning_content="What is there to do?")


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_FIRST_PAUSE", 0.0)


@dataclass
class Ran:
    done: Result
    folder: Path
    server: ScriptedEndpoint

    @property
    def result(self) -> EpisodeResult:
        (result,) = read(self.folder)
        return result

    @property
    def trajectory(self) -> dict[str, Any]:
        text = (self.folder / str(self.result.trajectory)).read_text(encoding="utf-8")
        document: dict[str, Any] = json.loads(text)
        return document


async def run(
    folder: Path,
    *script: Scripted,
    then: Scripted | None = None,
    options: tuple[str, ...] = (),
    rule: str = LINKS,
    exits: int = 0,
) -> Ran:
    """One day worked by the model behind a server that says *script*."""
    async with scripted_endpoint(*script, then=then) as server:
        described = folder / "api_config.json"
        described.write_text(json.dumps(server.described("tiny")), encoding="utf-8")
        done = await asyncio.to_thread(
            invoke,
            "--config", config(folder, one=[day(rule)]), "--model", "tiny",
            "--api-config", described, "--out", folder / "out", *options, exits=exits,
        )  # fmt: skip
        return Ran(done, folder / "out", server)


async def test_a_day_worked_by_a_model_is_graded_and_recorded_with_what_it_took(
    tmp_path: Path,
) -> None:
    prices = {"as_of": "2026-01-01", "models": {"scripted-model": {"input": 1, "output": 10}}}
    (tmp_path / "prices.json").write_text(json.dumps(prices), encoding="utf-8")
    ran = await run(tmp_path, LOOK, fails(429), FINISH)
    result = ran.result
    assert (result.agent, result.ended, result.score, result.error) == ("tiny", "agent", 0, None)
    assert (result.steps, result.tool_calls) == (2, 2)
    assert (result.prompt_tokens, result.completion_tokens) == (200, 20)
    assert result.cost_usd == pytest.approx(0.0004)
    assert result.incidents == {"rate_limited": 1}
    document = ran.trajectory
    assert document["agent"]["model_name"] == "scripted-model"
    assert document["final_metrics"]["total_prompt_tokens"] == 200
    look = document["steps"][1]
    assert (look["message"], look["reasoning_content"]) == ("I look.", "What is there to do?")
    assert look["metrics"]["completion_tokens"] == 10
    assert [call["function_name"] for call in look["tool_calls"]] == ["desk_tasks"]
    assert not any(KEY in file.read_text(errors="replace") for file in ran.folder.rglob("*.*"))
    assert KEY not in ran.done.output


async def test_the_model_reads_prompt_tools_and_answers(tmp_path: Path) -> None:
    ran = await run(tmp_path, LOOK, FINISH)
    first, second = ran.server.asked
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert "Outdated chart links" in first["messages"][1]["content"]
    assert {"desk_tasks", "desk_finish_day"} <= {
        tool["function"]["name"] for tool in first["tools"]
    }
    assert [message["role"] for message in second["messages"][2:]] == ["assistant", "tool"]
    assert "T1" in second["messages"][3]["content"]


def look_at_the_picture(asked: dict[str, Any]) -> Answer:
    path, *_ = re.findall(r"drive:/\S+\.png", asked["messages"][-1]["content"])
    return says("", calls("files_view_image", {"path": path}))


LIST = says("", calls("files_list", {"folder": "drive:/ads_strategy"}))


async def test_a_picture_reaches_the_model_as_a_picture(tmp_path: Path) -> None:
    ran = await run(tmp_path, LIST, look_at_the_picture, FINISH, rule=MAP)
    shown = ran.server.asked[2]["messages"][-1]
    assert shown["role"] == "user"
    (image,) = [part for part in shown["content"] if part["type"] == "image_url"]
    assert image["image_url"]["url"].startswith("data:image/png;base64,")
    (content,) = [step["content"] for step in ran.trajectory["steps"][2]["observation"]["results"]]
    assert [part["type"] for part in content] == ["text", "image"]
    assert "base64" not in json.dumps(ran.trajectory)


async def test_a_text_only_model_gets_tables_instead_of_pictures(tmp_path: Path) -> None:
    ran = await run(tmp_path, LIST, FINISH, rule=MAP, options=("--modality", "tables"))
    listed = ran.server.asked[1]["messages"][-1]["content"]
    assert "density_seniors.csv" in listed and ".png" not in listed
    assert ran.result.identity is not None
    assert ran.result.identity.modality == "tables"


@pytest.mark.parametrize(
    ("saying", "ended", "incident"),
    [
        (says("Nothing to do."), "gave_up", "no_call"),
        (says(None, calls("desk_tasks", '{"task": ')), "gave_up", "malformed_arguments"),
        (says("", refusal="I will not."), "gave_up", "refusal"),
        (too_long_for_openai(), "context_overflow", "context_overflow"),
        (says("", calls("desk_fly")), "step_limit", "unknown_tool"),
        (LOOK, "step_limit", None),
    ],
    ids=["no call", "malformed", "refusal", "too long", "unknown tool", "tireless"],
)
async def test_failures_of_the_agent_are_graded_in_the_state_of_the_world(
    tmp_path: Path, saying: Scripted, ended: str, incident: str | None
) -> None:
    replied = (LIST,) if incident == "context_overflow" else ()
    ran = await run(tmp_path, *replied, then=saying, options=("--max-steps", "6"))
    result = ran.result
    assert (result.ended, result.score, result.error, result.tries) == (ended, 0, None, 1)
    assert result.agent_error is None
    assert set(result.incidents) == ({incident} if incident else set())


async def test_a_day_on_which_the_model_never_replied_is_broken_with_the_words_of_its_server(
    tmp_path: Path,
) -> None:
    ran = await run(tmp_path, then=too_long_for_openai(), exits=1)
    result = ran.result
    assert (result.score, result.ended) == (None, None)
    assert result.error is not None and "maximum context length" in result.error


@pytest.mark.parametrize(
    ("option", "ended"),
    [(("--max-tokens", "250"), "token_limit"), (("--max-steps", "3"), "step_limit")],
)
async def test_limits_end_a_day_and_the_report_counts_them(
    tmp_path: Path, option: tuple[str, ...], ended: str
) -> None:
    ran = await run(tmp_path, then=LOOK, options=option)
    assert (ran.result.ended, ran.result.steps, ran.result.score) == (ended, 3, 0)
    assert "at limit" in (ran.folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "trouble", [fails(401, f"Bad key {KEY}."), fails(503)], ids=["key", "down"]
)
async def test_a_service_that_cannot_be_had_breaks_the_episode_which_is_tried_once_more(
    tmp_path: Path, trouble: Scripted
) -> None:
    ran = await run(tmp_path, LOOK, then=trouble, exits=1)
    result = ran.result
    assert (result.score, result.ended, result.tries) == (None, None, 2)
    assert result.error is not None and result.error.startswith("InfrastructureFault: ")
    assert not any(KEY in file.read_text(errors="replace") for file in ran.folder.rglob("*.*"))


async def test_a_server_that_never_answers_breaks_the_day_within_the_time_limit(
    tmp_path: Path,
) -> None:
    ran = await run(tmp_path, LOOK, then=hangs(), options=("--max-seconds", "1"), exits=1)
    assert "the model had not answered one request" in ran.done.output
    assert ran.result.score is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--history", "hole"), "There is no history 'hole'"),
        (("--history", "summarising:x"), "number of tokens"),
        (("--system-prompt", "rude"), "There is no system prompt 'rude'"),
        (("--system-prompt", "no.where:Prompt"), "There is no module 'no'"),
        (("--max-cost", "1"), "price of tiny (scripted-model) is not known"),
    ],
)
async def test_an_impossible_configuration_is_refused_before_anything_is_staged(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    ran = await run(tmp_path, then=LOOK, options=options, exits=2)
    assert said in ran.done.output
    assert not ran.folder.exists()
    assert ran.server.asked == []


@pytest.mark.parametrize("option", ["--system-prompt", "--history"])
def test_a_part_for_an_agent_that_does_not_think_is_refused(tmp_path: Path, option: str) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke(
        "--config", path, "--agent", "nothing", option, "bare", "--out", tmp_path / "o", exits=2
    )
    assert f"{option} bare needs an agent with a model" in done.output


class Silent:
    """A system prompt of somebody's own."""

    def text(self, office: object) -> str:
        return "Be silent."


async def test_a_system_prompt_of_ones_own_is_what_the_model_reads(tmp_path: Path) -> None:
    options = ("--system-prompt", f"{__name__}:Silent", "--history", "whole")
    ran = await run(tmp_path, FINISH, options=options)
    assert ran.server.asked[0]["messages"][0]["content"] == "Be silent."


async def test_a_run_is_not_taken_up_where_its_parts_are_not_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "terse_prompt.py"
    module.write_text(
        "class Prompt:\n    def text(self, session):\n        return 'Be brief.'\n",
        encoding="utf-8",
    )
    ran = await run(tmp_path, FINISH, options=("--system-prompt", "terse_prompt:Prompt"))
    module.unlink()
    monkeypatch.delitem(sys.modules, "terse_prompt")
    importlib.invalidate_caches()
    done = await asyncio.to_thread(invoke, "--resume", ran.folder, exits=2)
    assert "There is no module 'terse_prompt'" in done.output
