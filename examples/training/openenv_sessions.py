"""Serve the office with OpenEnv to three clients at the same time.

    python examples/training/openenv_sessions.py

docs/integrations/openenv.md explains the installation of OpenEnv. Instead of a model, each client
makes the calls that the oracle made on its day.
"""

from __future__ import annotations

import asyncio
import socket

import uvicorn
from openenv.core.generic_client import GenericEnvClient

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions
from trainee_bench.harness.integrations.openenv.server import create_office_app
from trainee_bench.meta_tasks.composition import compose_day

OPTIONS = OpenEnvOptions(split="quickstart", max_sessions=3)
PORT = 8765


async def work(index: int) -> None:
    """A session: reset, and a step for each call."""
    given = OPTIONS.find("quickstart").day(index)
    script = (await run_in_process("oracle", compose_day(given.scenario, given.day))).log
    async with GenericEnvClient(base_url=f"ws://127.0.0.1:{PORT}") as office:
        morning = await office.reset(index=index)
        rewards = []
        for entry in script:
            if entry.actor:
                action = {"tool_name": entry.tool, "arguments": dict(entry.arguments)}
                answer = await office.step({"type": "call_tool", **action})
                rewards.append(answer.reward)
        state = await office.state()
    day = morning.observation["day"]["id"]
    print(f"{day}: {len(rewards)} calls, rewards {sum(rewards):.2f}, score {state['score']:.2f}")


async def main() -> None:
    """Serve, work, stop."""
    with socket.create_server(("127.0.0.1", PORT)) as listener:
        server = uvicorn.Server(uvicorn.Config(create_office_app(OPTIONS), log_level="warning"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await asyncio.gather(*(work(index) for index in range(3)))
        server.should_exit = True
        await serving


if __name__ == "__main__":
    asyncio.run(main())
