"""Where the facts in the work of a day or week came from, measured once it is over.

world, composition ──► hidden facts, first sightings, deliveries, questions ──► ProvenanceFigures
"""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.harness.provenance.deliveries import delivering_call
from trainee_bench.harness.provenance.hidden_facts import FactVersion, TracedFact, hidden_facts
from trainee_bench.harness.provenance.questions import read_questions, telling_questions
from trainee_bench.harness.provenance.sightings import first_sightings
from trainee_bench.harness.records.provenance_figures import FactProvenance, ProvenanceFigures
from trainee_bench.harness.scheduling.day_trace import DayTrace, read_day_trace
from trainee_bench.meta_tasks.composed_day import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.world import World


async def measure_provenance(world: World, composition: ComposedDay) -> ProvenanceFigures:
    """The provenance of the day or week worked in *world*, which was staged from *composition*."""
    day = await read_day_trace(world, composition)
    questions = await world.read(lambda tx: read_questions(tx, day))
    facts = [fact for fact in hidden_facts(composition) if fact.task.id in day.published]
    versions = [version for fact in facts for version in fact.versions]
    sightings = first_sightings(day.whole_log, versions, day.employee)
    needed = [fact for fact in facts if fact.needed and _came_in_time(day, fact)]
    delivered = {fact.task.id: delivering_call(day, fact.task) for fact in needed}
    return ProvenanceFigures(
        facts=tuple(_provenance(fact, sightings, delivered[fact.task.id]) for fact in needed),
        questions=len(questions),
        telling=telling_questions(day, questions, facts, sightings),
    )


def _came_in_time(day: DayTrace, fact: TracedFact) -> bool:
    """Whether the task of *fact* was published before its deadline."""
    return day.published[fact.task.id] < fact.task.deadline


def _provenance(
    fact: TracedFact, sightings: Mapping[FactVersion, LogEntry], delivered: LogEntry | None
) -> FactProvenance:
    """What was known of *fact*, and when its task was *delivered*."""
    seen = {
        version: entry.seq
        for version in fact.versions
        if (entry := sightings.get(version)) is not None and entry.at < fact.task.deadline
    }
    return FactProvenance(
        fact=fact.clue.id,
        task=fact.task.id,
        asked_for=bool(fact.clue.holder and fact.clue.asks),
        told=seen.get(fact.current),
        earlier=min((seen[one] for one in fact.versions[:-1] if one in seen), default=None),
        delivered=None if delivered is None else delivered.seq,
    )
