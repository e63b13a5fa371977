"""OpenEnv: its server with our environment, and its client over a web socket."""

from __future__ import annotations

from pathlib import Path

import anyio

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.parity.door import Door, DoorFailed, DoorRun
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.parity.scripted_model import serve_in_thread
from trainee_bench.meta_tasks.benchmark import Benchmark


class OpenEnvDoor(Door):
    """A session of the server, with its own environment."""

    name = "openenv"
    packages = ("openenv",)

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Step through the script's calls, one after the other."""
        from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
        from trainee_bench.harness.integrations.openenv.server import create_office_app

        file = folder / "script.json"
        benchmark = Benchmark(name="script", scenarios=(script.scenario,))
        file.write_text(benchmark.model_dump_json(), encoding="utf-8")
        app = create_office_app(OpenEnvOptions(split=str(file)))
        with serve_in_thread(app, web_sockets=True) as address:
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
        raise DoorFailed(
            f"{state['step_count']} of {pluralize(len(script.calls), 'call')} reached the office"
        )
    return DoorRun(state["digest"], state["score"], (), texts, pictures)
