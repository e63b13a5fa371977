"""One episode, whatever happens in it: stage, serve, connect, run the agent, grade, record.

    EpisodeSpec ──► staged world ──► servers ══ client ══ agent ──► verifier ──► EpisodeResult

The agent's client reaches only the employee's apps; grading uses a client of the verifier. A
fault of the infrastructure is retried once and then recorded, but never with an agent that may
remember the day: it would know what comes.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import anyio

from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.episodes.grading import task_results, verifier_feedback
from trainee_bench.harness.episodes.identity import is_insider, result_identity
from trainee_bench.harness.episodes.npcs import measure_npc_fidelity
from trainee_bench.harness.episodes.result_builder import broken_result, completed_result
from trainee_bench.harness.episodes.trajectory import write_trajectory
from trainee_bench.harness.episodes.transports import ServerFactory
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.scheduling.measure import measure_day
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.supervision import (
    describe_error,
    raise_fault,
    run_agent,
    run_aside,
)
from trainee_bench.harness.session.tool_transports import McpToolTransport
from trainee_bench.mcp_servers.office import AppUnavailable
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.world import World

MAX_TRIES = 2
"""How often an episode is started before a fault of the infrastructure is its result."""
_SEEN = (
    " (The agent had seen the day and may remember it, so it was not tried again; --resume tries "
    "it in a new process.)"
)


async def run_episode(
    spec: EpisodeSpec, folder: RunFolder, runner: AgentRunner, servers: ServerFactory
) -> EpisodeResult:
    """Run one episode and write its world and trajectory to *folder*; its result.

    What goes wrong within the episode is not raised but recorded in the result.
    """
    began = time.monotonic()
    if not spec.scenario.days[spec.day].tasks:
        return broken_result(spec, "no family of this day's tasks is built", 1, began)
    if runner.learns and spec.remembers is not None:
        memory = folder.memory(spec.remembers)
        if memory is None:
            return broken_result(
                spec,
                f"the memory of {spec.remembers} is missing, because that episode broke",
                1,
                began,
            )
    else:
        memory = ""
    faults: list[str] = []
    for tries in range(1, MAX_TRIES + 1):
        folder.discard(spec)
        runner.memory = memory
        seen = anyio.Event()
        try:
            composition = compose_day(spec.scenario, spec.day)
            episode = _Episode(spec, composition, folder, runner, servers, seen)
            result = await _episode(episode, tries, began)
            return result.model_copy(update={"faults": tuple(faults)})
        except (CompositionError, AppUnavailable) as error:
            return broken_result(spec, describe_error(error), tries, began)
        except Exception as fault:  # noqa: BLE001 - breaks this episode; the others still run
            with suppress(OSError):  # a full disk; what to say of it is the result's own error
                folder.write_traceback(spec, traceback.format_exc())
            folder.discard(spec)
            runner.reset()
            faults.append(describe_error(fault))
            if seen.is_set() and not runner.forgets:
                faults[-1] += _SEEN
                break
    broken = broken_result(spec, faults.pop(), tries, began)
    return broken.model_copy(update={"faults": tuple(faults)})


@dataclass(frozen=True)
class _Episode:
    """A spec with all that is needed to run it; also the agent that `run_agent` runs."""

    spec: EpisodeSpec
    composition: ComposedDay
    folder: RunFolder
    runner: AgentRunner
    servers: ServerFactory
    seen: anyio.Event
    """Set once the agent's own code has seen anything of the day."""

    async def work(self, session: AgentSession) -> None:
        self.seen.set()
        await self.runner.work(session, self.composition, self.spec.attempt)

    async def reflect(self, feedback: Mapping[str, str], session: AgentSession) -> None:
        """Let a learning agent reflect on the feedback on each task, and store its memory.

        Its thoughts are added to *session*, and may exceed its limits. If it raises, its memory
        stays as it was.
        """
        text = "\n".join(feedback.values())

        async def reflect() -> None:
            session.asides += await self.runner.reflect(
                text, session, self.composition, self.spec.attempt
            )

        if await run_aside(reflect(), self.spec.limits.seconds) is not None:
            session.counts.incidents["reflection_failed"] += 1
        raise_fault(session)
        self.folder.write_memory(self.spec, self.runner.memory)


async def _episode(episode: _Episode, tries: int, began: float) -> EpisodeResult:
    spec, composition, folder = episode.spec, episode.composition, episode.folder
    identity = result_identity(spec, insider=is_insider(spec))
    limits = identity.limits
    path, trajectory = folder.world(spec), folder.trajectory(spec)
    async with await World.create(path, composition.world_config(), composition.populate) as world:
        prompt = await world.read(lambda tx: build_prompt(tx, limits))
    async with episode.servers.connect(path, composition.company.trainee.id) as client:
        transport = McpToolTransport(client)
        session = AgentSession(transport, await transport.tools(), prompt, composition.day, limits)
        try:
            agent_exit = await run_agent(episode, session)
        finally:
            folder.write_log(spec, episode.runner.log)
    async with await World.open(path) as world:
        graded = await task_results(world, composition)
        measured = await measure_day(world, composition)
        digest = await world.digest()
        played = await measure_npc_fidelity(world, spec.model_settings)
        learns = spec.followed and episode.runner.learns
        tier = episode.runner.feedback_tier
        feedback = await verifier_feedback(world, tier) if learns else None
    if feedback is not None:
        await episode.reflect(feedback, session)
    result = completed_result(spec, identity, session, agent_exit, graded, measured).model_copy(
        update={
            "tries": tries,
            "wall_seconds": round(time.monotonic() - began, 3),
            "digest": digest,
            "remembers": spec.remembers,
            "memory_digest": folder.memory_digest(spec),
            "colleagues": played,
            "world": path.relative_to(folder.path).as_posix(),
            "trajectory": trajectory.relative_to(folder.path).as_posix(),
        }
    )
    write_trajectory(trajectory, spec, session, result)
    return result
