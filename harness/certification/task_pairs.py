"""Claim: two tasks of one rule fit on a day, or are refused.

They share no file: each takes its paths from the day (`TaskContext.reserve_path`). And what the
task names exists: files, people and mails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trainee_bench.harness.agents.heuristics import named_paths
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.scenario import DaySpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.mail import MailArrives
from trainee_bench.world.transaction import Event

_MAILED = re.compile(r"\b(?:e-?)?mail(?:s|ed|box)?\b", re.IGNORECASE)
_SENDS_MAIL = re.compile(r'with the subject "')
"""Wording with which a task asks for mails that the employee sends; then "mail" promises none."""
_WRITTEN = re.compile(r"\b(?:message[sd]?|chat) (?:by|from)\b", re.IGNORECASE)


async def certify_pairs(rule: str, seeds: Sequence[int]) -> Claim:
    """Check that what the objective names exists, and that a day with two such tasks is solved or
    refused.

    Facts: ``pairs``, the share of seeds at which two of them make a day.
    """
    claim, made = Claim("pairs"), 0
    for seed in seeds:
        with claim.trying(rule, seed):
            for broken in await _broken_promises(single_task_day(rule, seed)):
                claim.expect(False, f"seed {seed}: {broken}")
            made += await _try_pair(claim, rule, seed)
    claim.facts = {"pairs": made / len(seeds)}
    claim.tried = max(claim.tried, 1)
    return claim


async def _broken_promises(composition: ComposedDay) -> list[str]:
    """Describe the things that the objective promises and that do not exist."""
    (task,) = composition.tasks
    objective, instance = task.instance.told.objective, task.instance
    day = await stage_day(composition)
    async with day.world:
        there = await day.world.read(
            lambda tx: [path for path in named_paths(objective) if Files(tx).exists(path)]
        )
    coming = [getattr(planned.event, "path", "") for planned in instance.hidden.events]
    broken = [
        f"the objective names {path}, which is not there"
        for path in named_paths(objective)
        if path
        not in (*there, *coming, *instance.told.deliverable_paths, *instance.hidden.superseded)
    ]
    kinds = [type(planned.event) for planned in instance.hidden.events]
    promised = _MAILED.search(objective) and not _SENDS_MAIL.search(objective)
    if promised and MailArrives not in kinds:
        broken.append("the objective mentions a mail, and none comes")
    if _WRITTEN.search(objective) and MessageArrives not in kinds:
        broken.append("the objective mentions a message, and none comes")
    ids = {person.id for person in composition.company.people}
    if instance.told.requester not in ids:
        broken.append("nobody of the company gives the task, so its mail has no sender")
    return broken


async def _try_pair(claim: Claim, rule: str, seed: int) -> bool:
    """Let two tasks of *rule* be solved on one day; return False if the day is refused."""
    scenario = single_task_day(rule, seed).scenario_day.scenario
    days = tuple(DaySpec(tasks=day.tasks * 2) for day in scenario.days)
    doubled = scenario.model_copy(update={"days": days})
    try:
        composition = compose_day(doubled)
    except CompositionError as refused:
        reason = str(refused).partition("; use another seed")[0]
        note = f"a day cannot have this task twice, which is no flaw: {reason}"
        claim.notes += [note] if note not in claim.notes else []
        return False
    shared = sorted(_shared_paths(*composition.tasks))
    claim.expect(not shared, f"seed {seed}: two tasks on a day both use {', '.join(shared)}")
    if shared:
        return True
    day = await stage_day(composition)
    async with day.world:
        failures = await day.work()
        for grade in await day.grades():
            missed = [check.name for check in grade.checkpoints if not check.passed]
            claim.expect(
                grade.success,
                f"seed {seed}: of two tasks on a day, {grade.task} scores {grade.score}; missed "
                f"{missed}; harm {list(grade.harm)}; {grade.error or ''} {failures}",
            )
    return True


def _shared_paths(left: ComposedTask, right: ComposedTask) -> Iterator[str]:
    """Yield the files that both tasks ask for, or stage with different contents."""
    yield from set(left.instance.told.deliverable_paths) & set(
        right.instance.told.deliverable_paths
    )
    left_files, right_files = _staged(left), _staged(right)
    yield from (
        path
        for path in left_files.keys() & right_files.keys()
        if left_files[path] != right_files[path]
    )


def _staged(task: ComposedTask) -> dict[str, Event]:
    """Return the events that put a file somewhere, by its path."""
    events = [planned.event for planned in task.instance.hidden.events]
    return {path: event for event in events if (path := getattr(event, "path", ""))}
