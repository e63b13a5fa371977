"""One episode from start to end: stage, serve, connect, run the agent, grade, record.

    EpisodeSpec ──► staged world ──► servers ══ client ══ agent ──► verifier ──► EpisodeResult

In a week the world goes through its nights. Each morning has a new agent, which knows nothing of
the days before but what it learned, if it `learns`.

The agent's client reaches only the employee's apps; grading uses a client of the verifier. A fault
of the infrastructure is retried once and then recorded. An agent that may remember the day is never
retried: it would know what comes.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import anyio

from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.episodes.grading import verifier_grades
from trainee_bench.harness.episodes.identity import episode_limits, is_insider, result_identity
from trainee_bench.harness.episodes.manual_work import with_human_part
from trainee_bench.harness.episodes.night import alter_notes_at_night, memory_after_night
from trainee_bench.harness.episodes.npcs import measure_npc_fidelity
from trainee_bench.harness.episodes.result_builder import (
    DaySession,
    EpisodeEnd,
    Tries,
    broken_result,
    completed_result,
    day_figures,
)
from trainee_bench.harness.episodes.trajectory import write_trajectory
from trainee_bench.harness.episodes.transports import ServerFactory
from trainee_bench.harness.episodes.turn_journal import JournalDay, TurnJournal, read_journal
from trainee_bench.harness.records.plan import PERSON_ISOLATION, EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.frozen import FrozenDigests, composed_digests, frozen_digests
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_people_prompt, build_prompt
from trainee_bench.harness.session.supervision import AgentExit, raise_fault, run_agent, run_aside
from trainee_bench.harness.session.thinking import TimedThinking, WorldClock
from trainee_bench.harness.session.tool_transports import McpToolTransport
from trainee_bench.harness.session.turns import TurnRecord
from trainee_bench.harness.support.text import describe_error
from trainee_bench.mcp_servers.office import AppUnavailable
from trainee_bench.mcp_servers.verifier import DayGrade, feedback_on
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

MAX_TRIES = 2
"""How often an episode is started before a fault of the infrastructure is recorded as its
result."""
_SEEN = (
    " (The agent had seen the day and may remember it, so it was not tried again; --resume tries "
    "it in a new process.)"
)


async def run_episode(
    spec: EpisodeSpec,
    folder: RunFolder,
    runner: AgentRunner,
    servers: ServerFactory,
    left: Sequence[JournalDay] = (),
) -> EpisodeResult:
    """Run one episode, write its world and trajectory to *folder*, and return its result.

    With *left*, the days already begun, it continues from its world in *folder*. Failures within
    the episode are recorded in the result and not raised.
    """
    began = time.monotonic()
    if not spec.tasks:
        return broken_result(spec, "no family of this day's tasks is built", Tries(1, began))
    if runner.learns and spec.remembers is not None:
        memory = folder.memories.read(spec.remembers)
        if memory is None:
            missing = f"the memory of {spec.remembers} is missing, because that episode broke"
            return broken_result(spec, missing, Tries(1, began))
    else:
        memory = ""
    faults: list[str] = []
    while True:
        tries = Tries(len(faults) + 1, began, tuple(faults))
        if not left:
            folder.discard(spec)
        runner.memory = memory
        seen = anyio.Event()
        try:
            if not left:
                folder.begun.begin(spec, tries.count)
            composition = composed(spec.scenario, spec.day)
            episode = _Episode(spec, composition, folder, runner, servers, seen, left)
            return await _episode(episode, tries)
        except (CompositionError, AppUnavailable) as error:
            return broken_result(spec, describe_error(error), tries)
        except Exception as fault:  # noqa: BLE001 - breaks this episode; the others still run
            # such as a full disk; the result reports the episode's own error
            with suppress(OSError):
                folder.write_traceback(spec, traceback.format_exc())
            folder.discard(spec)
            left = ()
            runner.reset()
            remembered = seen.is_set() and not runner.forgets
            told = describe_error(fault) + (_SEEN if remembered else "")
            if remembered or tries.count == MAX_TRIES:
                return broken_result(spec, told, tries)
            faults.append(told)


@dataclass(frozen=True)
class _Episode:
    """A spec and everything needed to run it."""

    spec: EpisodeSpec
    composition: ComposedDay
    folder: RunFolder
    runner: AgentRunner
    servers: ServerFactory
    seen: anyio.Event
    """Set once the agent's own code has seen anything of the day."""
    left: Sequence[JournalDay]
    """The days that were begun before, if an episode is continued."""

    @property
    def world(self) -> Path:
        """The path of the episode's world."""
        return self.folder.world(self.spec)

    @cached_property
    def journal(self) -> TurnJournal:
        """The journal of turns, written as they happen."""
        return TurnJournal(self.folder.turns(self.spec))

    @cached_property
    def earlier(self) -> tuple[TurnRecord, ...]:
        """The turns of another agent that began this day."""
        days = read_journal(self.folder.fork_turns) if self.spec.forked_from else []
        return tuple(turn for day in days for turn in day.turns)

    def prompt(self, tx: Transaction, limits: EpisodeLimits) -> str:
        """Return this morning's prompt, in words for an agent or for a person."""
        by_person = self.spec.agent_config.isolation == PERSON_ISOLATION
        return build_people_prompt(tx, limits) if by_person else build_prompt(tx, limits)

    @asynccontextmanager
    async def clock(self, limits: EpisodeLimits) -> AsyncIterator[WorldClock | None]:
        """Open the world for the minutes that thinking takes; None if it takes none."""
        if limits.tokens_per_minute is None:
            yield None
            return
        async with await World.open(self.world) as world:
            yield WorldClock(world)

    def day_name(self, place: int) -> str:
        """Return the name of day number *place*."""
        return self.composition.day_name(self.composition.days[place].starts)

    def reflects_after(self, place: int) -> bool:
        """Whether the agent learns from day number *place*, which another day follows."""
        follows = place + 1 < len(self.composition.days) or self.spec.followed
        return follows and self.runner.learns

    def feedback(self, grade: DayGrade, place: int) -> str:
        """Return the feedback in *grade* on the tasks that are due on day number *place*."""
        due = {task.id for task in self.composition.tasks if task.due_place == place}
        feedback = feedback_on(grade, self.runner.feedback_tier)
        return "\n".join(text for task, text in feedback.items() if task in due)

    async def reflect(self, feedback: str, session: AgentSession, place: int) -> None:
        """Let a learning agent reflect on the *feedback* on day number *place*, and store its
        memory.

        Its thoughts are added to *session* and may exceed its limits. If it raises, its memory
        stays the same. The night's changes apply to the memory that is stored.
        """

        left = self.runner.memory

        async def reflect() -> None:
            session.asides += await self.runner.reflect(
                feedback, session, self.composition.on_day(place), self.spec.attempt
            )

        if await run_aside(reflect(), self.spec.limits.seconds) is not None:
            session.counts.incidents["reflection_failed"] += 1
        raise_fault(session)
        self.runner.memory = memory_after_night(
            self.runner.memory, self.spec, self.composition, left
        )
        self.folder.memories.write(self.spec.id, self.runner.memory)


