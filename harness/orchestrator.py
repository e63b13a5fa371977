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

from harness.agents import Recruit
from harness.colleagues import fidelity
from harness.doors import ClientDoor
from harness.episode import describe, let_work
from harness.offices import Offices
from harness.outcome import broken, worked
from harness.plan import Order
from harness.prompt import prompt
from harness.results import EpisodeResult
from harness.run_folder import RunFolder
from harness.trajectory import write_trajectory
from harness.verdicts import task_results, verifier_feedback
from harness.workplace import InfrastructureFault, Limits, Workplace
from mcp_servers.office import Unofferable
from meta_tasks.composition import Composition, compose
from meta_tasks.stage import CompositionError
from world.world import World

TRIES = 2
"""How often an episode is begun before a fault of the infrastructure is its result."""


async def run_order(
    order: Order, folder: RunFolder, recruit: Recruit, offices: Offices
) -> EpisodeResult:
    """Run one episode and leave its world and trajectory in *folder*; its result.

    Never raises for what goes wrong inside the episode: the result says so.
    """
    began = time.monotonic()
    if not order.scenario.days[order.day].tasks:
        return broken(order, "no family of this day's tasks is built", 1, began)
    if recruit.learns and order.remembers is not None:
        memory = folder.memory(order.remembers)
        if memory is None:
            return broken(order, f"nothing is known of {order.remembers}, which broke", 1, began)
    else:
        memory = ""
    for tries in range(1, TRIES + 1):
        folder.discard(order)
        recruit.memory = memory
        try:
            composition = compose(order.scenario, order.day)
            episode = _Episode(order, composition, folder, recruit, offices)
            return await _episode(episode, tries, began)
        except (CompositionError, Unofferable) as error:
            return broken(order, describe(error), tries, began)
        except Exception as fault:  # noqa: BLE001 - one episode; the others still run
            folder.note_fault(order, traceback.format_exc())
            folder.discard(order)
            recruit.dismiss()
            said = describe(fault)
    return broken(order, said, TRIES, began)


@dataclass(frozen=True)
class _Episode:
    """An order with all that is needed to carry it out; its agent's work is the recruit's."""

    order: Order
    composition: Composition
    folder: RunFolder
    recruit: Recruit
    offices: Offices

    async def work(self, office: Workplace) -> None:
        await self.recruit.work(office, self.composition, self.order.attempt)

    async def reflect(self, feedback: Mapping[str, str], office: Workplace) -> None:
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
        self.folder.keep_memory(self.order, self.recruit.memory)


async def _episode(episode: _Episode, tries: int, began: float) -> EpisodeResult:
    order, composition, folder = episode.order, episode.composition, episode.folder
    limits = _limits(order, episode.recruit)
    path, trajectory = folder.world(order), folder.trajectory(order)
    async with await World.create(path, composition.opening(), composition.stage) as world:
        said = await world.look(lambda turn: prompt(turn, limits))
    async with episode.offices.open(path, composition.company.trainee.id) as client:
        door = ClientDoor(client)
        office = Workplace(door, await door.tools(), said, composition.day, limits)
        try:
            conduct = await let_work(episode, office)
        finally:
            folder.keep_log(order, episode.recruit.log)
    async with await World.open(path) as world:
        graded = await task_results(world, composition)
        digest = await world.digest()
        played = await fidelity(world, order.backing)
        learns = order.followed and episode.recruit.learns
        tier = episode.recruit.feedback_tier
        feedback = await verifier_feedback(world, tier) if learns else None
    if feedback is not None:
        await episode.reflect(feedback, office)
    result = worked(order, office, conduct, graded).model_copy(
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


def _limits(order: Order, recruit: Recruit) -> Limits:
    """The order's limits, or those a scripted agent of ours needs."""
    own = {"steps": recruit.steps, "calls_per_turn": recruit.calls_per_turn}
    known = {name: limit for name, limit in own.items() if limit is not None}
    return order.limits.model_copy(update=known)
