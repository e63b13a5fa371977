"""Claim: what the oracle uses is what it was shown, and what is shown is used.

Each sentence of the objective, each staged file, mail and message is left out in turn: the oracle
falls short, or the family has declared the text background (`GradedPart.background`). So nothing
is said that the oracle does not heed. And each text in its work occurs in what it was shown.

An oracle that reads its objective with the template that wrote it falls short without any sentence
and would read any other words back. So of a sentence that every seed has in the same words, and
that names no file, it has to state something (the rules of `read_brief`).
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
"""How many sentences, and how many events, are left out for each seed, in rotation."""
OTHER_SEEDS = 8
"""A sentence that so many further seeds have in the same words is taken to be the same in all."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n+")
_FIELD = re.compile(r"\s*- `\w+` \(")
"""A line that describes a field: it is rendered from the model that is graded by."""
_VALUE = re.compile(r"^- |\w:/")
"""In an item of a list, and where a file is named: a value, even if every seed has the same."""
_WORDS = re.compile(r"[^\W\d_]{3,}")
_TELLING = (FileAppears, PictureAppears, MailArrives, MessageArrives)


async def certify_shown(rule: str, seeds: Sequence[int]) -> Claim:
    """The oracle needs all that it is shown, but for the background, and no more than that.

    Facts: ``left_out``, how many texts were left out in turn.
    """
    claim, left_out = Claim("shown"), 0
    for seed in seeds:
        with claim.trying(rule, seed):
            composition = single_task_day(rule, seed)
            with collect_stated_rules() as stated:
                for word in await _never_shown(composition):
                    flaw = f"seed {seed}: nobody says {word!r}, which the work has to say"
                    claim.expect(False, flaw)
            for sentence in _unstated(rule, seed, stated):
                claim.expect(
                    False,
                    f"seed {seed}: the oracle states nothing of {sentence!r}, which is the same "
                    "for every seed and not declared background",
                )
            for what, changed in _without_each(composition, seed):
                left_out += 1
                claim.expect(
                    not await _succeeds(changed),
                    f"seed {seed}: the oracle succeeds without {what}; what it says is neither "
                    "heeded nor declared background",
                )
    claim.facts = {"left_out": left_out}
    claim.tried = max(claim.tried, 1)
    return claim


# what is left out ---------------------------------------------------------------------------


def _without_each(composition: ComposedDay, seed: int) -> list[tuple[str, ComposedDay]]:
    """The day without one sentence, or without one event, and what that was."""
    instance = composition.tasks[0].instance
    days = []
    for sentence in _rotating(_sentences(instance), seed):
        days.append((f"{sentence!r}", _with(composition, _without_sentence(instance, sentence))))
    for planned in _rotating(_events(instance), seed):
        kept = tuple(one for one in instance.hidden.events if one is not planned)
        hidden = replace(instance.hidden, events=kept)
        without = _with(composition, replace(instance, hidden=hidden))
        days.append((_name(planned, instance), without))
    return days


def _request(instance: TaskInstance[Any]) -> str:
    """What is asked for in the end: an earlier request need not be understood."""
    changes = (one.event for one in instance.hidden.events if isinstance(one.event, RequestChanged))
    return next((one.objective for one in reversed([*changes])), instance.told.objective)


def _without_sentence(instance: TaskInstance[Any], sentence: str) -> TaskInstance[Any]:
    """*instance* whose requests lack the sentence, the first one and those that it changes to."""

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
    """The sentences of the request that are no background, those of fields left out."""
    parts = [part.strip() for part in _SENTENCE.split(_request(instance))]
    return [
        part
        for part in parts
        if _WORDS.search(part) and not _FIELD.match(part) and not _is_background(instance, part)
    ]


def _events(instance: TaskInstance[Any]) -> list[PlannedEvent]:
    """The files, mails and messages that are no background."""
    return [
        planned
        for planned in instance.hidden.events
        if isinstance(planned.event, _TELLING)
        and not _is_background(instance, _name(planned, instance))
    ]


def _name(planned: PlannedEvent, instance: TaskInstance[Any]) -> str:
    """Name an event of *instance*: a mail by its subject, a message by its text, a file by its
    path. The name of a file also says if a later event replaces it."""
    event = planned.event
    if isinstance(event, MailArrives):
        return f"the mail {event.subject!r}"
    if isinstance(event, MessageArrives):
        return f"the message {event.text!r}"
    path = str(getattr(event, "path", ""))
    later = instance.hidden.events[instance.hidden.events.index(planned) + 1 :]
    replaced = any(getattr(other.event, "path", "") == path for other in later)
    return first_version(path) if replaced else path


def _is_background(instance: TaskInstance[Any], text: str) -> bool:
    return any(declared in text for declared in instance.graded.background)


def _rotating(items: Sequence[Any], seed: int) -> Sequence[Any]:
    """At most LEFT_OUT of *items*; each further seed takes the next ones."""
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
    """The sentences of which the oracle states nothing and reads no value, either; none where it
    does not read its objective with `read_brief`."""
    instance = single_task_day(rule, seed).tasks[0].instance
    others = range(seed + 1, seed + 1 + OTHER_SEEDS)
    return [
        sentence
        for sentence in _sentences(instance)
        if stated.briefs
        and not _VALUE.search(sentence)
        and not any(_overlap(_request(instance), sentence, said) for said in stated.rules)
        and all(sentence in _request(single_task_day(rule, s).tasks[0].instance) for s in others)
    ]


def _overlap(text: str, one: str, other: str) -> bool:
    """Whether two parts of *text* have something in common."""
    at, there = text.find(one), text.find(other)
    return there >= 0 and at < there + len(other) and there < at + len(one)


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
    """Whether a tool shows what one has given it oneself: it writes files, and runs nothing."""
    known = discover_tools()[tool]
    return known.writes_content and known.files is not FileUse.RUNS


async def _never_shown(composition: ComposedDay) -> list[str]:
    """The words in the texts of the oracle's work that no tool showed it before."""
    plain = await stage_day(composition)
    day = _WatchedDay(plain.composition, plain.world, plain.seat)
    async with day.world:
        await day.work()
        written = await day.world.read(lambda tx: output_texts(tx, composition))
    seen = set(_WORDS.findall(text_key(" ".join(day.shown))))
    words = {word for text in written for said in _texts(text) for word in _WORDS.findall(said)}
    return sorted({word for word in words if text_key(word) not in seen})


def _texts(written: str) -> list[str]:
    """The texts in a deliverable: the values of JSON, else all of it."""
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