@dataclass(frozen=True)
class _AgentOfDay:
    """The agent of an episode on its day number *place*, as `run_agent` runs it."""

    episode: _Episode
    place: int

    async def work(self, session: AgentSession) -> None:
        self.episode.seen.set()
        today = self.episode.composition.on_day(self.place)
        await self.episode.runner.work(session, today, self.episode.spec.attempt)


@dataclass(frozen=True)
class _Office:
    """The tools of an episode's office, and its clock if thinking takes time."""

    transport: McpToolTransport
    clock: WorldClock | None

    def thinking(self, limits: EpisodeLimits) -> TimedThinking | None:
        """Return the thinking of a day that begins, None if it takes no time."""
        if self.clock is None or limits.tokens_per_minute is None:
            return None
        return TimedThinking(limits.tokens_per_minute, self.clock)


async def _episode(episode: _Episode, tries: Tries) -> EpisodeResult:
    spec, composition, folder = episode.spec, episode.composition, episode.folder
    limits = episode_limits(spec)
    path = folder.world(spec)
    if episode.left:
        prompt, frozen = episode.left[0].prompt, await composed_digests(composition)
    else:
        prompt, frozen = await _begin_world(episode)
    identity = result_identity(spec, insider=is_insider(spec), frozen=frozen)
    worked: list[DaySession] = []
    last = len(composition.days) - 1
    async with (
        episode.servers.connect(path, composition.company.trainee.id) as client,
        episode.clock(limits) as clock,
    ):
        office = _Office(McpToolTransport(client), clock)
        for place in range(last):
            worked.append(await _work_day(episode, office, prompt, limits, place))
            prompt = await _night(episode, worked[-1].session, limits, place)
        worked.append(await _work_day(episode, office, prompt, limits, last))
    async with await World.open(path) as world:
        grade = await verifier_grades(world)
        figures = await day_figures(spec, composition, world, grade)
        digest = await world.digest()
        identity = with_human_part(identity, await world.log())
        played = await measure_npc_fidelity(world, spec.model_settings)
        learns = episode.reflects_after(last)
        feedback = episode.feedback(grade, last) if learns else None
    if feedback is not None:
        await episode.reflect(feedback, worked[-1].session, last)
    end = EpisodeEnd(digest, folder.memories.digest(spec.id), played)
    result = completed_result(spec, identity, worked, figures, end, tries)
    sessions = [day.session for day in worked]
    write_trajectory(folder.trajectory(spec), spec, sessions, result)
    episode.journal.remove()
    return result


