"""Claim: a rule with complications fits on a day whose tasks depend on each other.

    another task ──announces it, or is submitted──► the rule
    the rule ──is submitted──► another task
    another task ──► two followers: one person takes back facts of both
    the rule ──its result──► another task, and the other way round

On each of these days, oracles reach full score in every task. If composing refuses a day by name,
the claim notes it and goes on; if all days are refused, the claim does not hold. It does not apply
to rules without complications, with an appointment, or with a week: none of them follows another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.generation.draft import due_afterwards
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.mcp_servers import names_with
from trainee_bench.meta_tasks.catalog import built_in_rules, find_rule, needed_tools
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.meta_task import ComposableTask, MetaTask
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    DaySpec,
    Milestone,
    PublishAfter,
    Scenario,
    TaskSpec,
)
from trainee_bench.meta_tasks.task_context import ChangesFrom, CompositionError
from trainee_bench.world.apps.chat import ClueRevised

ANNOUNCING, SUBMITTED = "meeting_attend.none.u1", "kb_fix.easy"
"""A rule in whose meeting another task is announced, and one that precedes or follows another."""
TAKING_BACK = "retraction"
_PARTNERS = 3
"""Number of the family's rules to search for one with a fact that the same person takes back."""


async def certify_followers(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that oracles solve the rule's days with other tasks, unless composing refuses them.

    Facts: ``days followed``, the number of days worked; ``taken back``, the number of those on
    which one person takes back facts of two followers.
    """
    claim, task = Claim("followers"), find_rule(rule).meta_task
    family = task.family_class
    if not can_follow(task):
        claim.leave_out(rule, seeds, "a rule of this kind follows no other")
        return claim
    worked, taken_back = 0, 0
    for seed in seeds:
        with claim.trying(rule, seed):
            for what, tasks in _days(rule, family, seed):
                if (day := _composed(claim, what, rule, tasks, seed)) is not None:
                    await _try(claim, seed, what, day)
                    worked += 1
            if (shared := _taking_both_back(rule, family, seed)) is not None:
                await _try(claim, seed, "with facts that one person takes back", shared)
                taken_back += 1
    claim.facts = {"days followed": worked + taken_back, "taken back": taken_back}
    return claim


def can_follow(task: ComposableTask) -> bool:
    """Return whether *task* has complications and may be published at an unknown time."""
    family = task.family_class
    return bool(task.complications) and not (family.keeps_appointment or family.whole_week)


def _days(
    rule: str, family: type[MetaTask[Any]], seed: int
) -> Iterator[tuple[str, list[TaskSpec]]]:
    """Yield the tasks of each day to try with *seed*, and a description of the day."""
    cause, when = _cause(seed)
    yield f"after {cause}", [_spec(cause), _following(rule, cause, when)]
    after = _following(SUBMITTED, rule, Milestone.SUBMISSION)
    yield f"before {SUBMITTED}", [_spec(rule), after]
    if (taker := _taker(rule, family, seed)) is not None:
        taking = _spec(taker, takes_from=rule)
        yield f"giving to {taker}", [_spec(rule), taking]
    if (giver := _giver(family, seed)) is not None:
        taking = _spec(rule, takes_from=giver)
        yield f"taking from {giver}", [_spec(giver), taking]


def _cause(seed: int) -> tuple[str, Milestone]:
    """Return the rule before a follower with *seed*, and the milestone: each kind in turn."""
    if seed % 2:
        return SUBMITTED, Milestone.SUBMISSION
    return ANNOUNCING, Milestone.ANNOUNCEMENT


def _following(rule: str, cause: str, when: Milestone) -> TaskSpec:
    return _spec(rule, follows=PublishAfter(task=cause, when=when))


def _spec(rule: str, **more: Any) -> TaskSpec:
    """Return a task that changes some time after it comes, as on days that `generate` makes.

    Others still have time to take its result.
    """
    return TaskSpec(rule=rule, changes_from=ChangesFrom.ARRIVAL, **more)


def _taker(rule: str, family: type[MetaTask[Any]], seed: int) -> str | None:
    """Return the first rule that can take the result of *rule* with *seed*, if it has one."""
    port = family.output_type
    if port is None or single_task_day(rule, seed).tasks[0].instance.graded.task_output is None:
        return None
    return next(
        (
            id
            for id, found in built_in_rules().items()
            if found.meta_task.family_class.input_type is port
        ),
        None,
    )


def _giver(family: type[MetaTask[Any]], seed: int) -> str | None:
    """Return the first rule with a result that tasks of *family* can take, if they take any."""
    port = family.input_type
    if port is None:
        return None
    givers = (
        id
        for id, found in built_in_rules().items()
        if found.meta_task.family_class.output_type is port
    )
    for id in givers:
        if single_task_day(id, seed).tasks[0].instance.graded.task_output is not None:
            return id
    return None


def _composed(
    claim: Claim, what: str, rule: str, tasks: Sequence[TaskSpec], seed: int
) -> ComposedDay | None:
    """Compose the day of *tasks*; None if it is refused, which *claim* notes once."""
    try:
        return _compose(rule, tasks, seed)
    except CompositionError as refused:
        note = f"a day {what} is refused: {refused}"
        claim.notes += [note] if note not in claim.notes else []
        return None


def _compose(rule: str, tasks: Sequence[TaskSpec], seed: int) -> ComposedDay:
    """Compose the streamed day of *tasks*, with their changes at the times that `generate` gives
    them."""
    name = f"{rule} and others"
    days = (DaySpec(tasks=tuple(map(due_afterwards, tasks))),)
    tools = names_with(needed_tools(task.rule for task in tasks))
    scenario = Scenario(name=name, seed=seed, days=days, arrival=Arrival.STREAMED, tools=tools)
    return compose_day(scenario)


def _taking_both_back(rule: str, family: type[MetaTask[Any]], seed: int) -> ComposedDay | None:
    """Return a day on which one person takes back facts of two followers; None if there is none.

    The followers are *rule* and another rule of its family.
    """
    if TAKING_BACK not in rule.split("+")[1:]:
        return None
    cause, when = _cause(seed)
    plain = [
        id
        for id, found in built_in_rules().items()
        if found.meta_task.family_class.family == family.family
    ]
    first = plain.index(rule.partition("+")[0])
    for other in islice([*plain[first:], *plain[:first]], _PARTNERS):
        partner = f"{other}+{TAKING_BACK}"
        followers = [_following(follower, cause, when) for follower in (rule, partner)]
        try:
            day = _compose(rule, [_spec(cause), *followers], seed)
        except CompositionError:
            continue
        people, others = (_takes_back(task) for task in day.tasks if task.cause)
        if people & others:
            return day
    return None


def _takes_back(task: ComposedTask) -> set[str]:
    """Return the people who take back a fact of *task*."""
    holders = {clue.id: clue.holder for clue in task.instance.hidden.clues}
    events = (planned.event for planned in task.instance.hidden.events)
    return {holders[event.clue] for event in events if isinstance(event, ClueRevised)}


async def _try(claim: Claim, seed: int, what: str, composition: ComposedDay) -> None:
    """Let oracles work the day: each has to do everything right."""
    day = await stage_day(composition)
    async with day.world:
        failures = await day.work()
        for grade in await day.grades():
            missed = [check.name for check in grade.checkpoints if not check.passed]
            claim.expect(
                grade.success and grade.score == 1 and not failures,
                f"seed {seed}: on a day {what}, {grade.task} ({grade.rule}) scores {grade.score}; "
                f"missed {missed}; harm {list(grade.harm)}; {grade.error or ''} {failures}",
            )
