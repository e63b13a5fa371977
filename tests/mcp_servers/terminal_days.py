"""A day at a terminal, for tests: a world with a few files, seats, and what waiting would do."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable
from datetime import datetime

from pydantic import BaseModel, JsonValue

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.files import FileAppears, Files, PictureAppears
from trainee_bench.world.apps.sheets import WorkbookAppears
from trainee_bench.world.pictures.density_map import DensityMap
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import ActionResult, World, WorldConfig

ROBIN, KIM = "robin.hale", "kim.lee"
OPENING = WorldConfig(
    employee=ROBIN,
    starts=datetime(2025, 10, 1, 9),
    ends=datetime(2025, 10, 1, 18),
    offered_apps=("files", "sheets", "terminal"),
)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PICTURE = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0\x7f"))
    + _chunk(b"IEND", b"")
)


class Nothing(BaseModel):
    """No data."""


def nothing(tx: Transaction) -> Result[Nothing]:
    """Do nothing, for a minute."""
    return Result("", Nothing())


def stage(tx: Transaction) -> None:
    """Files of each kind in Robin's workspace, and one on the drive."""
    for path, text in {
        "workspace:/a.txt": "alpha\n",
        "workspace:/notes/b.csv": "name,amount\nx,1.5\ny,2\n",
        "drive:/shared.txt": "for all\n",
    }.items():
        FileAppears(path=path, text=text).fire(tx)
    for path, data in {"map.png": PICTURE, "blob.bin": b"\xff\x00\xfe"}.items():
        encoded = base64.b64encode(data).decode()
        FileAppears(path=f"workspace:/{path}", data_base64=encoded).fire(tx)
    drawing = DensityMap(title="People", levels=((0, 1), (2, 3)))
    PictureAppears(path="workspace:/notes/drawn.png", drawing=drawing).fire(tx)
    WorkbookAppears(
        path="workspace:/pay.xlsx", sheets={"Pay": [["Ada", 10, "€12.50", "=B1*2"]], "Notes": []}
    ).fire(tx)


async def a_day() -> World:
    """The day in memory."""
    return await World.create(None, OPENING, stage)


def seat_in(world: World, person: str = ROBIN) -> ToolDispatcher:
    """A seat at every app there is."""
    return ToolDispatcher(world, person, discover_toolboxes().values())


async def shell(seat: ToolDispatcher, command: str) -> ActionResult[BaseModel]:
    """Run a shell command."""
    return await seat.call("terminal_run_shell", {"command": command})


async def said(seat: ToolDispatcher, command: str) -> str:
    """What a shell command that is carried out says."""
    done = await shell(seat, command)
    assert done.result is not None, done.error
    return done.result.text


async def refused(seat: ToolDispatcher, command: str) -> str:
    """The words in which a shell command is refused, which has changed nothing."""
    waited = await after_a_minute(seat.world)
    done = await shell(seat, command)
    assert done.error is not None
    assert await seat.world.digest() == waited
    assert (done.now - done.at).seconds == 60
    return str(done.error)


async def after_a_minute(world: World) -> str:
    """The digest of the world as it will be if nothing is done for a minute."""
    async with await world.fork() as forked:
        await forked.execute(ROBIN, "nothing", {}, nothing)
        return await forked.digest()


async def contents(world: World, person: str = ROBIN) -> dict[str, bytes]:
    """The files of a workspace, their content as it lies there."""

    def see(tx: Transaction) -> dict[str, bytes]:
        tx.actor = person
        files = Files(tx)
        paths = [info.path for info in files.files_within("workspace:/")]
        return {path.removeprefix("workspace:/"): files.content(path).data for path in paths}

    return await world.read(see)


def effect(
    made: Iterable[tuple[str, str | None, bytes]] = (),
    gone: Iterable[tuple[str, str | None]] = (),
    kept: Iterable[str] = (),
    output: str = "",
) -> dict[str, JsonValue]:
    """A recorded effect, as if a command had left these files: paths, versions found, bytes."""
    ran: dict[str, JsonValue] = {
        "sandbox": "bubblewrap",
        "exit_code": 0,
        "output": output,
        "made": [
            {"path": path, "before": before, "base64": base64.b64encode(data).decode()}
            for path, before, data in made
        ],
        "gone": [{"path": path, "before": before} for path, before in gone],
        "kept": list(kept),
    }
    return {"ran": ran}
