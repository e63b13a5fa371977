"""Runs start from names that exist, are stopped, and are continued from any step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.studio.acting import ONE_DAY, acting
from tests.harness.studio.test_guiding import finished, problems, replayed
from trainee_bench.harness.analysis.comparison.compared_run import (
    IncomparableRuns,
    load_compared_runs,
)
from trainee_bench.harness.records.human_part import ForkPoint
from trainee_bench.harness.submissions.rules import rule_problems
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark


async def test_a_run_starts_from_names_that_exist_and_from_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "api_config.json").write_text(
        '{"mine": {"model_name": "m", "api_key_var": "a-secret-key-of-mine", '
        '"base_url": "https://models.example/v1"}}'
    )
    async with acting(tmp_path) as person:
        page = await person.client.get("/api/start")
        assert "a-secret-key" not in page.text
        assert "models.example" not in page.text
        choices = page.json()["choices"]
        assert "quickstart" in [config["name"] for config in choices["configs"]]
        assert choices["models"] == ["mine"]
        named = {choice["name"]: choice for choice in choices["model_choices"]}
        assert named["mine"]["about"].startswith("m, ") and not named["mine"]["scripted"]
        assert "55% of hard" in named["scripted-able"]["about"]
        kinds = {agent["name"]: agent["kind"] for agent in choices["agents"]}
        assert (kinds["oracle"], kinds["sprayer"], kinds["openai"]) == ("honest", "cheat", "model")
        abouts = [agent["about"] for agent in choices["agents"]]
        assert len(set(abouts)) == len(abouts) and not any("`" in about for about in abouts)
        agents = [agent["name"] for agent in choices["agents"]]
        assert "oracle" in agents and "command" not in agents
        for wrong in (
            {"agents": ["os:system"]},
            {"agents": ["command"]},
            {"agents": []},
            {"agents": ["openai"]},
            {"agents": ["openai"], "models": ["nobody"]},
            {"config": "../secret.json"},
            {"config": str(tmp_path / "api_config.json")},
            {"scenarios": ["no_such_day"]},
            {"agent_command": "rm -rf /"},
            {"max_steps": 0},
            {"attendance": {"policy": [{"pattern": "[", "action": "ask"}]}},
        ):
            said = await person.post("/api/start", {**ONE_DAY, **wrong}, 400)
            assert said["error"], wrong
        assert (await person.get("/api/jobs"))["jobs"] == []
        assert not list(tmp_path.glob("*/run.json"))


async def test_a_forecast_runs_nothing(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        wanted = {**ONE_DAY, "agents": ["openai"], "models": ["scripted-able"]}
        (said,) = await person.post("/api/start/forecast", wanted)
        assert said["cost_usd"]["expected"] == 0
        assert said["prompt_tokens"]["low"] < said["prompt_tokens"]["high"]
        assert not list(tmp_path.glob("*/run.json"))


async def test_a_run_is_stopped_and_keeps_what_is_finished(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(
            scenarios=[], agents=["oracle", "nothing"], attendance={"paused": True}
        )
        await person.until(episode, "held")
        (line,) = (await person.get("/api/jobs"))["jobs"]
        first = {"episode": episode, "agent": "oracle", "scenario": "first_day"}
        assert {**first, "why": "you, paused before desk_now"} in line["waiting"]
        stopped = await person.post("/api/jobs/0/stop", {})
        assert stopped["job"] == 0
        line = await person.over()
        assert (line["state"], line["waiting"]) == ("stopped", [])
        assert line["finished"] < line["episodes"]
        await person.post("/api/jobs/4/stop", {}, 404)
        states = (await person.get("/api/runs"))["runs"][0]["states"]
        assert states["running"] == 0
        assert states["done"] == line["finished"]


async def test_closing_the_studio_stops_what_it_has_started(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(attendance={"paused": True})
        await person.until(episode, "held")
    (run,) = tmp_path.glob("quickstart-*")
    assert list((run / "worlds").iterdir()) == []


async def test_another_agent_continues_from_a_step_and_is_never_pooled(
    ran: Path, tmp_path: Path
) -> None:
    (tmp_path / "a-run").symlink_to(ran)
    async with acting(tmp_path) as person:
        sprayer = next(
            cell["episode"]
            for cell in (await person.get("/api/runs/0"))["cells"]
            if cell["agent"] == "sprayer"
        )
        source = f"/api/episodes/{sprayer}"
        whole = await person.get(source)
        last = (await person.get(f"{source}/log"))["calls"]
        await person.post(f"{source}/fork", {"step": 999, "agents": ["oracle"]}, 404)
        await person.post(f"{source}/fork", {"step": 1, "agents": ["oracle", "nothing"]}, 400)
        if last[-1]["until"] >= whole["day_ends"]:
            body = {"step": len(last), "agents": ["oracle"]}
            assert "over" in (await person.post(f"{source}/fork", body, 400))["error"]
        begun = await person.post(f"{source}/fork", {"step": 3, "agents": ["oracle"]})
        await person.over()
        fork = f"/api/episodes/{begun['episode']}"
        facts = await person.get(fork)
        assert facts["forked_from"] == {"run": "a-run", "episode": whole["name"], "step": 3}
        assert facts["score"] > whole["score"]
        assert (facts["marks"], whole["marks"]) == (["forked"], [])
        assert (await person.get(f"{fork}/log"))["calls"][:3] == last[:3]
        thought = (await person.get(f"{fork}/steps/4"))["thought"]
        assert thought is None or thought["turn"] == 1
    folder, result = await finished(next(tmp_path.glob("fork-*")))
    assert result.forked_from == ForkPoint(run="a-run", episode=whole["name"], step=3)
    assert result.error is None
    assert await replayed(folder) is None
    assert await problems(folder) == ()
    with pytest.raises(IncomparableRuns, match="another run"):
        load_compared_runs([folder.path])
    found = tuple(rule_problems(folder.plan(), [result], load_shipped_benchmark()))
    assert any("took over another agent's day" in problem for problem in found)
    assert "goes on from" in (folder.path / "report.md").read_text(encoding="utf-8")


async def test_a_week_is_not_continued_from_a_step(worked_week: Path) -> None:
    async with acting(worked_week) as person:
        assert (await person.get("/api/episodes/0-0"))["week"] is True
        body = {"step": 0, "agents": ["oracle"]}
        refused = await person.post("/api/episodes/0-0/fork", body, 400)
    assert "A week has one agent for each day" in refused["error"]


async def test_a_day_is_not_a_week(ran: Path) -> None:
    async with acting(ran) as person:
        assert (await person.get("/api/episodes/0-0"))["week"] is False
