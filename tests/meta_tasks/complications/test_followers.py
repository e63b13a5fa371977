"""Tasks with complications that follow others: what is written about one counts for no other."""

from __future__ import annotations

import pytest

from tests.meta_tasks.days import day_with, staged
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask
from trainee_bench.meta_tasks.scenario import (
    Milestone,
    PublishAfter,
    TaskSpec,
)
from trainee_bench.world.apps.chat import ClueRevised

CAUSES = (
    ("kb_fix.easy", Milestone.SUBMISSION),
    ("meeting_attend.none.u1", Milestone.ANNOUNCEMENT),
)
PAIRS = (
    ("resume_select.pool6", "resume_select.pool12"),
    ("resume_select.pool9", "resume_select.pool12"),
    ("sales.top_sales_employee", "sales.all_depts_qoq_count"),
    ("sales.per_dept_extreme_employee", "sales.all_depts_qoq_count"),
    ("transactions.n2.a0", "transactions.self_approved.s3"),
    ("transactions.just_below.s2", "transactions.self_approved.s3"),
)
DAYS_OF_EACH = 8
"""Of each pair and cause: 96 in all."""


def followers_day(cause: str, when: Milestone, rules: tuple[str, str], seed: int) -> ComposedDay:
    """A day on which two tasks follow *cause*, and facts of both are taken back."""
    follows = PublishAfter(task=cause, when=when)
    followers = (TaskSpec(rule=f"{rule}+retraction", follows=follows) for rule in rules)
    tasks = (TaskSpec(rule=cause), *followers)
    return day_with(*tasks, seed=seed, name="followers")


def takes_back(task: ComposedTask) -> set[str]:
    """The people who take back a fact of *task*."""
    holders = {clue.id: clue.holder for clue in task.instance.hidden.clues}
    events = (planned.event for planned in task.instance.hidden.events)
    return {holders[one.clue] for one in events if isinstance(one, ClueRevised)}


async def scores(composition: ComposedDay) -> dict[str, float | None]:
    async with staged(composition) as day:
        assert await day.work() == {}
        return {grade.task: grade.score for grade in await day.grades()}


@pytest.mark.parametrize(
    ("rules", "seed"),
    [(PAIRS[1], 0), (PAIRS[3], 0), (PAIRS[3], 7), (PAIRS[3], 8)],
)
async def test_what_is_taken_back_for_one_follower_counts_for_no_other(
    rules: tuple[str, str], seed: int
) -> None:
    composition = followers_day(*CAUSES[0], rules, seed)
    first, second = (task for task in composition.tasks if task.cause)
    assert takes_back(first) & takes_back(second)
    assert await scores(composition) == {"T1": 1.0, "T1b": 1.0, "T1c": 1.0}


@pytest.mark.sweep
@pytest.mark.parametrize("rules", PAIRS, ids=" ".join)
@pytest.mark.parametrize(("cause", "when"), CAUSES)
async def test_wherever_one_person_takes_back_facts_of_two_followers_both_come_out_right(
    cause: str, when: Milestone, rules: tuple[str, str]
) -> None:
    worked, seed = 0, 0
    while worked < DAYS_OF_EACH:
        composition = followers_day(cause, when, rules, seed)
        first, second = (task for task in composition.tasks if task.cause)
        if takes_back(first) & takes_back(second):
            found = await scores(composition)
            assert found == {"T1": 1.0, "T1b": 1.0, "T1c": 1.0}, f"seed {seed}"
            worked += 1
        seed += 1


@pytest.mark.parametrize(
    "rule",
    [
        "transactions.self_approved.s2+retraction",
        "transactions.self_approved.s3+retraction",
        "transactions.duplicate_invoice.s2+retraction",
        "transactions.duplicate_invoice.s3+sign_off",
        "transactions.self_approved.s1+sign_off",
    ],
)
async def test_of_what_is_told_of_one_manager_or_period_the_latest_counts(rule: str) -> None:
    tasks = (TaskSpec(rule=rule),)
    for seed in range(2):
        composed = day_with(*tasks, seed=seed, name=rule)
        assert await scores(composed) == {"T1": 1.0}
