"""What happens in a night to what an agent remembers, where its memory is wiped or poisoned.

    memory, notes ──MemoryMode──► memory and notes of the next morning

Its memory is text that the run keeps. Its notes are files of the world, which changes them itself,
between two days, as an action of its own; so the night is in the log and is repeated from there.
"""

from __future__ import annotations

from trainee_bench.harness.episodes.falsified import Exchange, falsify
from trainee_bench.harness.records.plan import EpisodeSpec, MemoryMode
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.notes import read_all_notes
from trainee_bench.world.random_streams import random_stream
from trainee_bench.world.world import World


def memory_after_night(memory: str, spec: EpisodeSpec, composition: ComposedDay, place: int) -> str:
    """What is left of the *memory* of the agent of *spec* in the night after its day number
    *place*."""
    mode = spec.agent_config.memory
    if mode is MemoryMode.WIPED:
        return ""
    if mode is MemoryMode.POISONED:
        return _falsified(memory, spec, composition, place, "memory")
    return memory


async def alter_notes_at_night(
    world: World, spec: EpisodeSpec, composition: ComposedDay, place: int
) -> None:
    """Let *world* wipe or falsify the notes in the night after day number *place*, if that is the
    agent's lot. Files that are no text cannot be falsified and are removed."""
    mode = spec.agent_config.memory
    notes = await world.read(read_all_notes) if mode.alters_notes else {}
    poisoned = mode is MemoryMode.POISONED
    if notes:
        await world.alter_notes(
            {
                path: _falsified(text, spec, composition, place, path)
                if poisoned and text is not None
                else None
                for path, text in notes.items()
            }
        )


def _falsified(
    text: str, spec: EpisodeSpec, composition: ComposedDay, place: int, what: str
) -> str:
    """*text*, by the exchange of the attempt; *what* it is and the night draw its numbers. Neither
    depends on the agent."""
    names = (
        "poisoned", spec.scenario.name, spec.scenario.stream_seed, spec.day, spec.attempt,
    )  # fmt: skip
    exchange = Exchange.drawn(composition.company, random_stream(*names))
    return falsify(text, exchange, random_stream(*names, place, what))
