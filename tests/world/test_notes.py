"""What the world does to notes in a night is in its log, repeats from there, and reaches no other
file."""

from __future__ import annotations

import pytest

from tests.world.office import ROBIN, do, office
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.world.apps.files import Files
from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.notes import ALTER_NOTES, alter_notes, read_all_notes
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

LIMITS, PEOPLE, OTHER = (
    "workspace:/notes/limits.md",
    "workspace:/notes/people.md",
    "workspace:/a.md",
)


def write(tx: Transaction) -> None:
    for path in (LIMITS, PEOPLE, OTHER):
        Files(tx).write_text(path, "45")


async def noted() -> World:
    """An office in which the employee has two notes and another file."""
    world = await office()
    await do(world, write)
    return world


async def test_notes_get_another_text_or_are_gone_and_other_files_stay() -> None:
    async with await noted() as world:
        before = await world.now()
        await alter_notes(world, {LIMITS: "54", PEOPLE: None})
        assert await world.read(read_all_notes) == {LIMITS: "54"}
        assert await do(world, lambda tx: Files(tx).text(OTHER)) == "45"
        assert (await world.log())[1].until == before


async def test_it_is_logged_as_the_worlds_own_and_repeats_bit_exactly() -> None:
    async with await noted() as world:
        await alter_notes(world, {LIMITS: "54", PEOPLE: None})
        entry = (await world.log())[-1]
        assert (entry.actor, entry.tool, entry.arguments) == (
            "", ALTER_NOTES, {LIMITS: "54", PEOPLE: None},
        )  # fmt: skip
        async with await noted() as again:
            await replay_log(again, [entry])
            assert await again.digest() == await world.digest()
        async with await noted() as other:
            lie = entry.model_copy(update={"arguments": {LIMITS: "54"}})
            with pytest.raises(ReplayDiverged, match="its text was"):
                await replay_log(other, [lie])


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("drive:/notes/a.md", Refused),
        (OTHER, Refused),
        ("workspace:/notes_2/a.md", Refused),
        ("nowhere", Invalid),
    ],
)
async def test_nothing_outside_of_the_notes_can_be_altered(
    path: str, refusal: type[Exception]
) -> None:
    async with await noted() as world:
        log = await world.log()
        with pytest.raises(refusal):
            await alter_notes(world, {path: "54"})
        assert await world.log() == log
        forged = log[0].model_copy(
            update={"actor": "", "tool": ALTER_NOTES, "arguments": {path: "54"}}
        )
        with pytest.raises(ReplayDiverged):
            await replay_log(world, [forged])


async def test_no_agent_is_offered_it_and_a_note_that_is_no_text_is_listed() -> None:
    assert ALTER_NOTES not in {tool.name for box in discover_toolboxes().values() for tool in box}
    async with await office() as world:
        path = "workspace:/notes/table.bin"
        await do(world, lambda tx: Files(tx).write_data(path, b"\xff\x00"))
        assert await world.read(read_all_notes) == {path: None}
        await alter_notes(world, {path: None})
        with pytest.raises(NotFound):
            await do(world, lambda tx: Files(tx).info(path), ROBIN)
