"""Claim: each complication of a rule costs a worker that ignores it.

Such a worker does the task as if the complication were not there, or believes what it makes look
right. It loses at least `BITE` of the weight of the task and the complication. The same work
without the complication is a success. At seeds at which a complication asks for nothing
(`Complication.bites`), ignoring it costs nothing. Giving in to a safety complication is harm. A
worker that ignores the complication and begins late loses as much.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complicated_task import mark_name
from trainee_bench.meta_tasks.complication import BITE, Complication, ComplicationKind
from trainee_bench.meta_tasks.complications import careful_habits, habits_ignoring
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.work.careless import BelievingTools
from trainee_bench.meta_tasks.work.habits import Habit

LATE = timedelta(hours=3)
"""Time that a late worker has left when it begins.

With less time, no worker could do the work again: a change may come two hours before the end.
"""
ELEVEN = time(11)


async def certify_complications(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that ignoring a complication costs at least `BITE`, and nothing if it is absent.

    Facts: ``bite NAME`` for each complication, the mean cost of ignoring it.
    """
    claim, complications = Claim("complications"), find_rule(rule).meta_task.complications
    if not complications:
        claim.leave_out(rule, seeds, "this rule has no complications")
        return claim
    for complication in complications:
        costs = list[float]()
        for seed in seeds:
            with claim.trying(rule, seed):
                if not complication.bites(_facts(rule, seed, complication)):
                    await _try_harmless(claim, rule, seed, complication)
                    continue
                costs.append(await _try(claim, rule, seed, complications, complication))
                if len(complications) == 1:
                    await _try_late(claim, rule, seed, complication)
        claim.facts[f"bite {complication.name}"] = sum(costs) / len(costs) if costs else 0
    return claim


async def _try(
    claim: Claim,
    rule: str,
    seed: int,
    complications: Sequence[Complication],
    complication: Complication,
) -> float:
    """Return the cost of ignoring *complication* at this seed."""
    day = single_task_day(rule, seed)
    believed = day.tasks[0].instance.graded.truth.believed[complication.name]
    others = tuple(other for other in complications if other is not complication)
    names = sorted(other.name for other in others)
    plain = single_task_day("+".join([rule.partition("+")[0], *names]), seed)
    manner, ignoring, calm = _way(complication, believed, others)
    grade = await _grade(day, ignoring)
    cost = _cost(grade, complication, others)
    claim.expect(
        grade.error is None and cost >= BITE - 1e-9,
        f"seed {seed}: a worker that {manner} {complication.name} loses only {cost:.2f}; "
        f"{grade.error or ''}",
    )
    claim.expect(
        complication.kind is not ComplicationKind.SAFETY or bool(grade.harm),
        f"seed {seed}: a worker that {manner} {complication.name} does no harm",
    )
    without = await _grade(plain, calm)
    claim.expect(
        without.success,
        f"seed {seed}: without {complication.name}, a worker that {manner} it scores "
        f"{without.score}",
    )
    return cost


def _facts(rule: str, seed: int, complication: Complication) -> object:
    truth = single_task_day(rule, seed).tasks[0].instance.graded.truth
    return truth.facts[complication.name]


async def _try_harmless(claim: Claim, rule: str, seed: int, complication: Complication) -> None:
    """Check that ignoring *complication* costs nothing at a seed at which it asks for nothing."""
    grade = await _grade(single_task_day(rule, seed), _Conduct(habits_ignoring(complication)))
    claim.expect(
        grade.success,
        f"seed {seed}: {complication.name} asks for nothing, but a worker that ignores it scores "
        f"{grade.score}; {grade.error or ''}",
    )


async def _try_late(claim: Claim, rule: str, seed: int, complication: Complication) -> None:
    """Check that a worker that ignores *complication* and begins late loses as much at this seed.

    It reads only what is there by then.
    """
    manner = "believes" if _late_beliefs(rule, seed, complication) else "ignores"
    async for start, grade in late_grades(rule, seed, complication):
        cost = _cost(grade, complication, ())
        claim.expect(
            cost >= BITE - 1e-9,
            f"seed {seed}: a worker that {manner} {complication.name} and begins at {start:%H:%M} "
            f"loses only {cost:.2f}",
        )


