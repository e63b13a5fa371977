"""``trainee-bench snapshot WORLD OUT``: copy a world as it is now, even while a client works in it.

SQLite keeps the latest changes of an open world in separate files (``-wal``, ``-shm``). The copy is
one complete file. Exit code 0 if it was written, 2 if not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.week import day_name
from trainee_bench.world.world import World


def command(
    world: Annotated[Path, typer.Argument(help="World file.", metavar="WORLD")],
    out: Annotated[Path, typer.Argument(help="New file to write to.", metavar="OUT")],
) -> None:
    """Copy a world file as it is now, even while a client works in it."""
    with exit_on_error("snapshot", WorldFileError):
        message = anyio.run(_snapshot, world, out)
    typer.echo(message)


async def _snapshot(path: Path, out: Path) -> str:
    """Copy the world at *path* to *out*, and return a line about the copy."""
    async with await World.open(path) as world, await world.fork(out) as copy:
        now, log = await copy.now(), await copy.log()
        day = await copy.read(lambda tx: day_name(tx, now))
    return f"{out}: the world on {day} at {now:%H:%M}, after {pluralize(len(log), 'action')}"
