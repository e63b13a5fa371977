"""Claim: no complication is dealt with blindly, or before what it is about has come.

Two workers know the right answers at other seeds. The *blind* one looks at no mail, page or count,
and works as the complication states (`Complication.work_blind`): by default it repeats the oracle's
calls from another seed with this day's names. The *early* one does so once the task is there.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from pydantic import JsonValue

from trainee_bench.harness.certification.claim import Claim, mean_of
from trainee_bench.harness.testbench.staged_day import (
    PASSING_DAYS,
    cache_latest,
    oracle_log,
    single_task_day,
    stage_day,
)
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.checkpoints import GradingContext
from trainee_bench.meta_tasks.complication import Complication, DoTask, ForeignCall
from trainee_bench.meta_tasks.complications import careful_habits
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.meta_task import MetaTask
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolFailed
from trainee_bench.meta_tasks.work.need import TaskWork, Work
from trainee_bench.meta_tasks.work.scripted import DoneBy, ScriptClient, once
from trainee_bench.world.transaction import Transaction

BlindWork = Callable[[ToolClient, DoTask, Sequence[ForeignCall]], Awaitable[None]]
"""`Complication.work_blind` or `Complication.work_early`."""
CEILING = 0.05
"""In how large a part of the trials either worker may deal with a complication. One lucky trial is
always allowed, since fewer than 20 trials cannot tell so small a part from none."""
OTHER_SEEDS = 2
"""For each seed, what was right at so many others is tried."""
_TRIED = 12
"""It looks for these among so many seeds: the rule does not fit all."""
_LUCK = 1
_OFFSET = 1_000
"""How far the other seeds are from those that are certified."""
_LOGS: dict[tuple[str, int], tuple[ForeignCall, ...]] = {}


async def certify_blindness(rule: str, seeds: Sequence[int]) -> Claim:
    """Neither worker deals with any complication of *rule* in more than `CEILING` of the trials.

    Facts: ``blind NAME`` and ``early NAME`` for each complication, the parts in which they do. If
    a complication waits for nothing of its own, the task itself has to be a success.
    """
    claim, task = Claim("blindness"), find_rule(rule).meta_task
    if not task.complications:
        claim.leave_out(rule, seeds, "this rule has no complications")
        return claim
    for one in task.complications:
        for way, work in (("blind", one.work_blind), ("early", one.work_early)):
            hits = list[float]()
            for seed in seeds:
                with claim.trying(rule, seed):
                    for calls in await _calls_elsewhere(rule, seed):
                        blind = _without_looking(work, task.family_class, calls)
                        hits.append(await _dealt_with(rule, seed, one, blind))
            claim.facts[f"{way} {one.name}"] = mean_of(hits)
            claim.expect(
                sum(hits) <= max(_LUCK, CEILING * len(hits)),
                f"the {way} worker deals with {one.name} in {sum(hits):.0f} of {len(hits)} trials",
            )
    return claim


def _without_looking(
    work_blind: BlindWork, plain: type[MetaTask[Any]], elsewhere: Sequence[ForeignCall]
) -> TaskWork:
    """The task as it is worked blindly; the family's own work on it is done once if at all."""

    async def work(work: Work, task: str) -> None:
        async def do() -> None:
            await once(work, DoneBy(task, plain.honest_work))

        await work_blind(ScriptClient(task, work), do, elsewhere)

    return work


async def _dealt_with(rule: str, seed: int, one: Complication, work: TaskWork) -> bool:
    """Whether *one* is dealt with at *seed* by *work*. Raises what that raises, unless a tool has
    refused something."""
    day = await stage_day(single_task_day(rule, seed))
    async with day.world:
        (task,) = day.composition.tasks
        own = {type(habit) for habit in one.habits}
        others = [habit for habit in careful_habits() if type(habit) not in own]
        for error in (await day.work({task.id: work}, others)).values():
            if not isinstance(error, ToolFailed):
                raise error
        if await day.world.now() < task.deadline:  # colleagues read what was sent
            await day.observe("desk_wait", {"until": f"{task.deadline:%H:%M}", "wake": False})
        if not one.has_own_part:
            return (await day.grades())[0].success
        facts = task.instance.graded.truth.facts[one.name]

        def see(tx: Transaction) -> bool:
            return one.is_dealt_with(GradingContext(tx, task.id, facts, task.deadline))

        return await day.world.read(see)


async def _calls_elsewhere(rule: str, seed: int) -> list[tuple[ForeignCall, ...]]:
    """The oracle's calls at other seeds, with the names of this one."""
    day, found = single_task_day(rule, seed), list[tuple[ForeignCall, ...]]()
    for other in range(_OFFSET + seed, _OFFSET + seed + _TRIED):
        try:
            composition = single_task_day(rule, other)
        except CompositionError:
            continue
        names = _renamed(composition, day)
        found.append(
            tuple(
                ForeignCall(
                    call.tool, {key: _with_names(one, names) for key, one in call.arguments.items()}
                )
                for call in await _calls(composition, rule, other)
            )
        )
        if len(found) == OTHER_SEEDS:
            break
    return found


async def _calls(composition: ComposedDay, rule: str, seed: int) -> tuple[ForeignCall, ...]:
    """All that the oracle calls on the day of *seed*; the latest are cached."""
    if (rule, seed) not in _LOGS:
        log = await oracle_log(composition)
        calls = [ForeignCall(one.tool, one.arguments) for one in log]
        made = tuple(call for call in calls if call.tool not in PASSING_DAYS)
        cache_latest(_LOGS, (rule, seed), made)
    return _LOGS[rule, seed]


def _renamed(other: ComposedDay, day: ComposedDay) -> Mapping[str, str]:
    """The names in the task's text on the *other* day, and those in their place on this *day*, with
    the ids of people."""
    names = dict(
        _replacements(other.tasks[0].instance.told.objective, day.tasks[0].instance.told.objective)
    )
    here = {person.name: person.id for person in day.company.people}
    for person in other.company.people:
        known = here.get(names.get(person.name, ""))
        if known is not None:
            names[person.id] = known
    return names


def _replacements(other: str, text: str) -> Iterator[tuple[str, str]]:
    """The runs of words of *other* in whose place *text* has other ones."""
    theirs, ours = (re.findall(r"[\w:/.@+-]*\w", one) for one in (other, text))
    matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind == "replace":
            yield " ".join(theirs[first:last]), " ".join(ours[begin:end])


def _with_names(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """*value* with the names of this day."""
    if isinstance(value, dict):
        return {key: _with_names(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_names(item, names) for item in value]
    if not isinstance(value, str) or not names:
        return value
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda found: names[found[0]], value)
