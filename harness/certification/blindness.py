"""Claim: no complication can be handled blindly, or before its content has come.

Two workers know the right answers at other seeds. The *blind* worker reads no mail, page or count,
and works as the complication defines (`Complication.work_blind`). By default it repeats the
oracle's calls from another seed with this day's names. The *early* worker does so as soon as the
task is there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from trainee_bench.harness.certification.claim import Claim, mean_of
from trainee_bench.harness.testbench.renaming import replaced_names, with_ids, with_names
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
"""Largest share of trials in which either worker may handle a complication.

One lucky trial is always allowed, since fewer than 20 trials cannot tell so small a share from 0.
"""
OTHER_SEEDS = 2
"""Number of other seeds whose right answers are tried for each seed."""
_TRIED = 12
"""Number of seeds to search for these, since the rule does not fit all of them."""
_LUCK = 1
_OFFSET = 1_000
"""Distance of the other seeds from those that are certified."""
_LOGS: dict[tuple[str, int], tuple[ForeignCall, ...]] = {}


async def certify_blindness(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that neither worker handles any complication in more than `CEILING` of the trials.

    If a complication has no part of its own to fulfil, the task itself has to be a success. Facts:
    ``blind NAME`` and ``early NAME``, the shares of trials for each complication.
    """
    claim, task = Claim("blindness"), find_rule(rule).meta_task
    if not task.complications:
        claim.leave_out(rule, seeds, "this rule has no complications")
        return claim
    for complication in task.complications:
        for way, work in (("blind", complication.work_blind), ("early", complication.work_early)):
            hits = list[float]()
            for seed in seeds:
                with claim.trying(rule, seed):
                    async for hit in blind_trials(rule, seed, complication, work):
                        hits.append(hit)
            claim.facts[f"{way} {complication.name}"] = mean_of(hits)
            claim.expect(
                sum(hits) <= max(_LUCK, CEILING * len(hits)),
                f"the {way} worker handles {complication.name} in {sum(hits):.0f} of "
                f"{len(hits)} trials",
            )
    return claim


async def blind_trials(
    rule: str, seed: int, complication: Complication, work: BlindWork
) -> AsyncIterator[bool]:
    """Yield whether *work* handles *complication* of *rule* at *seed*, for the right calls of each
    of some other seeds."""
    plain = find_rule(rule).meta_task.family_class
    for calls in await _calls_elsewhere(rule, seed):
        blind = _without_looking(work, plain, calls)
        yield await _dealt_with(rule, seed, complication, blind)


def _without_looking(
    work_blind: BlindWork, plain: type[MetaTask[Any]], elsewhere: Sequence[ForeignCall]
) -> TaskWork:
    """Return work on the task done blindly; the family's own work on it runs at most once."""

    async def work(work: Work, task: str) -> None:
        async def do() -> None:
            await once(work, DoneBy(task, plain.honest_work))

        await work_blind(ScriptClient(task, work), do, elsewhere)

    return work


async def _dealt_with(rule: str, seed: int, complication: Complication, work: TaskWork) -> bool:
    """Return whether *work* handles *complication* at *seed*.

    Raises what *work* raises, except refusals of tools. The day may also end before it is done.
    """
    day = await stage_day(single_task_day(rule, seed))
    async with day.world:
        (task,) = day.composition.tasks
        own = {type(habit) for habit in complication.habits}
        others = [habit for habit in careful_habits() if type(habit) not in own]
        for error in (await day.work({task.id: work}, others)).values():
            if not isinstance(error, ToolFailed | TimeoutError):
                raise error
        if await day.world.now() < task.deadline:  # colleagues read what was sent
            await day.observe("desk_wait", {"until": f"{task.deadline:%H:%M}", "wake": False})
        if not complication.has_own_part:
            return (await day.grades())[0].success
        facts = task.instance.graded.truth.facts[complication.name]

        def is_handled(tx: Transaction) -> bool:
            return complication.is_dealt_with(GradingContext(tx, task.id, facts, task.deadline))

        return await day.world.read(is_handled)


async def _calls_elsewhere(rule: str, seed: int) -> list[tuple[ForeignCall, ...]]:
    """Return the oracle's calls at other seeds, with the names of this one."""
    day, found = single_task_day(rule, seed), list[tuple[ForeignCall, ...]]()
    for other_seed in range(_OFFSET + seed, _OFFSET + seed + _TRIED):
        try:
            composition = single_task_day(rule, other_seed)
        except CompositionError:
            continue
        names = _renamed(composition, day)
        found.append(
            tuple(
                ForeignCall(
                    call.tool,
                    {key: with_names(value, names) for key, value in call.arguments.items()},
                )
                for call in await _calls(composition, rule, other_seed)
            )
        )
        if len(found) == OTHER_SEEDS:
            break
    return found


async def _calls(composition: ComposedDay, rule: str, seed: int) -> tuple[ForeignCall, ...]:
    """Return all calls of the oracle on the day of *seed*; the latest are cached."""
    if (rule, seed) not in _LOGS:
        log = await oracle_log(composition)
        calls = [ForeignCall(entry.tool, entry.arguments) for entry in log]
        made = tuple(call for call in calls if call.tool not in PASSING_DAYS)
        cache_latest(_LOGS, (rule, seed), made)
    return _LOGS[rule, seed]


def _renamed(other: ComposedDay, day: ComposedDay) -> Mapping[str, str]:
    """Map names in the task's text on the *other* day to the names in their place on this *day*.

    The ids of people are included.
    """
    texts = (composition.tasks[0].instance.told.objective for composition in (other, day))
    return with_ids(replaced_names(*texts), other.company, day.company)
