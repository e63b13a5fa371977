"""Run the image without a daemon, and let clients work a day in each of its servers.

    python deploy/image/try.py IMAGE.tar FOLDER     needs root, bubblewrap, trainee-bench

The container has the image's user, entry point and variables, no capabilities and a read-only root,
but this machine's network. An MCP client makes the oracle's calls in one server, and a web socket
does so in the OpenEnv server. Both days have to earn the full score.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import websockets.asyncio.client
from image_archive import unpack
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.world.world import World

BENCHMARK, SCENARIO, PORT = "core-50", "core-50-03", "8765"
BASE = f"127.0.0.1:{PORT}"
_PORT = {"PORT": PORT}
PROGRAM = (sys.executable, "-m", "trainee_bench.harness")


@dataclass(frozen=True)
class Image:
    """The unpacked image and its configuration."""

    root: Path
    config: dict[str, Any]
    folder: Path

    @classmethod
    def unpack(cls, archive: Path, folder: Path) -> Image:
        """Unpack *archive*, as `docker save` writes it, into *folder*."""
        root = folder / "root"
        return cls(root, unpack(archive, root), folder)

    def command(
        self, data: Path, args: Sequence[str], env: Mapping[str, str], *options: str
    ) -> list[str]:
        """Return the command that runs *args* in a container, as the image's user."""
        user, group = self.config["User"].split(":")
        assert int(user) != 0 and int(group) != 0, "the image's user is root"
        variables = [variable.split("=", 1) for variable in self.config["Env"]] + [*env.items()]
        return [
            *("setpriv", "--reuid", user, "--regid", group, "--clear-groups", "bwrap"),
            *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
            # The host's network stays, so that a client on it reaches the port.
            *("--ro-bind", str(self.root), "/", "--proc", "/proc", "--dev", "/dev"),
            *("--tmpfs", "/tmp", "--bind", str(data), "/data"),
            *("--chdir", self.config["WorkingDir"], "--clearenv"),
            *(word for name, value in variables for word in ("--setenv", name, value)),
            *("--as-pid-1", "--die-with-parent", *options, *args),
        ]

    @contextmanager
    def running(
        self, data: Path, *args: str, env: Mapping[str, str] = _PORT
    ) -> Iterator[Container]:
        """Run the image's entry point with *args*."""
        told, telling = os.pipe()
        entry = [*self.config["Entrypoint"], *args]
        command = self.command(data, entry, env, "--info-fd", str(telling))
        with subprocess.Popen(
            command, pass_fds=[telling], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            os.close(telling)
            with os.fdopen(told) as information:
                container = Container(process, json.load(information)["child-pid"])
            try:
                yield container
            finally:
                process.kill()

    def healthcheck(self, data: Path) -> int:
        """Return the exit code of the image's health check."""
        kind, *command = self.config["Healthcheck"]["Test"]
        assert kind in ("CMD", "CMD-SHELL"), kind
        if kind == "CMD-SHELL":
            command = ["/bin/sh", "-c", *command]
        return subprocess.run(self.command(data, command, _PORT), check=False).returncode


@dataclass(frozen=True)
class Container:
    """A running container, and its first process as this machine numbers it."""

    process: subprocess.Popen[str]
    first: int

    def end(self, seconds: float) -> int:
        """Wait for its end; return its exit code."""
        return self.process.wait(seconds)

    def terminate(self) -> None:
        """Send SIGTERM to its first process, as `docker stop` does."""
        os.kill(self.first, signal.SIGTERM)


def get(path: str) -> tuple[int, str]:
    """Return status and text of a GET of the running server."""
    try:
        with urllib.request.urlopen(f"http://{BASE}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def wait_until_ready(container: Container) -> float:
    """Wait for /readyz; return how long that took."""
    began = time.monotonic()
    while time.monotonic() - began < 60:
        if container.process.poll() is not None:
            raise SystemExit(f"the container ended: {container.process.communicate()}")
        try:
            if get("/readyz")[0] == 200:
                return time.monotonic() - began
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server is not ready after 60 seconds")


def oracle_calls(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Work the day with the oracle on this machine, and return its calls."""
    run = (*PROGRAM, "run", "--config", BENCHMARK, "--scenario", SCENARIO, "--agent", "oracle")
    subprocess.run([*run, "--out", folder / "oracle"], check=True, stdout=subprocess.DEVNULL)
    (world,) = (folder / "oracle/worlds").glob("*.world")

    async def log() -> list[tuple[str, dict[str, Any]]]:
        async with await World.open(world) as opened:
            return [(entry.tool, dict(entry.arguments)) for entry in await opened.log()]

    return asyncio.run(log())


async def work_over_mcp(token: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Make *calls* with the client of the MCP package."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"http://{BASE}/mcp", http_client=http)) as client,
    ):
        tools = {tool.name for tool in (await client.list_tools()).tools}
        for name, arguments in calls:
            assert name in tools, f"{name} is not offered"
            await client.call_tool(name, arguments)


async def work_over_socket(calls: list[tuple[str, dict[str, Any]]], index: int) -> float:
    """Make *calls* over the OpenEnv server's web socket; return the sum of the rewards."""
    async with websockets.asyncio.client.connect(
        f"ws://{BASE}/ws", max_size=None, open_timeout=30
    ) as socket:

        async def ask(kind: str, data: dict[str, Any]) -> dict[str, Any]:
            await socket.send(json.dumps({"type": kind, "data": data}))
            answer = json.loads(await socket.recv())
            assert answer["type"] != "error", answer
            told: dict[str, Any] = answer["data"]
            return told

        await ask("reset", {"split": BENCHMARK, "index": index})
        rewards = 0.0
        for name, arguments in calls:
            action = {"type": "call_tool", "tool_name": name, "arguments": arguments}
            rewards += (await ask("step", action)).get("reward") or 0.0
        return rewards


def try_office(image: Image, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Work the day in the image's MCP server, drain it, and grade the day."""
    data, token = image.folder / "office", secrets.token_hex(16)
    data.mkdir()
    (data / "token").write_text(token)
    data.chmod(0o777)
    options = ("--scenario", SCENARIO, "--token-file", "/data/token", "--drain-seconds", "2")
    with image.running(data, "office", *options) as server:
        print(f"office: ready after {wait_until_ready(server):.1f} s", flush=True)
        assert image.healthcheck(data) == 0, "the health check fails"
        assert get("/mcp")[0] == 401, "the day is open to everyone"
        asyncio.run(work_over_mcp(token, calls))
        status, figures = get("/metrics")
        assert status == 200 and "trainee_bench_http_requests_total" in figures, figures
        server.terminate()
        time.sleep(0.5)
        assert get("/readyz") == (503, "ending"), "it is ready though it ends"
        assert image.healthcheck(data) != 0, "the health check passes though it ends"
        code = server.end(20)
        assert code == 0, f"it ended with {code}"
    with image.running(data, "grade", "/data/day.world") as grading:
        graded, errors = grading.process.communicate(timeout=60)
        assert grading.process.returncode == 0, errors
    print(graded.strip(), flush=True)
    assert "1.00" in graded, "the day has not the full score"


def try_openenv(image: Image, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Work the day in the image's OpenEnv server, and end it."""
    data = image.folder / "openenv"
    data.mkdir()
    data.chmod(0o777)
    names = [scenario.name for scenario in load_shipped_benchmark(BENCHMARK).scenarios]
    options = {"TRAINEE_BENCH_OPENENV": json.dumps({"store": "/data/days", "max_sessions": 8})}
    with image.running(data, "openenv", env=_PORT | options) as server:
        print(f"openenv: ready after {wait_until_ready(server):.1f} s", flush=True)
        assert image.healthcheck(data) == 0, "the health check fails"
        assert get("/healthz") == (200, "ok")
        rewards = asyncio.run(work_over_socket(calls, names.index(SCENARIO)))
        assert abs(rewards - 1.0) < 1e-6, f"the rewards add up to {rewards}"
        _, figures = get("/metrics")
        assert "trainee_bench_days_staged_total 1.0" in figures, figures
        server.terminate()
        code = server.end(40)
        assert code in (0, 143), f"it ended with {code}"
    print(f"openenv: {len(calls)} steps, rewards {rewards:.4f}", flush=True)


def main() -> None:
    """Try both servers."""
    archive, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    assert find_scenario(SCENARIO) is not None
    image = Image.unpack(archive, folder)
    calls = oracle_calls(folder)
    print(f"{SCENARIO}: {len(calls)} calls of the oracle", flush=True)
    try_office(image, calls)
    try_openenv(image, calls)
    print("The image's servers passed.")


if __name__ == "__main__":
    main()
