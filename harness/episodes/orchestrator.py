"""One episode, whatever happens in it: stage, serve, connect, let work, grade, record.

    Order ──► staged world ──► servers ══ client ══ agent ──► verifier ──► EpisodeResult

The agent is connected to the employee's apps only; grading goes through a client of the
verifier's own. A fault of the infrastructure is retried once and then recorded.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass

import anyio

from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.episodes.grading import task_results, verifier_feedback
from trainee_bench.harness.episodes.npcs import measure_npc_fidelity
from trainee_bench.harness.episodes.result_builder import broken_result, completed_result
from trainee_bench.harness.episodes.trajectory import write_trajectory
from trainee_bench.harness.episodes.transports import ServerFactory
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.agent_session import (
    AgentSession,
    EpisodeLimits,
    InfrastructureFault,
)
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.supervision import describe_error, run_agent
from trainee_bench.harness.session.tool_transports import McpToolTransport
from trainee_bench.mcp_servers.office import AppUnavailable
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.world import World

MAX_TRIES = 2
"""How often an episode is begun before a fault of the infrastructure is its result."""


async def run_episode(
    order: EpisodeSpec, folder: RunFolder, recruit: AgentRunner, offices: ServerFactory
) -> EpisodeResult:
    """Run one episode and leave its world and trajectory in *folder*; its result.

    Never raises for what goes wrong inside the episode: the result says so.
    """
    began = time.monotonic()
    if not order.scenario.days[order.day].tasks:
        return broken_result(order, "no family of this day's tasks is built", 1, began)
    if recruit.learns and order.remembers is not None:
        memory = folder.memory(order.remembers)
        if memory is None:
            return broken_result(
                order, f"nothing is known of {order.remembers}, which broke", 1, began
            )
    else:
        memory = ""
    for tries in range(1, MAX_TRIES + 1):
        folder.discard(order)
        recruit.memory = memory
        try:
            composition = compose_day(order.scenario, order.day)
            episode = _Episode(order, composition, folder, recruit, offices)
            return await _episode(episode, tries, began)
        except (CompositionError, AppUnavailable) as error:
            return broken_result(order, describe_error(error), tries, began)
        except Exception as fault:  # noqa: BLE001 - one episode; the others still run
            folder.write_traceback(order, traceback.format_exc())
            folder.discard(order)
            recruit.reset()
            said = describe_error(fault)
    return broken_result(order, said, MAX_TRIES, began)


@dataclass(frozen=True)
class _Episode:
    """An order with all that is needed to carry it out; its agent's work is the recruit's."""

    order: EpisodeSpec
    composition: ComposedDay
    folder: RunFolder
    recruit: AgentRunner
    offices: ServerFactory

    async def work(self, office: AgentSession) -> None:
        await self.recruit.work(office, self.composition, self.order.attempt)

    async def reflect(self, feedback: Mapping[str, str], office: AgentSession) -> None:
        """Let a learner take to heart what is said of each task, and keep what it remembers.

        What it thinks is counted with the day in *office*, whose limits it may pass by that; what
        it raises leaves its memory as it was.
        """
        said = "\n".join(feedback.values())
        try:
            with anyio.fail_after(self.order.limits.seconds):
                office.asides += await self.recruit.reflect(
                    said, self.composition, self.order.attempt
                )
        except InfrastructureFault:
            raise
        except (Exception, SystemExit):  # noqa: BLE001 - anybody's code: its own failure
            office.counts.incidents["reflection_failed"] += 1
        self.folder.write_memory(self.order, self.recruit.memory)


async def _episode(episode: _Episode, tries: int, began: float) -> EpisodeResult:
    order, composition, folder = episode.order, episode.composition, episode.folder
    limits = _limits(order, episode.recruit)
    path, trajectory = folder.world(order), folder.trajectory(order)
    async with await World.create(path, composition.world_config(), composition.populate) as world:
        said = await world.read(lambda tx: build_prompt(tx, limits))
    async with episode.offices.connect(path, composition.company.trainee.id) as client:
        door = McpToolTransport(client)
        office = AgentSession(door, await door.tools(), said, composition.day, limits)
        try:
            conduct = await run_agent(episode, office)
        finally:
            folder.write_log(order, episode.recruit.log)
    async with await World.open(path) as world:
        graded = await task_results(world, composition)
        digest = await world.digest()
        played = await measure_npc_fidelity(world, order.backing)
        learns = order.followed and episode.recruit.learns
        tier = episode.recruit.feedback_tier
        feedback = await verifier_feedback(world, tier) if learns else None
    if feedback is not None:
        await episode.reflect(feedback, office)
    result = completed_result(order, office, conduct, graded).model_copy(
        update={
            "tries": tries,
            "wall_seconds": round(time.monotonic() - began, 3),
            "digest": digest,
            "remembers": order.remembers,
            "colleagues": played,
            "world": path.relative_to(folder.path).as_posix(),
            "trajectory": trajectory.relative_to(folder.path).as_posix(),
        }
    )
    write_trajectory(trajectory, order, office, result)
    return result


def _limits(order: EpisodeSpec, recruit: AgentRunner) -> EpisodeLimits:
    """The order's limits, or those a scripted agent of ours needs."""
    own = {"steps": recruit.steps, "calls_per_turn": recruit.calls_per_turn}
    known = {name: limit for name, limit in own.items() if limit is not None}
    return order.limits.model_copy(update=known)
