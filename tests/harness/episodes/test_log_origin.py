"""A log that repeats is refused all the same if the day of its result cannot have produced it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from tests.harness.test_run import config, day, invoke
from tests.harness.test_verify import called
from trainee_bench.harness.commands import verify
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.world.errors import Refused
from trainee_bench.world.world import World

Act = Callable[[World, ComposedDay], Awaitable[object]]


def seat(world: World, person: str) -> ToolDispatcher:
    return ToolDispatcher(world, person, discover_toolboxes().values())


async def other_employee(world: World, composition: ComposedDay) -> object:
    other = next(one for one in composition.company.people if one != composition.company.trainee)
    return await seat(world, other.id).call("desk_now", {})


async def drafted_reply(world: World, composition: ComposedDay) -> object:
    people = [one for one in composition.company.people if one != composition.company.trainee]
    draft = {"drafts": {people[0].id: {}}}
    call = {"to": people[0].id, "text": "Hello!"}
    trainee = composition.company.trainee.id
    return await seat(world, trainee).refuse("chat_send_message", call, Refused("No."), draft)


async def terminal(world: World, composition: ComposedDay) -> object:
    trainee = composition.company.trainee.id
    refused = {"refused_outside": "No."}
    return await seat(world, trainee).call("terminal_run_shell", {"command": "ls"}, refused)


async def night(world: World, composition: ComposedDay) -> object:
    return await world.end_day()


async def verdict(world: World, composition: ComposedDay) -> object:
    trainee = composition.company.trainee.id
    return await seat(world, trainee).call("desk_now", {}, {"approval": "gladly"})


async def mentor(world: World, composition: ComposedDay) -> object:
    return await seat(world, "mentor").call("desk_now", {})


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    path = config(folder, one=[day("kb_fix.easy")])
    assert invoke("--config", path, "--agent", "nothing", "--out", folder / "out").exit_code == 0
    return folder / "out"


async def forge(folder: RunFolder, spec: EpisodeSpec, act: Act) -> None:
    """Put in the place of the world of *spec* one in which *act* was done."""
    composition = compose_day(spec.scenario, spec.day)
    folder.world(spec).unlink()
    async with await World.create(
        folder.world(spec), composition.world_config(), composition.populate
    ) as world:
        await act(world, composition)


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (other_employee, "action 1, desk_now, cannot be of this day: by "),
        (
            drafted_reply,
            "chat_send_message, cannot be of this day: nothing of this day has the effect drafts",
        ),
        (
            terminal,
            "action 1, terminal_run_shell, cannot be of this day: the day does not offer this tool",
        ),
        (night, "cannot be of this day: nights are only in weeks"),
        (verdict, "cannot be of this day: no person can have given this verdict on it"),
        (mentor, "action 1, desk_now, cannot be of this day: a mentor has no such tool"),
    ],
)
def test_a_log_that_the_day_cannot_have_produced_is_named(ran: Path, act: Act, says: str) -> None:
    folder = RunFolder.open(ran)
    (spec,) = folder.plan().episode_specs()
    anyio.run(forge, folder, spec, act)
    done = called(verify.command, ran)
    assert (done.exit_code, says in done.output) == (1, True), done.output


async def replied_by_a_command(world: World, composition: ComposedDay) -> object:
    trainee = composition.company.trainee.id
    effects = {"refused_outside": "No.", "replies": {"anna": "Yes."}}
    return await seat(world, trainee).call("terminal_run_shell", {"command": "ls"}, effects)


def test_a_command_has_no_effects_but_its_own(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day("kb_fix.easy")])
    tools = '"tools": ["desk", "files", "terminal"]'
    path.write_text(path.read_text().replace('"seed": 5', f'"seed": 5, {tools}'))
    done = invoke("--config", path, "--agent", "nothing", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    folder = RunFolder.open(tmp_path / "out")
    (spec,) = folder.plan().episode_specs()
    anyio.run(forge, folder, spec, replied_by_a_command)
    told = called(verify.command, tmp_path / "out")
    assert "nothing of this day has the effect replies" in told.output
    assert "effect ran" not in told.output and "effect refused" not in told.output
