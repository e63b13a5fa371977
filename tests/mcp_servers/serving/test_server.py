"""A seat as an MCP server: what clients of both protocol eras see of tools and of calls."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import ImageContent, TextContent

from tests.mcp_servers.toy import PICTURE, a_world, seat_in
from tests.world.toy import Shelf
from trainee_bench.mcp_servers.serving import server as serving
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.mcp_servers.serving.server import (
    FACTS_META_KEY,
    MINUTES_META_KEY,
    build_server,
    package_version,
)
from trainee_bench.world.world import World

REVISIONS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with await a_world() as world:
        yield world


@pytest.fixture(params=REVISIONS)
def mode(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def connect(world: World, mode: str, costs: dict[str, int] | None = None) -> Client:
    return Client(build_server("shelf", seat_in(world), "Begin here.", costs or {}), mode=mode)


async def test_the_server_says_who_it_is_in_either_revision(world: World, mode: str) -> None:
    async with connect(world, mode) as client:
        assert client.protocol_version == REVISIONS[mode]
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("shelf", package_version())
        assert client.instructions == "Begin here."
        assert client.server_capabilities.tools is not None


async def test_tools_are_listed_with_schemas_costs_and_what_they_may_do(
    world: World, mode: str
) -> None:
    async with connect(world, mode, {"shelf_put": 30}) as client:
        tools = (await client.list_tools()).tools
        assert (await client.list_tools()).tools == tools
    assert [tool.name for tool in tools] == list(seat_in(world).tools)
    put = next(tool for tool in tools if tool.name == "shelf_put")
    assert put.description == "Put a thing on the shelf. It stays there. (30 min)"
    assert put.input_schema["required"] == ["thing"]
    assert put.output_schema is not None and put.meta == {MINUTES_META_KEY: 30}
    hints = {tool.name: tool.annotations for tool in tools}
    assert all(hint is not None and hint.open_world_hint is False for hint in hints.values())
    said = [hints[name] for name in ("shelf_list", "shelf_put", "shelf_clear")]
    assert [hint.read_only_hint for hint in said if hint] == [True, False, False]
    assert [hint.destructive_hint for hint in said if hint] == [False, False, True]


async def test_an_answer_has_text_and_data_the_time_and_what_is_new(
    world: World, mode: str
) -> None:
    async with connect(world, mode) as client:
        first = await client.call_tool("shelf_put", {"thing": "cup"})
        await client.call_tool("shelf_list")
        for _ in range(11):
            last = await client.call_tool("shelf_put", {"thing": "x", "where": "right"})
    assert texts(first) == "cup is on the left.\n[08:05]"
    assert first.structured_content == {
        "data": {"things": ["cup"]},
        "time": "2025-10-01T08:05:00",
        "notices": [],
    }
    assert texts(last) == "x is on the right.\n[09:01]\n" + "\n".join(
        ["- 09:00 dust has appeared"] * 12
    )
    told = last.structured_content["notices"] if last.structured_content else []
    notice = {"at": "2025-10-01T09:00:00", "kind": "mail", "text": "dust has appeared"}
    assert told == [notice] * 12
    assert not first.is_error and not last.is_error


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("shelf_clear", {}, "Nothing may be taken away; put something there instead."),
        ("shelf_put", {"where": "up"}, "shelf_put: the argument 'thing' is missing; 'where'"),
        ("shelf_put", {"thing": "x", "colour": 1}, "there is no argument 'colour'"),
        ("shelf_put", None, "the argument 'thing' is missing"),
        ("shelf_burn", {}, "There is no tool 'shelf_burn' here; use one of the listed tools."),
    ],
)
async def test_a_refusal_is_an_error_in_words_with_the_time(
    world: World, mode: str, name: str, arguments: dict[str, Any] | None, said: str
) -> None:
    async with connect(world, mode) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error and said in texts(result)
    assert texts(result).endswith("\n[08:01]")
    assert result.structured_content is not None
    assert said in result.structured_content["error"]
    assert result.structured_content["time"] == "2025-10-01T08:01:00"
    assert (await world.read(lambda tx: tx.row("SELECT 1 FROM shelf"))) is None


async def test_a_picture_comes_after_its_text(world: World, mode: str) -> None:
    async with connect(world, mode) as client:
        result = await client.call_tool("shelf_show")
    text, picture = result.content
    assert isinstance(text, TextContent) and text.text == "A shelf.\n[08:01]"
    assert isinstance(picture, ImageContent) and picture.mime_type == "image/png"
    assert base64.b64decode(picture.data) == PICTURE


async def test_with_a_picture_there_is_no_structured_content_which_would_hide_it(
    world: World, mode: str
) -> None:
    async with connect(world, mode) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("shelf_show")
    assert listed["shelf_show"].output_schema is None and result.structured_content is None
    assert (result.meta or {})[FACTS_META_KEY]["time"] == "2025-10-01T08:01:00"


async def test_as_text_a_result_has_the_same_words_and_pictures_and_nothing_beside(
    world: World, mode: str
) -> None:
    async with await world.fork() as copy, connect(copy, mode) as both:
        with_data = [await both.call_tool(name) for name in ("shelf_list", "shelf_show", "no")]
    server = build_server("shelf", seat_in(world), "", {}, ResultView.TEXT)
    async with Client(server, mode=mode) as client:
        assert all(tool.output_schema is None for tool in (await client.list_tools()).tools)
        alone = [await client.call_tool(name) for name in ("shelf_list", "shelf_show", "no")]
    assert [(one.content, one.is_error) for one in alone] == [
        (one.content, one.is_error) for one in with_data
    ]
    assert all(one.structured_content is None for one in alone)
    assert not any(FACTS_META_KEY in (one.meta or {}) for one in alone)


async def test_a_bug_of_ours_is_a_protocol_error_that_tells_nothing_and_changes_nothing(
    world: World, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = await world.digest()
    async with connect(world, mode) as client:
        with pytest.raises(MCPError) as failed:
            await client.call_tool("shelf_break")
        assert await world.digest() == before
        assert not (await client.call_tool("shelf_list")).is_error
    assert "nothing was changed" in str(failed.value)
    assert "/home" not in str(failed.value) and "Traceback" not in str(failed.value)
    assert "the shelf broke in /home/robin/shelf.py" in caplog.text


@pytest.mark.parametrize("arguments", [[1, 2], "text", 3])
async def test_arguments_that_are_no_object_are_no_call(
    world: World, mode: str, arguments: object
) -> None:
    async with connect(world, mode) as client:
        with pytest.raises((MCPError, ValueError)):
            await client.call_tool("shelf_put", arguments)  # type: ignore[arg-type]
    assert await world.log() == []


async def test_clients_of_both_eras_share_one_server(world: World) -> None:
    server = build_server("shelf", seat_in(world), "", {})
    async with Client(server) as new, Client(server, mode="legacy") as old:
        await new.call_tool("shelf_put", {"thing": "cup"})
        await old.call_tool("shelf_put", {"thing": "saucer"})
        result = await new.call_tool("shelf_list")
    assert texts(result).startswith("cup, saucer\n")


async def test_an_outcome_conforms_to_the_listed_schema(world: World, mode: str) -> None:
    async with connect(world, mode) as client:
        await client.list_tools()  # from now on the client validates
        result = await client.call_tool("shelf_list")
        assert result.structured_content is not None
        Shelf.model_validate(result.structured_content["data"])


def test_a_checkout_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(serving, "installed_version", nowhere)
    assert package_version() == "0+checkout"
    monkeypatch.setattr(serving, "installed_version", lambda name: f"{name} 1.2")
    assert package_version() == "trainee-bench 1.2"


def texts(result: Any) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
