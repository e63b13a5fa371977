"""Claim: the oracle uses only what it was shown, and needs everything that is shown.

Each sentence of the objective, each staged file, mail and message is left out in turn. Then the
oracle falls short, or the family has declared the text as background (`GradedPart.background`). So
the oracle heeds everything that is said. And each text in its work occurs in what it was shown.

An oracle that reads its objective with the template that wrote it falls short without any sentence,
but it would also read any other words back. So there is one more check, for sentences with the same
words at every seed and no file. The oracle has to state something of each (the rules of
`read_brief`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    output_texts,
    single_task_day,
    stage_day,
)
from trainee_bench.mcp_servers import discover_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse
from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.authoring.solving import StatedRules, collect_stated_rules
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.meta_task import PlannedEvent, TaskInstance, first_version
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.apps.mail import MailArrives

LEFT_OUT = 2
"""Number of sentences, and of events, that are left out for each seed, in rotation."""
OTHER_SEEDS = 8
"""A sentence is taken to be the same at all seeds if it is so at this many further seeds."""
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)\s+(?=[^\W\d_a-z])|\n+")
_FIELD = re.compile(r"\s*- `\w+` \(")
"""A line that describes a field: it is rendered from the model that grades."""
_VALUE = re.compile(r"^- |\w:/")
"""A sign of a value, even if it is the same at every seed: a list item, or the name of a file."""
_WORDS = re.compile(r"[^\W\d_]{3,}")
_TELLING = (FileAppears, PictureAppears, MailArrives, MessageArrives)


async def certify_shown(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that the oracle needs all that it is shown, except background, and nothing else.

    Facts: ``left_out``, the number of texts that were left out in turn.
    """
    claim, left_out = Claim("shown"), 0
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            with collect_stated_rules() as stated:
                for word in await _never_shown(composition):
                    flaw = f"seed {seed}: nobody says {word!r}, which the work has to contain"
                    claim.expect(False, flaw)
            for sentence in _unstated(rule, seed, stated):
                claim.expect(
                    False,
                    f"seed {seed}: the oracle states nothing of {sentence!r}, which is the same "
                    "at every seed and not declared as background",
                )
            for what, changed in _without_each(composition, seed):
                left_out += 1
                claim.expect(
                    not await _succeeds(changed),
                    f"seed {seed}: the oracle succeeds without {what}, so it does not heed that; "
                    "nor is it declared as background",
                )
    claim.facts = {"left_out": left_out}
    claim.tried = max(claim.tried, 1)
    return claim


# what is left out ---------------------------------------------------------------------------


def _without_each(composition: ComposedDay, seed: int) -> list[tuple[str, ComposedDay]]:
    """Return the day without each sentence and without each event, and what was left out."""
    instance = composition.tasks[0].instance
    days = []
    for sentence in _rotating(_sentences(instance), seed):
        days.append((f"{sentence!r}", _with(composition, _without_sentence(instance, sentence))))
    for planned in _rotating(_events(instance), seed):
        kept = tuple(event for event in instance.hidden.events if event is not planned)
        hidden = replace(instance.hidden, events=kept)
        without = _with(composition, replace(instance, hidden=hidden))
        days.append((_name(planned, instance), without))
    return days


def _request(instance: TaskInstance[Any]) -> str:
    """Return the final request: an earlier one need not be understood."""
    events = (planned.event for planned in instance.hidden.events)
    changes = [event for event in events if isinstance(event, RequestChanged)]
    return changes[-1].objective if changes else instance.told.objective


def _without_sentence(instance: TaskInstance[Any], sentence: str) -> TaskInstance[Any]:
    """Return *instance* without the sentence in its first request and in later ones."""

    def shortened(planned: PlannedEvent) -> PlannedEvent:
        event = planned.event
        if not isinstance(event, RequestChanged):
            return planned
        objective = event.objective.replace(sentence, "", 1)
        return replace(planned, event=event.model_copy(update={"objective": objective}))

    told = replace(instance.told, objective=instance.told.objective.replace(sentence, "", 1))
    hidden = replace(instance.hidden, events=tuple(map(shortened, instance.hidden.events)))
    return replace(instance, told=told, hidden=hidden)


