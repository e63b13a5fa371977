"""What a tool call costs over each transport, against the bare SDK in the same run.

    python benchmarks/tool_calls.py [--calls N]

Ours: the office over a world in a file; each call a transaction, logged and durable. Bare:
the SDK's own server with tools of the same schemas that return the same payloads. Design
targets: in memory at most 2.5 x (aiming at 1.5 x), over stdio at most 1.3 x.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from bare_sdk import bare_server
from mcp import Client, StdioServerParameters

from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World, WorldConfig

HERE = Path(__file__).parent
CALLS: dict[str, dict[str, Any]] = {
    "desk_now": {},
    "mail_list": {},
    "files_write": {"path": "workspace:/a.txt", "text": "a line\n" * 50},
}
BODY = "We looked at the figures again and found that most of them hold. " * 6
TARGETS = {"memory": 2.5, "stdio": 1.3}


async def stage(path: Path) -> None:
    """A day long enough for all calls, with thirty mails in the inbox."""
    composition = compose_day(find_scenario())
    opening = composition.world_config()
    sender = composition.company.people[5].id

    def furnish(tx: Transaction) -> None:
        composition.populate(tx)
        for number in range(30):
            mail = MailArrives(
                sender=sender, to=(tx.employee,), subject=f"Figures {number}", body=BODY
            )
            tx.schedule(opening.starts, mail)

    free = dict.fromkeys(CALLS, 0)
    longer = WorldConfig(**{**vars(opening), "minutes_by_tool": free})
    await (await World.create(path, longer, furnish)).close()


async def payloads(client: Client) -> dict[str, dict[str, Any]]:
    """What ours returns, for the bare server to return."""
    found = {}
    for name, arguments in CALLS.items():
        for _ in range(3):  # the first may have notices
            result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        found[name] = {"text": result.content[0].text, "structured": result.structured_content}  # type: ignore[union-attr]
    return found


async def measure(clients: list[Client], name: str, calls: int) -> list[float]:
    """Median milliseconds per call of each client. They take turns, so that what else the
    machine does befalls both."""
    took: list[list[float]] = [[] for _ in clients]
    for _ in range(calls):
        for client, times in zip(clients, took, strict=True):
            began = time.perf_counter()
            await client.call_tool(name, CALLS[name])
            times.append((time.perf_counter() - began) * 1000)
    return [statistics.median(times[calls // 10 :]) for times in took]


@asynccontextmanager
async def over(transport: str, mode: str, path: Path, said: Path) -> AsyncIterator[list[Client]]:
    """Clients of ours and of the bare server, over one transport."""
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        if transport == "stdio":
            ours: Any = stdio(
                "-m", "trainee_bench.mcp_servers", "--world", str(path), "--results", "structured"
            )
            bare: Any = stdio(str(HERE / "bare_sdk.py"), str(said))
        else:
            ours = await build_office_server(await enter(await World.open(path)))
            bare = bare_server(json.loads(said.read_text()))
        clients = [await enter(Client(one, mode=mode)) for one in (ours, bare)]
        for client in clients:
            await client.list_tools()
        yield clients


def stdio(*arguments: str) -> StdioServerParameters:
    root = str(HERE.parent)
    return StdioServerParameters(
        command=sys.executable, args=[*arguments], cwd=root, env={"PYTHONPATH": root}
    )


async def main(calls: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path, said = Path(folder) / "day.world", Path(folder) / "payloads.json"
        await stage(path)
        async with (
            await World.open(path) as world,
            Client(await build_office_server(world)) as client,
        ):
            said.write_text(json.dumps(await payloads(client)))
        print(f"{'transport':<18} {'tool':<12} {'ours ms':>8} {'bare ms':>8} {'ratio':>6} target")
        for transport in TARGETS:
            for mode in ("auto", "legacy"):
                async with over(transport, mode, path, said) as clients:
                    for name in CALLS:
                        ours, bare = await measure(clients, name, calls)
                        held = "held" if ours / bare <= TARGETS[transport] else "MISSED"
                        print(
                            f"{f'{transport} {mode}':<18} {name:<12} {ours:>8.3f} {bare:>8.3f} "
                            f"{ours / bare:>6.2f} <= {TARGETS[transport]} {held}"
                        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=500)
    anyio.run(main, parser.parse_args().calls)
