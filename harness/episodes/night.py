"""What happens in a night to what an agent remembers, where its memory is wiped or poisoned.

    memory, notes ──MemoryMode──► memory and notes of the next morning

Its memory is text that the run keeps. Its notes are files of the world, which changes them itself,
between two days, as an action of its own; so the night is in the log and is repeated from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainee_bench.harness.episodes.falsified import Falsification
from trainee_bench.harness.records.plan import EpisodeSpec, MemoryMode
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.notes import ALTER_NOTES, alter_notes, read_all_notes
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.week import NEXT_DAY
from trainee_bench.world.world import World


def memory_after_night(memory: str, spec: EpisodeSpec, composition: ComposedDay) -> str:
    """What is left of the *memory* of the agent of *spec* after a night."""
    mode = spec.agent_config.memory
    if mode is MemoryMode.WIPED:
        return ""
    if mode is MemoryMode.POISONED:
        return _falsification(spec, composition).text(memory)
    return memory


async def alter_notes_at_night(world: World, spec: EpisodeSpec, composition: ComposedDay) -> None:
    """Let *world* wipe or falsify the notes, if that is the lot of the agent of *spec*."""
    changes = _changes(spec, composition, await world.read(read_all_notes))
    if changes:
        await alter_notes(world, changes)


async def night_flaws(
    spec: EpisodeSpec, composition: ComposedDay, log: Sequence[LogEntry]
) -> list[str]:
    """How the nights in *log*, which repeats, contradict what *spec* lets happen to the notes."""
    mode = spec.agent_config.memory
    if not mode.alters_notes:
        flaw = f"alters notes at night, but the memory of {spec.agent} is {mode}"
        return [f"action {entry.seq} {flaw}" for entry in log if entry.tool == ALTER_NOTES]
    flaws, done, altered = list[str](), 0, False
    async with await World.create_inline(composition.world_config(), composition.populate) as world:
        for place, entry in enumerate(log):
            if entry.tool not in (ALTER_NOTES, NEXT_DAY):
                continue
            await replay_log(world, log[done:place])
            done, due = place, _changes(spec, composition, await world.read(read_all_notes))
            if entry.tool == ALTER_NOTES and entry.arguments != due:
                flaws.append(f"action {entry.seq} changes the notes otherwise than {mode} ones are")
            if entry.tool == NEXT_DAY and due and not altered:
                flaws.append(f"the notes were not {mode} in the night before action {entry.seq}")
            altered = entry.tool == ALTER_NOTES
    return flaws


def _changes(
    spec: EpisodeSpec, composition: ComposedDay, notes: Mapping[str, str | None]
) -> dict[str, str | None]:
    """What becomes of *notes* in a night, by path; files that are no text (None) cannot be
    falsified and are removed."""
    mode = spec.agent_config.memory
    if mode is MemoryMode.POISONED:
        falsified = _falsification(spec, composition)
        return {path: said and falsified.text(said) for path, said in notes.items()}
    return dict.fromkeys(notes) if mode is MemoryMode.WIPED else {}


def _falsification(spec: EpisodeSpec, composition: ComposedDay) -> Falsification:
    """That of an attempt at a day or week; it does not depend on the agent."""
    names = (spec.scenario.name, spec.scenario.stream_seed, spec.day, spec.attempt)
    return Falsification.drawn(composition.company, random_stream("poisoned", *names))
