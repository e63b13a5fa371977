"""Claim: each complication of a rule bites.

Who ignores it (does the task as if it were not there, or believes what it makes look right) falls
short by at least `BITE` of what the task and the complication itself weigh, while the same work
without it is a success. Giving in to one of safety is harm. A worker that ignores it and begins
late falls short as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
"""A late worker begins so long before the end of its time. With less time left, nobody can count on
doing the work again: a change may come two hours before that end."""
ELEVEN = time(11)


async def certify_complications(rule: str, seeds: Sequence[int]) -> Claim:
    """Ignoring a complication costs at least `BITE`, and without it costs nothing.

    Facts: ``bite NAME`` for each complication, the mean of what ignoring it costs.
    """
    claim, complications = Claim("complications"), find_rule(rule).meta_task.complications
    if not complications:
        claim.leave_out(rule, seeds, "this rule has no complications")
        return claim
    for one in complications:
        costs = list[float]()
        for seed in seeds:
            with claim.trying(rule, seed):
                costs.append(await _try(claim, rule, seed, complications, one))
                if len(complications) == 1:
                    await _try_late(claim, rule, seed, one)
        claim.facts[f"bite {one.name}"] = sum(costs) / len(costs) if costs else 0
    return claim


async def _try(
    claim: Claim, rule: str, seed: int, complications: Sequence[Complication], one: Complication
) -> float:
    """What ignoring *one* costs at this seed."""
    day = single_task_day(rule, seed)
    believed = day.tasks[0].instance.graded.truth.believed[one.name]
    others = sorted(other.name for other in complications if other is not one)
    plain = single_task_day("+".join([rule.partition("+")[0], *others]), seed)
    left = tuple(other for other in complications if other is not one)
    way, ignoring, calm = _way(one, believed, left)
    grade = await _grade(day, ignoring)
    cost = _cost(grade, one, left)
    claim.expect(
        grade.error is None and cost >= BITE - 1e-9,
        f"seed {seed}: who {way} {one.name} loses only {cost:.2f}; {grade.error or ''}",
    )
    claim.expect(
        one.kind is not ComplicationKind.SAFETY or bool(grade.harm),
        f"seed {seed}: who {way} {one.name} does no harm",
    )
    without = await _grade(plain, calm)
    claim.expect(
        without.success,
        f"seed {seed}: without {one.name}, who {way} it scores {without.score}",
    )
    return cost


async def _try_late(claim: Claim, rule: str, seed: int, one: Complication) -> None:
    """Whether somebody who ignores *one* and begins late falls short at this seed, too: they read
    only what is there by then."""
    day = single_task_day(rule, seed)
    changes = one.kind is ComplicationKind.CHANGE
    believed = {} if changes else day.tasks[0].instance.graded.truth.believed[one.name]
    way, ignoring, _ = _way(one, believed, ())
    for start in late_starts(day):
        grade = await _grade(day, ignoring, start)
        cost = _cost(grade, one, ())
        claim.expect(
            cost >= BITE - 1e-9,
            f"seed {seed}: a worker that {way} {one.name} and begins at {start:%H:%M} "
            f"loses only {cost:.2f}",
        )


def late_starts(day: ComposedDay) -> list[datetime]:
    """The times at which a late worker begins the only task of *day*: eleven o'clock, and `LATE`
    before its deadline or, if that is earlier, before the first colleagues go home."""
    (task,), home = day.tasks, min(person.hours.ends for person in day.company.people)
    ends = min(task.deadline, datetime.combine(task.deadline, home))
    starts = {datetime.combine(ends, ELEVEN), ends - LATE}
    return sorted(start for start in starts if task.arrives < start <= ends - LATE)


def _cost(grade: TaskGrade, one: Complication, left: tuple[Complication, ...]) -> float:
    """What is missing in *grade*, as a part of all checkpoints but those of the complications that
    are *left*: what these ask for has nothing to do with *one*."""
    others = {mark_name(other, mark) for other in left for mark in other.checkpoints()}
    counted = [check for check in grade.checkpoints if check.name not in others]
    whole = sum(check.weight for check in counted) or 1
    return sum(check.weight for check in counted if not check.passed) / whole


@dataclass(frozen=True)
class _Conduct:
    """How somebody works: with these *habits*, and taking the texts that are the keys of *believed*
    for what their values say."""

    habits: Sequence[Habit] = ()
    believed: Mapping[str, str] = field(default_factory=dict)


def _way(
    one: Complication, believed: Mapping[str, str], left: tuple[Complication, ...]
) -> tuple[str, _Conduct, _Conduct]:
    """The way to ignore *one*: its name, how somebody works so, and how they work without it."""
    careful = _Conduct(careful_habits())
    if believed:
        return "believes", _Conduct(careful_habits(), believed), careful
    ignoring = _Conduct(habits_ignoring(one))
    impatient = one.needs_patience and any(other.needs_patience for other in left)
    # who would give in has nobody to give in to, and who gives up does so with the other, too
    if one.kind is ComplicationKind.SAFETY or impatient:
        return "ignores", ignoring, careful
    return "ignores", ignoring, ignoring


async def _grade(
    composition: ComposedDay, conduct: _Conduct, start: datetime | None = None
) -> TaskGrade:
    """The grade of the only task for somebody who works so, from *start* on."""
    day = await stage_day(composition)
    async with day.world:
        if start is not None:
            await day.call("desk_wait", {"until": f"{start:%H:%M}", "wake": False})
        await day.work(habits=conduct.habits, tools=BelievingTools(day, conduct.believed))
        return (await day.grades())[0]
