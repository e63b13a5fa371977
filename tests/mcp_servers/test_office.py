"""The office as a model gets it: which apps, for whom, how much text, where to begin."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from statistics import median

import pytest
from mcp import Client

from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers import default_toolboxes, discover_toolboxes
from trainee_bench.mcp_servers.office import (
    BEGIN_HINT,
    OFFICE,
    UnknownApp,
    UnknownPerson,
    build_office_server,
)
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.schema import schema_size
from trainee_bench.mcp_servers.serving.server import (
    MAX_RESULT_CHARACTERS,
    MINUTES_META_KEY,
    render_result,
)
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import compose_day, create_world
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.world import World

pytestmark = pytest.mark.every_app
LARGEST_OFFICE = 32_000
USUAL_RESULT = 1_600
"""Characters: about 8,000 and 400 tokens."""


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with await create_world(None, find_scenario()) as world:
        yield world


async def staged(**changes: object) -> World:
    """The first day of the quickstart, changed."""
    scenario = find_scenario()
    return await create_world(None, Scenario.model_validate({**scenario.model_dump(), **changes}))


async def test_the_office_holds_every_app_that_need_not_be_named(world: World) -> None:
    async with Client(await build_office_server(world)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert client.server_info is not None and client.server_info.name == OFFICE
    assert names == [tool.name for box in default_toolboxes().values() for tool in box]


def test_a_new_app_does_not_change_what_days_offer_that_name_none() -> None:
    """The list of apps is part of a result's identity: see docs/decisions/0017."""
    offered = {"calendar", "chat", "desk", "files", "mail", "monitor", "sheets"}
    assert set(default_toolboxes()) == offered
    assert "terminal" in discover_toolboxes()


@pytest.mark.parametrize("app", default_toolboxes())
async def test_each_app_is_a_server_of_its_own(world: World, app: str) -> None:
    async with Client(await build_office_server(world, app=app)) as client:
        tools = (await client.list_tools()).tools
        assert client.server_info is not None and client.server_info.name == app
    assert tools and all(tool.name.startswith(f"{app}_") for tool in tools)


async def test_a_scenario_names_its_apps() -> None:
    async with await staged(tools=("files", "desk")) as world:
        async with Client(await build_office_server(world)) as client:
            names = {t.name.partition("_")[0] for t in (await client.list_tools()).tools}
            result = await client.call_tool("mail_list")
        assert names == {"desk", "files"} and result.is_error
        with pytest.raises(
            UnknownApp, match=r"no app 'mail'; it offers desk, files, or office\. A scen"
        ):
            await build_office_server(world, app="mail")


async def test_an_app_that_nobody_has_stops_the_run() -> None:
    async with await staged(tools=("desk", "teleporter")) as world:
        with pytest.raises(UnknownApp, match="needs the app 'teleporter'"):
            await build_office_server(world)


async def test_a_scenario_sets_the_minutes_that_are_listed_and_charged() -> None:
    async with (
        await staged(minutes={"desk_now": 17}) as world,
        Client(await build_office_server(world)) as client,
    ):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("desk_now")
    now = tools["desk_now"]
    assert now.meta == {MINUTES_META_KEY: 17} and (now.description or "").endswith("(17 min)")
    assert result.structured_content is not None
    assert result.structured_content["time"] == "2025-10-01T08:17:00"


async def test_the_instructions_say_who_one_is_and_to_begin_at_the_desk(world: World) -> None:
    async with Client(await build_office_server(world)) as client:
        said = client.instructions or ""
    assert said.startswith("You are Robin Hale, trainee at Tessel Labs.") and BEGIN_HINT in said
    assert all(box.about in said for box in default_toolboxes().values())
    assert len(said) < 1_200


async def test_an_app_alone_says_where_the_tasks_are(world: World) -> None:
    async with Client(await build_office_server(world, app="mail")) as client:
        said = client.instructions or ""
    assert BEGIN_HINT not in said and "desk server" in said and "desk_tasks" in said


async def test_somebody_else_may_sit_down(world: World) -> None:
    people = compose_day(find_scenario()).company.people
    for who in (people[3].id, people[3].email, people[3].name):
        async with Client(await build_office_server(world, who)) as client:
            assert (client.instructions or "").startswith(f"You are {people[3].name},")
            result = await client.call_tool("desk_tasks")
            assert not result.is_error and "no tasks" in result.content[0].text  # type: ignore[union-attr]
    with pytest.raises(UnknownPerson, match="Nobody here is called 'nobody'"):
        await build_office_server(world, "nobody")


def test_the_office_as_a_model_gets_it_stays_small() -> None:
    tools = [tool for box in discover_toolboxes().values() for tool in box]
    assert (
        sum(schema_size(t.name, t.description(), t.input_schema) for t in tools) <= LARGEST_OFFICE
    )


@pytest.mark.parametrize(
    ("app", "count", "most", "reading", "destructive"),
    [
        ("calendar", 9, 5_000, "list read_meeting find_rooms find_busy", "cancel"),
        ("chat", 5, 3_195, "list_people read_history list_groups", ""),
        ("files", 10, 4_790, "list read view_image search info", "write edit move delete"),
        ("mail", 8, 4_500, "list search", "save"),
    ],
)
def test_the_tools_of_an_app_cost_a_model_few_tokens_and_say_what_they_do(
    app: str, count: int, most: int, reading: str, destructive: str
) -> None:
    tools = list(discover_toolboxes()[app])
    shown = [
        {"name": t.name, "description": t.description(), "inputSchema": t.input_schema}
        for t in tools
    ]
    assert len(shown) == count and len(json.dumps(shown, separators=(",", ":"))) <= most
    assert {t.name for t in tools if t.read_only} == {f"{app}_{verb}" for verb in reading.split()}
    assert {t.name for t in tools if t.destructive} == {
        f"{app}_{verb}" for verb in destructive.split()
    }


async def test_results_of_ordinary_days_are_short_and_half_of_them_very_short() -> None:
    """As honest work's calls on the shipped days are answered."""
    lengths = []
    for scenario in load_shipped_benchmark().scenarios:
        day = await stage_day(compose_day(scenario))
        async with day.world:
            assert await day.work() == {}
            log = await day.world.log()
        async with await create_world(None, scenario) as again:
            seat = ToolDispatcher(again, log[0].actor, discover_toolboxes().values())
            for entry in log:
                done = await seat.call(entry.tool, entry.arguments, entry.effects)
                lengths.append(len(render_result(done).content[0].text))  # type: ignore[union-attr]
    assert len(lengths) > 50
    assert max(lengths) <= MAX_RESULT_CHARACTERS
    assert median(lengths) < USUAL_RESULT
