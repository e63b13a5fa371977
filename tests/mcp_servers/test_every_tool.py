"""Every tool of every app, found and not named: whatever it is given, it answers or refuses.

After a refusal the world is, but for the log, as if the caller had waited a minute.
"""

from __future__ import annotations

import asyncio
import functools
import json
import re
import sys
import tempfile
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.mcp_servers.from_schema import Known, right, wrong
from tests.mcp_servers.told import Told, names_of_people, untold
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.server import MAX_RESULT_CHARACTERS, render_result
from trainee_bench.mcp_servers.serving.toolbox import FileUse, Tool
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.world import ActionResult, World

pytestmark = pytest.mark.every_app
T = TypeVar("T")
TOOLS = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
TRACEBACK = "Traceback (most recent call last)"
OUR_MACHINE = (
    TRACEBACK,
    "site-packages",
    sys.prefix,
    tempfile.gettempdir() + "/",
    str(Path.home()) + "/",
    str(Path(__file__).parents[2]) + "/",
)
MORE_KNOWN = (
    *("08:30", "11:00", "12:30", "14:00", "2025-10-01", "2025-10-02", "2025-10-01T15:00"),
    *("workspace:/notes.txt", "workspace:/a.csv", "workspace:/a.xlsx", "drive:/", "workspace:/"),
    *("workspace:/new.xlsx", "workspace:/new.csv", "workspace:/new.txt", "workspace:/new.ics"),
    *("workspace:/mail.eml", "workspace:/new/", "T1", "T2", "Room_01", "Room_02", "Sheet1"),
    *("A1", "A1:C3", "B2", "=A1+1", "=SUM(A1:A3)", "=1+2", "=ROUND(PI(), 2)", "name", "amount"),
    *("ls -l; cat a.csv", "echo hello > new.txt", "rm notes.txt", "false", "ln -s / root"),
    *("print(open('a.csv').read())", "import os; os.remove('notes.txt')", "1 / 0"),
    *("a,b\n1,2\n", "hello", "Who owns the charts?", "important", "one\ntwo\nthree"),
)
NEED_MORE = {
    "files_view_image": "a picture, which a task brings: tests/mcp_servers/test_drawn_pictures.py",
    "guide_hint": "the mentor, who is no employee: tests/mcp_servers/test_verifier.py",
    "guide_say": "the same",
    "monitor_reboot_server": "nothing: it always refuses",
    "monitor_start_maintenance": "an incident and its code: tests/mcp_servers/test_monitor.py",
}
"""Tools that no example can make succeed on a plain day, and what they need."""
once_more = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass
class Office:
    """A lived-in world, what is known there, and what it looks like a minute later."""

    runner: asyncio.Runner
    world: World
    known: Known
    waited: str
    notices: tuple[str, ...]
    succeeded: set[str]
    people: Mapping[str, Sequence[str]]

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with asyncio.Runner() as runner:
        world = runner.run(create_world(None, find_scenario()))
        succeeded = runner.run(live_in(world))
        runner.run(calm(world))
        known = runner.run(things_known(world))
        digest, notices = runner.run(after_a_minute(world))
        people = runner.run(world.read(names_of_people))
        yield Office(runner, world, known, digest, notices, succeeded, people)
        runner.run(world.close())


async def live_in(world: World) -> set[str]:
    """Make the calls that the apps give as examples, so that tools find what they are for;
    the names of the tools that have succeeded."""
    seat, names = await seated(world), await world.read(names_of_people)
    people = await seat.call("chat_list_people", {})
    assert people.result is not None
    meant = {"{colleague}": people.result.data.model_dump()["people"][0]["id"], "{me}": seat.person}
    for box in discover_toolboxes().values():
        if box.missing_requirement():
            continue
        for name, arguments in box.examples:
            done = await seat.call(name, filled_in(arguments, meant))
            assert done.error is None, f"the example {name}, mcp_servers/{box.app}.py: {done.error}"
            check_told(name, filled_in(arguments, meant), done, names)
    await seat.call("desk_wait", {"until": "10:00", "wake": False})
    return {entry.tool for entry in await world.log() if entry.ok}


def filled_in(value: Any, meant: Mapping[str, str]) -> Any:
    """*value*, which is JSON, with the texts that stand for something replaced."""
    match value:
        case str():
            return meant.get(value, value)
        case list():
            return [filled_in(inner, meant) for inner in value]
        case dict():
            return {name: filled_in(inner, meant) for name, inner in value.items()}
    return value


