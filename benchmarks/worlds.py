"""The cost of a world with 2,000 mails in process, without a transport.

    python benchmarks/worlds.py [--mails N] [--calls N]

Design targets: a read (ten mails listed) under 0.3 ms; a write (a mail labelled) under 0.4 ms,
durable and logged. A fork under 10 ms, a digest under 50 ms. Each further world under 2 MB of
memory.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio

from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import compose_day, create_world
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World, WorldConfig

BODY = "We looked at the figures again and found that most of them hold. " * 6
MORE_WORLDS = 32


async def staged(path: Path | None, mails: int) -> World:
    """A day with this many mails in the inbox, on which reading and labelling take no time."""
    composition = compose_day(find_scenario())
    sender = composition.company.people[5].id
    opening = WorldConfig(
        **{**vars(composition.world_config()), "minutes_by_tool": {"mail_list": 0, "mail_label": 0}}
    )

    def furnish(tx: Transaction) -> None:
        composition.populate(tx)
        for number in range(mails):
            mail = MailArrives(
                sender=sender, to=(tx.employee,), subject=f"Figures {number}", body=BODY
            )
            tx.enqueue(opening.starts, mail)

    return await World.create(path, opening, furnish)


async def median(act: Callable[[], Awaitable[Any]], times: int) -> float:
    """Median milliseconds of *act*."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        await act()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took[times // 10 :])


def megabytes() -> float:
    """The highest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def main(mails: int, calls: int) -> None:
    """Print the table."""
    print(f"{'what':<34} {'median':>9} target")
    with tempfile.TemporaryDirectory() as folder:
        for where in (None, Path(folder) / "day.world"):
            await work(await staged(where, mails), calls, Path(folder))
        worlds = [await create_world(None, find_scenario())]
        before = megabytes()
        worlds += [await create_world(None, find_scenario()) for _ in range(MORE_WORLDS)]
        row("each further world", (megabytes() - before) / MORE_WORLDS, 2, "MB")
        for world in worlds:
            await world.close()


async def work(world: World, calls: int, folder: Path) -> None:
    """The rows of one world, which is closed afterwards."""
    place = "file" if world.path else "memory"
    seat = ToolDispatcher(
        world, await world.read(lambda tx: tx.employee), discover_toolboxes().values()
    )
    labels = [{"mail": 7, "add": ["seen"]}, {"mail": 7, "remove": ["seen"]}]

    async def label() -> None:
        labels.reverse()
        done = await seat.call("mail_label", labels[0])
        assert done.error is None, done.error

    async def fork_to_memory() -> None:
        await (await world.fork()).close()

    async def fork_to_file() -> None:
        copy = folder / "fork"
        await (await world.fork(copy)).close()
        copy.unlink()

    async with world:
        row(f"fork to memory, from {place}", await median(fork_to_memory, 20), 10)
        row(f"fork to a file, from {place}", await median(fork_to_file, 20), 10)
        row(f"digest, {place}", await median(world.digest, 20), 50)
        row(f"look, {place}", await median(world.now, calls), None)
        row(f"read, {place}", await median(lambda: seat.call("mail_list", {}), calls), 0.3)
        row(f"write, {place}", await median(label, calls), 0.4)


def row(what: str, took: float, target: float | None, unit: str = "ms") -> None:
    """Print one row."""
    held = "" if target is None else f"< {target} {'held' if took < target else 'MISSED'}"
    print(f"{what:<34} {took:>6.3f} {unit} {held}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mails", type=int, default=2_000)
    parser.add_argument("--calls", type=int, default=1_000)
    chosen = parser.parse_args()
    anyio.run(main, chosen.mails, chosen.calls)