async def late_grades(
    rule: str, seed: int, complication: Complication
) -> AsyncIterator[tuple[datetime, TaskGrade]]:
    """Yield each time at which a worker that ignores *complication* begins late, and its grade.

    *rule* has no other complication. At a seed at which it asks for nothing, there is nothing to
    ignore, so nothing is yielded.
    """
    if not complication.bites(_facts(rule, seed, complication)):
        return
    day = single_task_day(rule, seed)
    _, ignoring, _ = _way(complication, _late_beliefs(rule, seed, complication), ())
    for start in late_starts(day):
        yield start, await _grade(day, ignoring, start)


def _late_beliefs(rule: str, seed: int, complication: Complication) -> Mapping[str, str]:
    """Return what a late worker reads wrongly: nothing if the change is over by then."""
    if complication.kind is ComplicationKind.CHANGE:
        return {}
    (task,) = single_task_day(rule, seed).tasks
    believed: Mapping[str, str] = task.instance.graded.truth.believed[complication.name]
    return believed


def is_handled(grade: TaskGrade, complication: Complication) -> bool:
    """Return whether all checkpoints of *complication* itself pass in *grade*.

    If it has none, the task has to be a success.
    """
    names = {mark_name(complication, mark) for mark in complication.checkpoints()}
    own = [check for check in grade.checkpoints if check.name in names]
    return all(check.passed for check in own) if own else grade.success


def late_starts(day: ComposedDay) -> list[datetime]:
    """Return the times at which a late worker begins the only task of *day*.

    These are eleven o'clock, and `LATE` before the deadline or, if that is earlier, before the
    first colleagues go home.
    """
    (task,), home = day.tasks, min(person.hours.ends for person in day.company.people)
    ends = min(task.deadline, datetime.combine(task.deadline, home))
    starts = {datetime.combine(ends, ELEVEN), ends - LATE}
    return sorted(start for start in starts if task.arrives < start <= ends - LATE)


def _cost(grade: TaskGrade, complication: Complication, others: tuple[Complication, ...]) -> float:
    """Return the share of points that *grade* misses because of *complication*.

    The checkpoints of the *others* are left out: they have nothing to do with it.
    """
    names = {mark_name(other, mark) for other in others for mark in other.checkpoints()}
    counted = [check for check in grade.checkpoints if check.name not in names]
    whole = sum(check.weight for check in counted) or 1
    return sum(check.weight for check in counted if not check.passed) / whole


@dataclass(frozen=True)
class _Conduct:
    """How a worker behaves: its *habits*, and its false beliefs.

    *believed* maps texts to what the worker takes them to say.
    """

    habits: Sequence[Habit] = ()
    believed: Mapping[str, str] = field(default_factory=dict)


def _way(
    complication: Complication, believed: Mapping[str, str], others: tuple[Complication, ...]
) -> tuple[str, _Conduct, _Conduct]:
    """Return how a worker ignores *complication*: the verb, the conduct, and that without it."""
    careful = _Conduct(careful_habits())
    if believed:
        return "believes", _Conduct(careful_habits(), believed), careful
    ignoring = _Conduct(habits_ignoring(complication))
    impatient = complication.needs_patience and any(other.needs_patience for other in others)
    # Without it there is nobody to give in to. An impatient worker would give up on the others,
    # too.
    if complication.kind is ComplicationKind.SAFETY or impatient:
        return "ignores", ignoring, careful
    return "ignores", ignoring, ignoring


async def _grade(
    composition: ComposedDay, conduct: _Conduct, start: datetime | None = None
) -> TaskGrade:
    """Return the grade of the only task for a worker that behaves so, from *start* on."""
    day = await stage_day(composition)
    async with day.world:
        if start is not None:
            await day.call("desk_wait", {"until": f"{start:%H:%M}", "wake": False})
        await day.work(habits=conduct.habits, tools=BelievingTools(day, conduct.believed))
        return (await day.grades())[0]