async def calm(world: World) -> None:
    """Let notices that were waiting be told, so that each example begins without any."""
    seat = await seated(world)
    while (await seat.call("desk_wait", {"minutes": 1, "wake": False})).notices:
        pass


async def things_known(world: World) -> Known:
    """Texts that mean something in this world: ids, paths, names, from what tools tell."""
    seat = await seated(world)
    found: set[str] = set()
    async with await world.fork() as copy:
        seat = ToolDispatcher(copy, seat.person, discover_toolboxes().values())
        for tool in TOOLS.values():
            if tool.read_only and not tool.input_schema.get("required"):
                done = await seat.call(tool.name, {})
                if done.result is not None:
                    found |= set(texts(done.result.data.model_dump(mode="json")))
    return Known((*sorted(text for text in found if len(text) <= 60), *MORE_KNOWN))


def texts(data: Any) -> Iterator[str]:
    """Every text in *data*, which came from JSON."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from texts(inner)


async def seated(world: World) -> ToolDispatcher:
    return ToolDispatcher(
        world, await world.read(lambda tx: tx.employee), discover_toolboxes().values()
    )


async def after_a_minute(world: World) -> tuple[str, tuple[str, ...]]:
    async with await world.fork() as forked:
        done = await (await seated(forked)).call("desk_wait", {"minutes": 1, "wake": False})
        return await forked.digest(), tuple(notice.text for notice in done.notices)


async def try_out(
    office: Office, name: str, arguments: Mapping[str, Any]
) -> ActionResult[BaseModel]:
    """Call the tool in a copy of the world and hold the answer to what all answers must be."""
    async with await office.world.fork() as world:
        done = await (await seated(world)).call(name, arguments)
        assert done.now >= done.at and await world.now() == done.now
        entry = (await world.log())[-1]
        assert (entry.seq, entry.ok) == (done.seq, done.error is None)
        if done.error is not None:
            assert len(str(done.error)) > 10
            assert await world.digest() == office.waited, f"{name}: {done.error}"
            assert tuple(notice.text for notice in done.notices) == office.notices
        check_told(name, arguments, done, office.people)
        return done


def check_answer(tool: Tool, arguments: Mapping[str, Any], done: ActionResult[BaseModel]) -> None:
    """It is short enough, tells nothing of our machine, and has the promised shape."""
    answer = render_result(done)
    said = json.dumps(answer.structured_content, ensure_ascii=False)
    text = "\n".join(block.text for block in answer.content if block.type == "text")
    assert len(text) <= MAX_RESULT_CHARACTERS, f"{tool.name}: {len(text)} characters"
    given = repr(arguments)
    for trace in OUR_MACHINE:
        if trace is TRACEBACK and tool.app == "terminal":
            continue  # of the agent's own program
        assert trace in given or trace not in said + text, trace
    if done.result is not None and done.result.picture is not None:
        assert tool.pictures and answer.structured_content is None
    else:
        validator(tool.name).validate(answer.structured_content)


def check_told(
    name: str,
    arguments: Mapping[str, Any],
    done: ActionResult[BaseModel],
    people: Mapping[str, Sequence[str]],
) -> None:
    """Its text says what its data says; *people* are as `Told` has them."""
    if done.result is not None:
        told = Told(done.result.text, done.now, people)
        assert untold(name, arguments, done.result.data, told) == [], done.result.text


def undescribed(schema: Any) -> list[str]:
    """The names of all properties in *schema*, of objects in it, too, without a description."""
    if isinstance(schema, list):
        return [name for inner in schema for name in undescribed(inner)]
    if not isinstance(schema, dict):
        return []
    properties = schema.get("properties", {})
    mute = [name for name, inner in properties.items() if not inner.get("description")]
    rest = [value for key, value in schema.items() if key != "properties"]
    return mute + undescribed([*properties.values(), *rest])


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(TOOLS[name].output_schema)


@pytest.mark.parametrize("examples", [4, pytest.param(12, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", TOOLS)
def test_right_arguments_are_answered_or_refused(office: Office, name: str, examples: int) -> None:
    @settings(once_more, max_examples=examples)
    @given(arguments=right(TOOLS[name].input_schema, office.known))
    def holds(arguments: dict[str, Any]) -> None:
        done = office.run(try_out(office, name, arguments))
        check_answer(TOOLS[name], arguments, done)
        if done.error is None:
            office.succeeded.add(name)

    holds()
    app = TOOLS[name].app
    if name not in NEED_MORE and not discover_toolboxes()[app].missing_requirement():
        assert name in office.succeeded, (
            f"no call of {name} has succeeded, so nothing was tried: give one that does in the "
            f"examples of the Toolbox in mcp_servers/{app}.py"
        )


@pytest.mark.parametrize("examples", [6, pytest.param(40, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("name", TOOLS)
def test_wrong_and_hostile_arguments_are_answered_or_refused(
    office: Office, name: str, examples: int
) -> None:
    @settings(once_more, max_examples=examples)
    @given(arguments=wrong(TOOLS[name].input_schema, office.known))
    def holds(arguments: dict[str, Any]) -> None:
        done = office.run(try_out(office, name, arguments))
        check_answer(TOOLS[name], arguments, done)

    holds()


REFUSED_AGAIN = {"calendar_book": "its room is taken; who goes on knows the bookings"}
"""Tools that are refused a second time, and why that need not be declared as *once*."""


def test_an_example_is_refused_a_second_time_only_where_its_tool_says_so() -> None:
    """Who goes on with a day that somebody has begun has to know."""

    async def twice() -> None:
        async with await create_world(None, find_scenario()) as world:
            seat = await seated(world)
            (colleague, *_) = await world.read(lambda tx: Directory(tx).everybody())
            meant = {"{colleague}": colleague.id, "{me}": seat.person}
            for box in discover_toolboxes().values():
                for name, given in box.examples:
                    arguments, tool = filled_in(given, meant), TOOLS[name]
                    assert (await seat.call(name, arguments)).error is None
                    again = await seat.call(name, arguments)
                    known = tool.once or name in REFUSED_AGAIN or tool.files is not FileUse.NOTHING
                    assert again.error is None or known, (name, again.error)

    asyncio.run(twice())


@settings(once_more, max_examples=max(3, settings().max_examples // 8))
@given(calls=st.data())
def test_days_of_random_calls_never_break_and_time_never_goes_back(calls: st.DataObject) -> None:
    """Tools after one another, in one world, so that one finds what the other left."""

    async def day() -> None:
        async with await create_world(None, find_scenario()) as world:
            seat = await seated(world)
            known, people = Known(MORE_KNOWN), await world.read(names_of_people)
            now = await world.now()
            for _ in range(12):
                tool = calls.draw(st.sampled_from(sorted(TOOLS)))
                arguments = calls.draw(right(TOOLS[tool].input_schema, known))
                done = await seat.call(tool, arguments)
                assert done.at == now <= done.now
                now = done.now
                check_answer(TOOLS[tool], arguments, done)
                check_told(tool, arguments, done, people)
                if done.result is not None:
                    told = texts(done.result.data.model_dump(mode="json"))
                    known = Known((*known.texts, *[text for text in told if len(text) <= 60][:40]))
            assert len(await world.log()) == 12

    asyncio.run(day())


@settings(once_more, max_examples=30)
@given(name=st.text(max_size=80) | st.sampled_from(["desk_", "mail", "x" * 10_000, "\ud800", "\0"]))
def test_unknown_tools_are_refused_in_words_and_cost_a_minute(office: Office, name: str) -> None:
    done = office.run(try_out(office, name, {"a": 1}))
    assert re.match("There is no tool .* here; use one of the listed tools.", str(done.error), re.S)


@pytest.mark.parametrize("name", TOOLS)
def test_nothing_works_once_the_day_is_over(office: Office, name: str) -> None:
    async def late() -> None:
        async with await office.world.fork() as world:
            seat = await seated(world)
            await seat.call("desk_finish_day", {})
            before = await world.digest()
            done = await seat.call(name, {})
            assert done.at == done.now
            # Saying once more that the day is over is no error.
            assert ("day ended" in str(done.error)) is (name != "desk_finish_day")
            assert await world.digest() == before

    office.run(late())


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_described_for_a_model(name: str) -> None:
    tool = TOOLS[name]
    assert re.fullmatch("[a-z]+(_[a-z]+)+", name) and len(name) <= 64
    assert tool.name.startswith(f"{tool.app}_")
    assert 20 <= len(tool.about) <= 400 and tool.about.endswith(".")
    jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    # Some clients resolve no reference, and some refuse an argument without a description.
    assert not re.search(r'"\$(defs|ref)"', json.dumps(tool.input_schema))
    assert undescribed(tool.input_schema) == []
    # Clients check formats, too, and a time without a zone is no "date-time".
    assert '"format"' not in json.dumps(tool.output_schema)
    assert tool.input_schema["additionalProperties"] is False
    assert not (tool.read_only and tool.destructive)
