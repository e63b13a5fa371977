"""The whole conversation with a model without its keys, and the live streams."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from tests.harness.studio.acting import acting
from tests.harness.studio.shown import got, served, unfinished, visitor
from tests.harness.studio.talkative import MALFORMED, REPLIES
from tests.scripted_endpoint import KEY
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.studio import history
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

EPISODE = "/api/episodes/0-0"
TALK = f"{EPISODE}/conversation"


async def test_every_message_is_shown_from_the_system_prompt_on(talked: Path) -> None:
    async with visitor(talked) as client:
        shown = await got(client, TALK)
        facts = await got(client, EPISODE)
    assert facts["model"] == "mine"
    messages = shown["messages"]
    assert [message["role"] for message in messages[:3]] == ["system", "user", "assistant"]
    assert "Begin with desk_tasks" in messages[1]["text"]
    replies = [message for message in messages if message["role"] == "assistant"]
    assert [message["text"] for message in replies[:4]] == [
        "First the tasks.",
        "  ",
        "",
        "I wonder what to do.",
    ]
    assert shown["conversations"][0]["replies"] == len(REPLIES) + 1
    assert all(message["raw"]["role"] == message["role"] for message in messages)


async def test_empty_and_malformed_replies_are_shown_with_their_answers(
    talked: Path,
) -> None:
    async with visitor(talked) as client:
        messages = (await got(client, TALK))["messages"]
    noted = {message["note"]: n for n, message in enumerate(messages) if message["note"]}
    assert noted.keys() == {"empty reply", "calls not made", "no call"}
    after = {note: messages[place + 1]["text"] for note, place in noted.items()}
    assert after["empty reply"].startswith("Your reply was empty.")
    assert after["no call"].startswith("Nobody reads this")
    assert "not a JSON object" in after["calls not made"]
    (lost,) = messages[noted["calls not made"]]["lost"]
    assert MALFORMED in lost


async def test_each_reply_has_its_turn_its_step_and_its_usage(talked: Path) -> None:
    async with visitor(talked) as client:
        shown = await got(client, TALK)
        steps = {n: await got(client, f"{EPISODE}/steps/{n}") for n in (1, 2)}
    replies = [message for message in shown["messages"] if message["role"] == "assistant"]
    assert [reply["turn"] for reply in replies] == [1, None, 2, 3, 4, 5]
    used = [reply["usage"]["prompt_tokens"] for reply in replies]
    assert used[:5] == [1000, 1100, 1200, 1300, 1400]
    assert shown["totals"]["prompt_tokens"] == sum(used)
    first, _, _, _, note, _ = replies
    assert (first["step"], note["step"]) == (1, 2)
    assert steps[2]["thought"]["turn"] == note["turn"]
    assert steps[2]["call"]["tool"] == "desk_write_note"


async def test_a_step_and_a_turn_lead_to_their_place_and_a_request_is_given_whole(
    talked: Path,
) -> None:
    async with visitor(talked) as client:
        by_step, by_turn = await got(client, TALK, step=2), await got(client, TALK, turn=4)
        assert by_step == by_turn
        place = next(m["place"] for m in by_turn["messages"] if m["turn"] == 4)
        sent = await got(client, f"{TALK}/request", message=place)
        after = await got(client, TALK, top=place)
    assert [message["role"] for message in sent["messages"][:2]] == ["system", "user"]
    assert len(sent["messages"]) == place
    assert "desk_tasks" in {tool["function"]["name"] for tool in sent["tools"]}
    assert after["messages"][0]["place"] == place


async def test_a_key_of_api_config_reaches_the_page_nowhere(
    talked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has told the model its key, and the model said it and wrote it down. It is
    recorded nowhere, but here is a record that contains it."""
    files = [path for path in talked.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    shutil.copytree(talked, tmp_path / "run")
    file = tmp_path / "run" / "trajectories" / "one.day_1.mine.1.json"
    said = file.read_text(encoding="utf-8")
    file.write_text(said.replace("Is [key] mine?", f"Is {KEY} mine?"), encoding="utf-8")
    assert file.read_text(encoding="utf-8").count(KEY) == 2
    paths = [TALK, f"{TALK}/request?message=12", EPISODE, f"{EPISODE}/log", "/api/start"]
    paths += [f"{EPISODE}/steps/{n}" for n in (1, 2)]
    paths += [f"{EPISODE}/state/3/desk", f"{EPISODE}/found?q=mine", "/api/runs/0", "/api/runs"]
    config = json.loads((talked.parent / "api_config.json").read_text(encoding="utf-8"))
    by_variable = {"mine": {**config["mine"], "api_key_var": "SOME_PLACE"}}
    monkeypatch.setenv("SOME_PLACE", KEY)
    monkeypatch.chdir(tmp_path)
    for models in (config, by_variable):
        (tmp_path / "api_config.json").write_text(json.dumps(models), encoding="utf-8")
        async with visitor(tmp_path / "run") as client:
            answers = {path: (await client.get(path)).text for path in paths}
        assert [path for path, text in answers.items() if KEY in text] == []
        assert "*" * len(KEY) in answers[TALK]
        assert "*" * len(KEY) in answers[f"{EPISODE}/steps/2"]


async def test_without_a_record_the_reason_is_given(
    ran: Path, talked: Path, tmp_path: Path
) -> None:
    shutil.copytree(talked, tmp_path / "run")
    shutil.copytree(ran, tmp_path / "still")
    unfinished(tmp_path / "still")
    file = RunFolder.open(tmp_path / "run").path / "trajectories" / "one.day_1.mine.1.json"
    async with visitor(ran) as client:
        assert "no language model" in (await client.get(TALK)).json()["error"]
    async with visitor(tmp_path / "still") as client:
        assert "once the episode is over" in (await client.get(TALK)).json()["error"]
    async with visitor(tmp_path / "run") as client:
        for query, words in (("number=7", "1 conversation"), ("turn=99", "No turn 99")):
            assert words in (await got(client, f"{TALK}?{query}", 404))["error"]
        damaged = json.loads(file.read_text(encoding="utf-8"))
        damaged["extra"]["turns"] = [9999]
        file.write_text(json.dumps(damaged), encoding="utf-8")
        assert "is damaged" in (await client.get(TALK)).json()["error"]


HANGS = 30
"""Seconds after which a test that waits has failed."""


async def events(
    client: httpx2.AsyncClient, path: str, **headers: str
) -> AsyncIterator[tuple[str, Any, str]]:
    """Yield the events of a stream: kind, data, id."""
    async with client.stream("GET", path, headers=headers, timeout=HANGS) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.status_code
        kind = id = ""
        async for line in answer.aiter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                id = value
            elif name == "data":
                yield kind, json.loads(value), id


def dispatcher(world: World) -> ToolDispatcher:
    return ToolDispatcher(world, "robin.hale", default_toolboxes().values())


async def test_calls_in_a_world_are_told_as_they_are_committed_and_not_twice(
    tmp_path: Path,
) -> None:
    path = tmp_path / "day.world"
    async with await create_world(path, find_scenario()) as world, served(path) as (_, client):
        calls = dispatcher(world)
        await calls.call("desk_now", {})
        with anyio.fail_after(HANGS):
            stream = events(client, "/api/episodes/0-0/events")
            assert (await anext(stream))[:2] == (
                "state",
                {"state": "running", "score": None, "steps": 1},
            )
            kind, data, id = await anext(stream)
            assert (kind, [call["tool"] for call in data["calls"]], id) == (
                "calls",
                ["desk_now"],
                "1",
            )
            await calls.call("desk_tasks", {})
            kind, data, id = await anext(stream)
            assert ([call["tool"] for call in data["calls"]], data["total"], id) == (
                ["desk_tasks"],
                2,
                "2",
            )
            await stream.aclose()
            await calls.call("desk_read_notes", {})
            again = events(client, "/api/episodes/0-0/events", **{"last-event-id": "2"})
            await anext(again)
            assert [call["step"] for call in (await anext(again))[1]["calls"]] == [3]
            await again.aclose()
            state = await client.get("/api/episodes/0-0/state/3/desk")
            assert state.json()["step"] == 3


async def test_a_stream_ends_when_the_episode_does(copied: Path) -> None:
    finish = unfinished(copied)
    async with served(copied) as (_, client):
        with anyio.fail_after(HANGS):
            overview = events(client, "/api/live/events")
            (running,) = (await anext(overview))[1]["episodes"]
            assert (running["agent"], running["state"]) == ("oracle", "running")
            assert running["latest"][-1]["step"] == running["steps"]
            stream = events(client, "/api/episodes/0-0/events", **{"last-event-id": "9999"})
            assert (await anext(stream))[1]["state"] == "running"
            finish()
            kind, data, _ = await anext(stream)
            assert (kind, data["state"], data["score"]) == ("state", "done", 1.0)
            assert [event async for event in stream] == []
            assert (await anext(overview))[1]["episodes"][0]["state"] == "done"
            await overview.aclose()
    assert not list((copied / "worlds").glob("*-wal")), "nothing is left open"


async def test_an_episode_that_begins_again_is_streamed_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "day.world"
    async with served(tmp_path / "day.world", tmp_path) as (_, client), anyio.create_task_group():
        assert (await client.get("/api/episodes/0-0")).status_code == 404, "it is not there yet"
    first = await create_world(path, find_scenario())
    async with served(path) as (_, client):
        with anyio.fail_after(HANGS):
            await dispatcher(first).call("desk_now", {})
            stream = events(client, "/api/episodes/0-0/events")
            assert [(await anext(stream))[0] for _ in range(2)] == ["state", "calls"]
            await first.close()
            for file in tmp_path.glob("day.world*"):
                file.unlink()
            async with await create_world(path, find_scenario()) as second:
                await dispatcher(second).call("desk_tasks", {})
                told = [await anext(stream)]
                while told[-1][0] != "calls":
                    told.append(await anext(stream))
                assert "again" in [kind for kind, _, _ in told]
                assert [call["tool"] for call in told[-1][1]["calls"]] == ["desk_tasks"]
                await stream.aclose()


async def test_a_world_that_nobody_watches_any_more_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_UNUSED_SECONDS", 0.05)
    path = tmp_path / "day.world"
    world = await create_world(path, find_scenario())
    async with served(path) as (_, client):
        assert (await client.get("/api/episodes/0-0/log")).json()["total"] == 0
        await dispatcher(world).call("desk_now", {})
        await world.close()
        with anyio.fail_after(HANGS):
            while [file.name for file in tmp_path.iterdir()] != ["day.world"]:  # noqa: ASYNC110
                await anyio.sleep(0.02)
        assert (await client.get("/api/episodes/0-0/log")).json()["total"] == 1


async def test_the_studio_closes_while_somebody_listens(tmp_path: Path) -> None:
    path = tmp_path / "day.world"
    await (await create_world(path, find_scenario())).close()
    with anyio.fail_after(HANGS):
        async with served(path) as (_, client):
            stream = events(client, "/api/episodes/0-0/events")
            await anext(stream)
    with pytest.raises((httpx2.TransportError, StopAsyncIteration)):
        await anext(stream)
    await stream.aclose()


async def test_the_agents_thought_is_shown_with_each_call_while_it_works(tmp_path: Path) -> None:
    async with acting(tmp_path) as person:
        episode = await person.start(
            agents=["openai"], models=["scripted-able"], attendance={"paused": True}
        )
        path = f"/api/live/{episode}"
        first = (await person.until(episode, "held"))["thinks"]
        while len(log := (await person.get(f"/api/episodes/{episode}/log"))["calls"]) < 4:
            await person.post(f"{path}/control", {"do": "step"})
            await person.until(episode, "held")
        live = [
            (await person.get(f"/api/episodes/{episode}/steps/{call['step']}"))["thought"]
            for call in log
        ]
        assert live and all(thought["message"] for thought in live)
        assert first == live[0]["message"], "it is there before the call is made"
        await person.post(f"{path}/control", {"do": "go"})
        await person.over()
        over = [
            (await person.get(f"/api/episodes/{episode}/steps/{call['step']}"))["thought"]
            for call in log
        ]
        assert live == over
    (run,) = tmp_path.glob("quickstart-*")
    assert not list(run.glob("trajectories/*.turns.jsonl"))
