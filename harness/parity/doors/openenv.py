"""OpenEnv: its server with our environment, and its client over a web socket."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import anyio
import uvicorn

from trainee_bench.harness.parity.door import Door, DoorFailed, DoorRun
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.support.output_file import write_output
from trainee_bench.meta_tasks.benchmark import Benchmark

if TYPE_CHECKING:
    from fastapi import FastAPI


class OpenEnvDoor(Door):
    """A session of the server; it has an environment of its own."""

    name: ClassVar[str] = "openenv"
    packages: ClassVar[tuple[str, ...]] = ("openenv",)

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Step the script's calls, one after the other."""
        from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
        from trainee_bench.harness.integrations.openenv.server import create_office_app

        file = folder / "script.json"
        benchmark = Benchmark(name="script", scenarios=(script.scenario,))
        write_output(file, benchmark.model_dump_json(), "the script's scenario")
        with serving(create_office_app(OpenEnvOptions(split=str(file)))) as address:
            return anyio.run(_play, script, address)


async def _play(script: ParityScript, address: str) -> DoorRun:
    from openenv.core.generic_client import GenericEnvClient

    earned, pictures = 0.0, 0
    texts: dict[int, str] = {}
    async with GenericEnvClient(base_url=address) as client:
        await client.reset(index=script.number)
        for place, call in enumerate(script.calls):
            action = {"tool_name": call.name, "arguments": dict(call.arguments)}
            done = await client.step({"type": "call_tool", **action})
            earned += done.reward
            texts[place] = done.observation["text"]
            pictures += len(done.observation["pictures"])
        state = await client.state()
    if abs(earned - state["score"]) > 1e-9:
        raise DoorFailed(f"rewards add up to {earned}, the score is {state['score']}")
    if state["step_count"] != len(script.calls):
        raise DoorFailed(f"{state['step_count']} of {len(script.calls)} calls reached the office")
    return DoorRun(state["digest"], state["score"], (), texts, pictures)


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve *app* on a free port of this machine; its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise DoorFailed("the server ended before it had begun")
            thread.join(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"ws://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
