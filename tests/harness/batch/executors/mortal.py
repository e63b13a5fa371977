"""Agents for tests of executors: they leave marks in the folder MARKS, and some kill their worker.

Their courses meet in one worker, so that those that die take others with them.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio

from trainee_bench.harness.session.agent_session import AgentSession


def marked(name: str) -> bool:
    return (Path(os.environ["MARKS"]) / name).exists()


def mark(name: str) -> bool:
    """Leave the mark; whether nobody had."""
    try:
        with (Path(os.environ["MARKS"]) / name).open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return False
    return True


async def until(name: str) -> None:
    while not marked(name):  # noqa: ASYNC110 - left by another process
        await anyio.sleep(0.01)


class Neighbour:
    """Waits for the end of its worker the first time, works the second."""

    mark = "neighbour"

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        if mark(self.mark):
            await anyio.sleep_forever()
        await session.call("desk_now")


class NeighbourOfPoison(Neighbour):
    mark = "neighbour of poison"


class DiesOnce:
    """Kills its worker once, with a neighbour in it."""

    async def work(self, session: AgentSession) -> None:
        await session.call("files_write", path="workspace:/draft.md", text="half")
        await until("neighbour")
        if mark("died"):
            os.kill(os.getpid(), signal.SIGKILL)
        await session.call("desk_now")


class Poison:
    """Ends its worker whenever it works, with a neighbour in it."""

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        await until(NeighbourOfPoison.mark)
        os._exit(3)


class DiesOnItsSecondDay:
    """Counts the days it begins; its worker goes with the second of them, once."""

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_tasks")
        count = next(number for number in range(9) if mark(f"begun-{number}"))
        if count == 1:
            os.kill(os.getpid(), signal.SIGKILL)


class Talker:
    """Prints, asks standard input, and leaves a process behind."""

    async def work(self, session: AgentSession) -> None:
        print("hello, ready, {}", flush=True)
        os.write(1, b"{}\n")
        assert sys.stdin.read() == ""
        if mark("child"):
            child = subprocess.Popen(["sleep", "600"])  # noqa: ASYNC220 - it is not waited for
            (Path(os.environ["MARKS"]) / "child").write_text(str(child.pid))
        await session.call("desk_now")


class OnLoopback:
    """Looks where the Ray cluster is that it works on."""

    async def work(self, session: AgentSession) -> None:
        ray = importlib.import_module("ray")
        assert ray.util.get_node_ip_address() == "127.0.0.1"
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
        await session.call("desk_now")


class RaisesInterrupt:
    async def work(self, session: AgentSession) -> None:
        raise KeyboardInterrupt


class Waits:
    """Says that it has begun, and does not end by itself before it is enough."""

    async def work(self, session: AgentSession) -> None:
        await session.call("desk_now")
        if marked("enough"):
            return
        for number in range(9):
            if mark(f"waits-{number}"):
                break
        await anyio.sleep_forever()


class Blocks:
    """The same, without letting anybody else in its process do anything."""

    async def work(self, session: AgentSession) -> None:
        mark("waits-0")
        while not marked("enough"):
            time.sleep(0.05)  # noqa: ASYNC251 - just that