def _sentences(instance: TaskInstance[Any]) -> list[str]:
    """Return the sentences of the request that are neither background nor descriptions of
    fields."""
    parts = [part.strip() for part in _SENTENCE.split(_request(instance))]
    return [
        part
        for part in parts
        if _WORDS.search(part) and not _FIELD.match(part) and not _is_background(instance, part)
    ]


def _events(instance: TaskInstance[Any]) -> list[PlannedEvent]:
    """Return the files, mails and messages that are not background."""
    return [
        planned
        for planned in instance.hidden.events
        if isinstance(planned.event, _TELLING)
        and not _is_background(instance, _name(planned, instance))
    ]


def _name(planned: PlannedEvent, instance: TaskInstance[Any]) -> str:
    """Name an event: a mail by its subject, a message by its text, a file by its path.

    The name of a file also says whether a later event replaces it.
    """
    event = planned.event
    if isinstance(event, MailArrives):
        return f"the mail {event.subject!r}"
    if isinstance(event, MessageArrives):
        return f"the message {event.text!r}"
    path = str(getattr(event, "path", ""))
    later = instance.hidden.events[instance.hidden.events.index(planned) + 1 :]
    replaced = any(getattr(following.event, "path", "") == path for following in later)
    return first_version(path) if replaced else path


def _is_background(instance: TaskInstance[Any], text: str) -> bool:
    return any(declared in text for declared in instance.graded.background)


def _rotating(items: Sequence[Any], seed: int) -> Sequence[Any]:
    """Return at most LEFT_OUT of *items*; each further seed takes the next ones."""
    count = min(LEFT_OUT, len(items))
    return [items[(seed * LEFT_OUT + place) % len(items)] for place in range(count)]


def _with(composition: ComposedDay, instance: TaskInstance[Any]) -> ComposedDay:
    return replace(composition, tasks=(replace(composition.tasks[0], instance=instance),))


async def _succeeds(composition: ComposedDay) -> bool:
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        return (await day.grades())[0].success


def _unstated(rule: str, seed: int, stated: StatedRules) -> list[str]:
    """Return the sentences of which the oracle states nothing and reads no value, either.

    Empty if the oracle does not read its objective with `read_brief`.
    """
    instance = single_task_day(rule, seed).tasks[0].instance
    others = range(seed + 1, seed + 1 + OTHER_SEEDS)
    return [
        sentence
        for sentence in _sentences(instance)
        if stated.briefs
        and not _VALUE.search(sentence)
        and not any(_overlap(_request(instance), sentence, rule_text) for rule_text in stated.rules)
        and all(sentence in _request(single_task_day(rule, s).tasks[0].instance) for s in others)
    ]


def _overlap(text: str, first: str, second: str) -> bool:
    """Return whether two parts of *text* overlap."""
    at, there = text.find(first), text.find(second)
    return there >= 0 and at < there + len(second) and there < at + len(first)


# what is shown ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _WatchedDay(StagedDay):
    """A staged day that keeps what its tools show."""

    shown: list[str] = field(default_factory=list)

    async def call(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse:
        try:
            answer = await super().call(tool, arguments)
        except ToolFailed as refused:
            self.shown.append(str(refused))
            raise
        if not _repeats(tool):
            self.shown.extend((answer.text, json.dumps(answer.data, ensure_ascii=False)))
        return answer


def _repeats(tool: str) -> bool:
    """Return whether a tool only repeats what it was given: it writes files, and runs nothing."""
    known = discover_tools()[tool]
    return known.writes_content and known.files is not FileUse.RUNS


async def _never_shown(composition: ComposedDay) -> list[str]:
    """Return the words in the oracle's work that no tool showed it before."""
    plain = await stage_day(composition)
    day = _WatchedDay(plain.composition, plain.world, plain.seat)
    async with day.world:
        await day.work()
        written = await day.world.read(lambda tx: output_texts(tx, composition))
    seen = set(_WORDS.findall(text_key(" ".join(day.shown))))
    words = {word for text in written for value in _texts(text) for word in _WORDS.findall(value)}
    return sorted({word for word in words if text_key(word) not in seen})


def _texts(written: str) -> list[str]:
    """Return the texts in a deliverable: the string values of JSON, else all of it."""
    try:
        pending: list[Any] = [json.loads(written)]
    except ValueError:
        return [written]
    found = []
    while pending:
        node = pending.pop()
        if isinstance(node, dict | list):
            pending += node.values() if isinstance(node, dict) else node
        elif isinstance(node, str):
            found.append(node)
    return found