async def _begin_world(episode: _Episode) -> tuple[str, FrozenDigests]:
    """Make the world of *episode* as it begins: its morning, or where another agent left it.

    Returns the prompt of its first day, and the digests of its morning.
    """
    composition, limits = episode.composition, episode_limits(episode.spec)
    if episode.spec.forked_from is None:
        config = composition.world_config()
        begun, frozen = await World.create(episode.world, config, composition.populate), None
    else:
        async with await World.open(episode.folder.fork_world) as left:
            begun, frozen = await left.fork(episode.world), await composed_digests(composition)
    async with begun as world:
        prompt = await world.read(lambda tx: episode.prompt(tx, limits))
        return prompt, frozen or await frozen_digests(world)


async def _work_day(
    episode: _Episode,
    office: _Office,
    prompt: str,
    limits: EpisodeLimits,
    place: int,
) -> DaySession:
    """Let the agent work day number *place*, which has begun and may be continued."""
    day, name = episode.composition.days[place], episode.day_name(place)
    tools, days = await office.transport.tools(), len(episode.composition.days)
    session = AgentSession(
        office.transport,
        tools,
        prompt,
        day,
        limits,
        place,
        days,
        partial(episode.servers.waited, episode.world),
        earlier=episode.earlier,
        listener=episode.journal,
        thinking=office.thinking(limits),
    )
    if episode.earlier:  # since the last answer in it, the world may have let time pass by itself
        async with await World.open(episode.world) as world:
            session.now = await world.now()
    if place < len(episode.left):
        session.restore(episode.left[place].turns)
        ended = episode.left[place].ended
        if ended is not None:
            session.ended = ended
            return DaySession(name, session, AgentExit(ended))
    else:
        episode.journal.day_begins(place, prompt)
    try:
        agent_exit = await run_agent(_AgentOfDay(episode, place), session)
    finally:
        printed = episode.runner.log
        if printed is not None and episode.spec.scenario.week:
            printed = f"{name}:\n{printed}\n"
        episode.folder.write_log(episode.spec, printed, append=place > 0)
    if session.another_day_follows:
        episode.journal.day_ends(agent_exit.ended)
    return DaySession(name, session, agent_exit)


async def _night(
    episode: _Episode, session: AgentSession, limits: EpisodeLimits, place: int
) -> str:
    """Let the agent learn after day number *place*, worked in *session*, and begin the next
    morning.

    Returns the prompt of that morning, which a new agent gets.
    """
    if place + 1 < len(episode.left):
        return episode.left[place + 1].prompt
    async with await World.open(episode.world) as world:
        if await world.now() < episode.composition.days[place].ends:
            await world.end_day()
        learns = episode.reflects_after(place)
        feedback = episode.feedback(await verifier_grades(world), place) if learns else None
    if feedback is not None:
        await episode.reflect(feedback, session, place)
    episode.runner.reset()
    async with await World.open(episode.world) as world:
        if await world.now() < episode.composition.days[place + 1].starts:
            await alter_notes_at_night(world, episode.spec, episode.composition)
            await world.begin_next_day()
        return await world.read(lambda tx: episode.prompt(tx, limits))
