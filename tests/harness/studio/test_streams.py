"""What happens in a world of anybody's is told soon, once, and to its end."""

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
from tests.harness.studio.shown import served, unfinished
from trainee_bench.harness.studio import history
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.world import World

HANGS = 30
"""Seconds after which a test that waits has failed."""


async def events(
    client: httpx2.AsyncClient, path: str, **headers: str
) -> AsyncIterator[tuple[str, Any, str]]:
    """The events of a stream: kind, data, id."""
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


async def test_a_stream_ends_when_the_episode_does(ran: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ran, folder)
    finish = unfinished(folder)
    async with served(folder) as (_, client):
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
    assert not list((folder / "worlds").glob("*-wal")), "nothing is left open"


async def test_an_episode_that_begins_anew_is_told_from_its_beginning(tmp_path: Path) -> None:
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


async def test_what_the_agent_thinks_is_there_with_each_call_while_it_works(tmp_path: Path) -> None:
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
