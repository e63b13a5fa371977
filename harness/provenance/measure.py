"""Measure where the facts in the work of a day or week came from, after it is over.

world, composition ──► hidden facts, first sightings, deliveries, questions ──► ProvenanceFigures
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from trainee_bench.harness.provenance.hidden_facts import (
    FactVersion,
    TracedFact,
    hidden_facts,
    told_in,
)
from trainee_bench.harness.provenance.sightings import first_sightings, written_paths
from trainee_bench.harness.records.provenance_figures import FactProvenance, ProvenanceFigures
from trainee_bench.harness.scheduling.asking import request_change
from trainee_bench.harness.scheduling.attribution import message_number
from trainee_bench.harness.scheduling.day_trace import DayTrace, read_day_trace
from trainee_bench.meta_tasks.composed_day import ComposedDay, ComposedTask
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.chat import Chat, ChatMessage
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.reviews import ReviewAdded
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World


def delivering_call(day: DayTrace, task: ComposedTask) -> LogEntry | None:
    """Return the last call before the deadline that wrote a required file of *task*.

    Without such a call, return the accepted submission that counts; None if nothing was delivered.
    """
    instance = task.instance
    asked_for = frozenset(instance.told.deliverable_paths or instance.told.writable_paths)
    in_time = [entry for entry in day.whole_log if entry.ok and entry.at < task.deadline]
    writes = [entry for entry in in_time if written_paths(entry) & asked_for]
    if writes:
        return writes[-1]
    change = request_change(day, task)
    since = change if change is not None else day.composition.day.starts
    accepted = [
        attempt for attempt in day.submissions(task.id) if attempt.ok and since <= attempt.at
    ]
    return accepted[-1] if accepted else None


@dataclass(frozen=True)
class AskedQuestion:
    """A message of the agent to a ``colleague``, sent by the call ``seq``.

    ``answer`` is None if it got none.
    """

    seq: int
    colleague: str
    answer: ChatMessage | None


def read_questions(tx: Transaction, day: DayTrace) -> tuple[AskedQuestion, ...]:
    """Return the agent's questions: one for each message and each colleague who was to answer it.

    Messages that told colleagues what they waited to hear are no questions.
    """
    chat, sent_by = Chat(tx), _sending_calls(day.whole_log)
    met = _met_expectations(tx, day.composition)
    found = list[AskedQuestion]()
    for message in day.messages:
        if message.sender != day.employee or message.id not in sent_by:
            continue
        for person in chat.responders(message):
            answer = _answer_of(day.messages, message.id, person.id)
            if answer is None or (person.id, answer.at) not in met:
                found.append(AskedQuestion(sent_by[message.id], person.id, answer))
    return tuple(found)


def telling_questions(
    day: DayTrace,
    questions: Sequence[AskedQuestion],
    facts: Sequence[TracedFact],
    sightings: Mapping[FactVersion, LogEntry],
) -> int:
    """Count the *questions* that told the agent a new fact that one of its tasks needed then.

    An answer that the agent never read told it nothing.
    """
    told, count = set[FactVersion](), 0
    answered = [
        (question, question.answer) for question in questions if question.answer is not None
    ]
    for question, answer in sorted(answered, key=lambda pair: pair[1].id):
        told_now = told_in(_needed_versions(day, facts, answer.at), answer.text)
        new = told_now - told - _seen_before(sightings, question.seq)
        count += any(version in sightings for version in new)
        told |= told_now
    return count


def _seen_before(sightings: Mapping[FactVersion, LogEntry], seq: int) -> frozenset[FactVersion]:
    """Return the versions that the agent had seen before the call *seq*."""
    return frozenset(version for version, entry in sightings.items() if entry.seq < seq)


def _needed_versions(
    day: DayTrace, facts: Sequence[TracedFact], moment: datetime
) -> Collection[FactVersion]:
    """Return all versions of the facts that tasks needed at *moment*.

    This includes facts of a request that was replaced later.
    """
    found = list[FactVersion]()
    for fact in facts:
        change = None if fact.needed else request_change(day, fact.task)
        if fact.needed or (change is not None and moment < change):
            found += fact.versions
    return found


def _sending_calls(log: Sequence[LogEntry]) -> dict[int, int]:
    """Return the number of the call that sent each message, by message number."""
    return {number: entry.seq for entry in log if (number := message_number(entry))}


def _answer_of(messages: Sequence[ChatMessage], number: int, person: str) -> ChatMessage | None:
    """Return the answer of *person* to message *number*, None if there is none."""
    answers = (
        message for message in messages if message.answers == number and message.sender == person
    )
    return next((answer for answer in answers if not answer.automatic), None)


def _met_expectations(tx: Transaction, composition: ComposedDay) -> frozenset[tuple[str, datetime]]:
    """Return the colleagues who heard what they waited for, or signed a file, with the times."""
    waiting = dict[str, str]()
    for task in composition.tasks:
        waiting |= {expected.id: expected.holder for expected in task.instance.hidden.expectations}
        for planned in task.instance.hidden.events:
            if isinstance(planned.event, ReviewAdded):
                waiting[planned.event.review.id] = planned.event.review.reviewer
    knowledge = Knowledge(tx)
    heard = ((holder, knowledge.heard_at(id, tx.employee)) for id, holder in waiting.items())
    return frozenset((holder, at) for holder, at in heard if at is not None)


async def measure_provenance(world: World, composition: ComposedDay) -> ProvenanceFigures:
    """Measure the provenance of the day or week worked in *world*, staged from *composition*."""
    day = await read_day_trace(world, composition)
    questions = await world.read(lambda tx: read_questions(tx, day))
    facts = [fact for fact in hidden_facts(composition) if fact.task.id in day.published]
    versions = [version for fact in facts for version in fact.versions]
    sightings = first_sightings(day.whole_log, versions, day.employee)
    needed = [
        fact for fact in facts if fact.needed and (day.published[fact.task.id] < fact.task.deadline)
    ]
    delivered = {fact.task.id: delivering_call(day, fact.task) for fact in needed}
    return ProvenanceFigures(
        facts=tuple(_provenance(fact, sightings, delivered[fact.task.id]) for fact in needed),
        questions=len(questions),
        telling=telling_questions(day, questions, facts, sightings),
    )


def _provenance(
    fact: TracedFact, sightings: Mapping[FactVersion, LogEntry], delivered: LogEntry | None
) -> FactProvenance:
    """Return what the agent knew of *fact*, and when its task was *delivered*."""
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
        earlier=min(
            (seen[version] for version in fact.versions[:-1] if version in seen), default=None
        ),
        delivered=None if delivered is None else delivered.seq,
    )
