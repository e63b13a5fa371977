"""The time of a stdio server from its start to its first listing of tools.

    python benchmarks/server_start.py [--rounds N]

The baseline is an empty server of the SDK in the same run. Design target: at most 1.3 x.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world

HERE = Path(__file__).parent
TARGET = 1.3


async def start(scratch: str, *arguments: str) -> float:
    """Return the milliseconds until the server of this command line has listed its tools.

    It stages its world in the folder *scratch*.
    """
    began = time.perf_counter()
    root = str(HERE.parent)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[*arguments],
        cwd=root,
        env={"PYTHONPATH": root, "TMPDIR": scratch},
    )
    async with Client(parameters, mode="legacy") as client:
        await client.list_tools()
        return (time.perf_counter() - began) * 1000


async def main(rounds: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.world"
        await (await create_world(path, find_scenario())).close()
        servers = {
            "an empty server": [str(HERE / "bare_sdk.py")],
            "the office, world staged": ["-m", "trainee_bench.mcp_servers", "--world", str(path)],
            "trainee-bench serve": ["-m", "trainee_bench.harness", "serve", "--world", str(path)],
            "mail, world staged": ["-m", "trainee_bench.mcp_servers", "mail", "--world", str(path)],
            "the office, world to stage": ["-m", "trainee_bench.mcp_servers"],
            "the verifier": ["-m", "trainee_bench.mcp_servers", "verifier", "--world", str(path)],
        }
        took: dict[str, list[float]] = {name: [] for name in servers}
        for number in range(rounds + 1):
            for name, arguments in servers.items():
                milliseconds = await start(folder, *arguments)
                if number:  # the first round warms the caches of the machine
                    took[name].append(milliseconds)
    bare = took["an empty server"]
    print(f"{'server':<28} {'median ms':>10} {'ratio':>6}")
    for name, each in took.items():
        ratio = statistics.median(mine / theirs for mine, theirs in zip(each, bare, strict=True))
        print(f"{name:<28} {statistics.median(each):>10.0f} {ratio:>6.2f}")
    print(f"target: {TARGET} for a staged world")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    anyio.run(main, parser.parse_args().rounds)
