"""Claim: an agent that works ahead finds nothing.

The task is published late, and the day is staged twice, the second time without it. Until the
publication, the worlds are equal and every call shows the same in both. The calls are those with
which the oracle works the task, which name its files, people and questions, and a sweep of all
tools.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.certification.counterfactuals import CallRecorder, RecordedCall
from trainee_bench.harness.certification.tool_sweep import sweep_tools
from trainee_bench.harness.testbench.staged_day import (
    PASSING_DAYS,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec, TaskSpec, Variation
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.world import ActionResult

_LATEST = timedelta(hours=3)
"""Delay of the task after the day's start; shorter if its appointment comes earlier."""
_MINUTE = timedelta(minutes=1)
_SKIPPING = ("desk_wait", "desk_finish_day")
"""Calls of the oracle that would skip the time in which one can work ahead."""


async def certify_ahead(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that until the task is published, the day looks like one without it.

    Facts: ``ahead``, the mean number of calls that found nothing.
    """
    claim, made = Claim("ahead"), 0
    if any(found.several_days for found in find_rule(rule).meta_task.complications):
        claim.leave_out(rule, seeds, "its facts are told on days before it is published")
        return claim
    for seed in seeds:
        with claim.trying(rule, seed):
            made += await _try_ahead(claim, rule, seed)
    claim.facts = {"ahead": made / len(seeds)}
    return claim


async def _try_ahead(claim: Claim, rule: str, seed: int) -> int:
    """Work ahead of one seed's task, with and without it; return the number of calls."""
    plain = single_task_day(rule, seed)
    known_by = plain.tasks[0].instance.told.must_know_by or plain.day.ends
    arrives = min(known_by, plain.day.starts + _LATEST)
    if arrives - plain.day.starts < 2 * _MINUTE:
        claim.tried += 1
        claim.notes.append(f"seed {seed}: its appointment leaves no time to work ahead")
        return 0
    calls, made = await _oracle_calls(plain), 0
    for free in (False, True):
        published_late = _arriving(plain, arrives, free=free)
        unpublished = _arriving(plain, arrives, free=free, never=True)
        async with _watched(published_late) as with_task, _watched(unpublished) as without_task:
            for recorder in (with_task, without_task):
                await (_sweep(recorder, arrives) if free else _work_ahead(recorder, calls, arrives))
            made += len(with_task.calls)
            difference = _first_difference(with_task, without_task)
            claim.expect(
                difference is None, f"seed {seed}: the task shows ahead of time in {difference}"
            )
            left, right = with_task.day.world, without_task.day.world
            claim.expect(
                await left.digest(present_only=True) == await right.digest(present_only=True),
                f"seed {seed}: something of the task is there before it is published",
            )
            until = f"{arrives:%H:%M}"
            await with_task.day.observe("desk_wait", {"until": until, "wake": False})
            published = await left.read(lambda tx: Desk(tx).published_at("T1"))
            claim.expect(
                published == arrives, f"seed {seed}: the task comes at {published}, not {until}"
            )
    return made


def _arriving(
    plain: ComposedDay, arrives: datetime, *, free: bool, never: bool = False
) -> ComposedDay:
    """Return the day of *plain* on which its task *arrives* late, or *never* comes.

    With *free*, no tool costs time.
    """
    scenario = plain.scenario_day.scenario
    (task,) = scenario.days[0].tasks
    costs = dict.fromkeys(_tool_names(), 0) if free else {}
    first = DaySpec(tasks=(TaskSpec(rule=task.rule, arrives=arrives.time()),))
    late = scenario.model_copy(update={"days": (first, *scenario.days[1:]), "minutes": costs})
    return compose_day(late, 0, Variation(unstaged=("T1",) if never else ()))


def _tool_names() -> list[str]:
    return [tool.name for box in default_toolboxes().values() for tool in box]


@asynccontextmanager
async def _watched(composition: ComposedDay) -> AsyncIterator[CallRecorder]:
    day = await stage_day(composition)
    async with day.world:
        yield CallRecorder(day)


async def _oracle_calls(plain: ComposedDay) -> list[RecordedCall]:
    """Return the calls with which the oracle works the task if it is there from the start."""
    log = await oracle_log(plain)
    skipping = (*_SKIPPING, *PASSING_DAYS)
    return [RecordedCall(e.tool, e.arguments) for e in log if e.tool not in skipping]


async def _work_ahead(
    watch: CallRecorder, calls: Sequence[RecordedCall], arrives: datetime
) -> None:
    """Make those *calls* that end before the task *arrives*, and read all answers to them."""
    people = [str(call.arguments["to"]) for call in calls if "to" in call.arguments]
    reading = [
        RecordedCall("chat_read_history", {"peer": person}) for person in dict.fromkeys(people)
    ]
    last = arrives - (len(reading) + 1) * _MINUTE
    for call in calls:
        tool = watch.day.seat.tools.get(call.tool)
        minutes = tool.minutes if tool else 1
        if await watch.day.world.now() + minutes * _MINUTE < last:
            await watch.observe(call.tool, call.arguments)
    if await watch.day.world.now() < last:
        await watch.observe("desk_wait", {"until": f"{last:%H:%M}", "wake": False})
    for call in reading:
        if await watch.day.world.now() + _MINUTE < arrives:
            await watch.observe(call.tool, call.arguments)


class _TimeIsUp(Exception):
    """The task is about to be published."""


async def _sweep(watch: CallRecorder, arrives: datetime) -> None:
    """Call all read-only tools before the task *arrives*; refused calls cost a minute."""

    async def observe(tool: str, arguments: Mapping[str, JsonValue]) -> ActionResult[BaseModel]:
        if await watch.day.world.now() + _MINUTE >= arrives:
            raise _TimeIsUp
        return await watch.observe(tool, arguments)

    with suppress(_TimeIsUp):
        await sweep_tools(watch.day.seat.tools.values(), observe, afternoon=False)


def _first_difference(watch: CallRecorder, other: CallRecorder) -> str | None:
    """Describe the first call that differed or showed something else; None if there is none."""
    pairs = zip(watch.calls, watch.seen, other.calls, other.seen, strict=False)
    for number, (call, seen, other_call, other_seen) in enumerate(pairs, start=1):
        if (call, seen) != (other_call, other_seen):
            return f"call {number}, {call.tool}{dict(call.arguments)}"
    return None if len(watch.calls) == len(other.calls) else "the number of calls"
