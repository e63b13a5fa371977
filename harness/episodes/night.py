"""What happens in a night to what an agent remembers, where its memory is wiped or poisoned.

    memory, notes ──MemoryMode──► memory and notes of the next morning

Its memory is text that the run keeps. Its notes are files of the world, which changes them itself,
between two days, as an action of its own; so the night is in the log and is repeated from there.
"""

from __future__ import annotations

from trainee_bench.harness.episodes.falsified import Falsification
from trainee_bench.harness.records.plan import EpisodeSpec, MemoryMode
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.notes import read_all_notes
from trainee_bench.world.random_streams import random_stream
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
    """Let *world* wipe or falsify the notes, if that is the lot of the agent of *spec*. Files that
    are no text cannot be falsified and are removed."""
    mode = spec.agent_config.memory
    notes = await world.read(read_all_notes) if mode.alters_notes else {}
    if not notes:
        return
    if mode is MemoryMode.WIPED:
        await world.alter_notes(dict.fromkeys(notes))
        return
    falsified = _falsification(spec, composition)
    await world.alter_notes(
        {path: None if said is None else falsified.text(said) for path, said in notes.items()}
    )


def _falsification(spec: EpisodeSpec, composition: ComposedDay) -> Falsification:
    """That of an attempt at a day or week; it does not depend on the agent."""
    names = (spec.scenario.name, spec.scenario.stream_seed, spec.day, spec.attempt)
    return Falsification.drawn(composition.company, random_stream("poisoned", *names))
