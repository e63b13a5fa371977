"""Replay a worked day step by step, stop in the middle, and fork the world there.

    python examples/replay_and_fork.py

The world is deterministic: the same scenario and the same calls give the same digest.
"""

from __future__ import annotations

import asyncio

from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.testbench.staged_day import open_staged_day, stage_day
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.mcp_servers.verifier import grade_world
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import compose_day

STOP_AT = 12


async def main() -> None:
    """Let the oracle work a day, then repeat it."""
    composed = compose_day(find_scenario("first_day"), 0)
    worked = await stage_day(composed)
    async with worked.world:
        await run_agent_on_day("oracle", worked)
        log = await worked.world.log()
        digest = await worked.world.digest()
        print(f"worked: {len(log)} actions, score {(await grade_world(worked.world)).score:.2f}")

    again = await stage_day(composed)
    async with again.world:
        await replay_log(again.world, log[:STOP_AT])  # raises if any result differs
        print(f"replayed {STOP_AT} actions, it is {await again.world.now():%H:%M}")
        async with await again.world.fork() as copy:
            fork = open_staged_day(composed, copy)
            await fork.call("desk_finish_day", {})  # the fork goes home early
            print(f"the fork went home: score {(await grade_world(copy)).score:.2f}")
        await replay_log(again.world, log[STOP_AT:])
        assert await again.world.digest() == digest
        print("the rest replayed: same digest, the fork changed nothing here")


if __name__ == "__main__":
    asyncio.run(main())
