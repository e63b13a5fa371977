"""The cost of a tool call over each transport, compared with the bare SDK in the same run.

    python benchmarks/tool_calls.py [--calls N]

Ours: the office over a world in a file; each call is a transaction, logged and durable. Bare: the
SDK's own server with tools of the same schemas and payloads. In memory the script measures CPU
time, over stdio elapsed time. The noise is the interquartile range of the calls, divided by the
median.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
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
WANTED = {"memory": 1.5, "stdio": 1.15}
CLOCKS = {"memory": time.process_time, "stdio": time.perf_counter}


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
            tx.enqueue(opening.starts, mail)

    free = dict.fromkeys(CALLS, 0)
    longer = WorldConfig(**{**vars(opening), "minutes_by_tool": free})
    await (await World.create(path, longer, furnish)).close()


async def payloads(client: Client) -> dict[str, dict[str, Any]]:
    """The payloads of our server, for the bare server."""
    found = {}
    for name, arguments in CALLS.items():
        for _ in range(3):  # the first may have notices
            result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
        found[name] = {"text": result.content[0].text, "structured": result.structured_content}  # type: ignore[union-attr]
    return found


async def measure(
    clients: list[Client], name: str, calls: int, clock: Callable[[], float]
) -> list[list[float]]:
    """Milliseconds of each call of each client. They take turns, so that other load affects
    both."""
    took: list[list[float]] = [[] for _ in clients]
    for _ in range(calls):
        for client, times in zip(clients, took, strict=True):
            began = clock()
            await client.call_tool(name, CALLS[name])
            times.append((clock() - began) * 1000)
    return [times[calls // 10 :] for times in took]


def noise(times: list[float]) -> float:
    """The interquartile range of *times*, divided by their median."""
    low, middle, high = statistics.quantiles(times, n=4)
    return (high - low) / middle


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
        clients = [await enter(Client(server, mode=mode)) for server in (ours, bare)]
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
        times = f"{'ours ms':>8} {'bare ms':>8} {'ratio':>6}"
        print(f"{'transport':<18} {'tool':<12} {times} wanted         noise")
        for transport, wanted in WANTED.items():
            for mode in ("auto", "legacy"):
                async with over(transport, mode, path, said) as clients:
                    for name in CALLS:
                        both = await measure(clients, name, calls, CLOCKS[transport])
                        ours, bare = map(statistics.median, both)
                        held = "held" if ours / bare <= wanted else "MISSED"
                        print(
                            f"{f'{transport} {mode}':<18} {name:<12} {ours:>8.3f} {bare:>8.3f} "
                            f"{ours / bare:>6.2f} <= {wanted} {held:<6} {noise(both[0]):>5.0%}"
                        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=500)
    anyio.run(main, parser.parse_args().calls)
