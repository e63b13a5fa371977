"""The composition of tasks with complications: what is drawn once, when they come, what they
give."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from random import Random
from typing import Any

import pytest

from tests import quick_round
from tests.meta_tasks.days import day_with, staged
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.complications import complications_of
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.families import attendance, discover_families
from trainee_bench.meta_tasks.families.attendance.data import draw_attendance_data
from trainee_bench.meta_tasks.scenario import (
    Arrival,
    DaySpec,
    Milestone,
    PublishAfter,
    Scenario,
    TaskSpec,
    Variation,
)
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.world.apps.chat import ClueRevised
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.triggers import TriggeredEvent

WITH_SECRETS = {"data_completion": "data_completion.logistics.eta_distance_sla.very_hard"}
"""A rule with clues, of a family whose last rule has none."""
COMPLICATED = [
    f"{WITH_SECRETS.get(family.family, family.rules()[-1].id)}+{name}"
    for family in discover_families().values()
    for name in complications_of(family)
]
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+")
WEBSITE = "website_analysis.slow_page+clashing_invitation"
"""A rule whose secrets decide who holds its clues."""


def day(*tasks: TaskSpec, **fields: object) -> Scenario:
    return Scenario.model_validate(
        {"name": "x", "seed": 3, "days": (DaySpec(tasks=tasks),), **fields}
    )


def open_parts(composition: ComposedDay) -> list[object]:
    """Return the task's texts, and the people, rooms and times of all its events."""
    (task,) = composition.tasks
    instance = task.instance
    known = {*ROOMS, *(person.id for person in composition.company.people)}
    may_lack = any(found.may_be_impossible for found in task.meta_task.complications)

    def named(found: object) -> Iterator[str]:
        if isinstance(found, dict):
            for value in found.values():
                yield from named(value)
        elif isinstance(found, list):
            for value in found:
                yield from named(value)
        elif isinstance(found, str) and (found in known or _MOMENT.fullmatch(found)):
            yield found

    events = [
        (type(planned.event), planned.due, list(named(planned.event.model_dump(mode="json"))))
        for planned in instance.hidden.events
        if not (may_lack and isinstance(planned.event, TriggeredEvent))  # comes with the answer
    ]
    return [instance.told.objective, instance.told.requester, instance.told.must_know_by, *events]


def differing(rule: str, seed: int, offset: int) -> list[tuple[object, object]]:
    """Return the open parts of the task and of one with another secret behind one of its clues."""
    plain = single_task_day(rule, seed)
    clues = plain.tasks[0].instance.hidden.clues
    changed = Variation(secret_seed_offsets={clues[seed % len(clues)].id: offset})
    pairs = zip(open_parts(plain), open_parts(single_task_day(rule, seed, changed)), strict=True)
    return [(one, other) for one, other in pairs if one != other]


@pytest.mark.parametrize("rule", COMPLICATED)
@quick_round.seeds(1, sweep=8)
def test_the_people_rooms_and_times_of_a_complication_do_not_depend_on_secrets(
    rule: str, seeds: range
) -> None:
    for seed in seeds:
        try:
            assert differing(rule, seed, 1) == [], seed
        except CompositionError:  # not every secret has another answer
            continue


def test_nobody_who_may_hold_a_clue_invites_to_a_meeting_that_clashes() -> None:
    for seed in range(60):
        for offset in (1, 2):
            assert differing(WEBSITE, seed, offset) == [], seed


def test_a_complication_says_that_it_needs_somebody_who_has_no_part_in_the_task() -> None:
    with pytest.raises(
        CompositionError, match=r"no part in T1, but everybody may have one; use a larg"
    ):
        compose_day(day(TaskSpec(rule=WEBSITE), seed=1, company_size=10))


def test_open_parts_are_drawn_once_however_often_the_secret_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = list[object]()

    def counted(*given: Any) -> Any:
        drawn.append(given)
        return draw_attendance_data(*given)

    monkeypatch.setattr(f"{attendance.__name__}.draw_attendance_data", counted)
    compose_day(day(TaskSpec(rule="attendance.total_absence_days.L2+old_minutes")))
    assert len(drawn) == 1


@pytest.mark.parametrize(
    ("rule", "purpose"),
    [
        ("attendance.total_absence_days.L2", "staff"),
        ("sales.top_sales_employee", "orders"),
        ("transactions.duplicate_invoice.s1", "payments"),
        ("event_planning.A1", "land"),
        ("ads_strategy.balanced.easy", "channels"),
    ],
)
def test_a_draft_of_a_week_and_the_week_share_what_is_drawn_openly(
    rule: str, purpose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, stream = list[str](), TaskContext.stream

    def noted(context: TaskContext, purpose: str) -> Random:
        opened.append(purpose)
        return stream(context, purpose)

    monkeypatch.setattr(TaskContext, "stream", noted)
    days = [DaySpec(name=other, tasks=(TaskSpec(rule=other),)) for other in (rule, "kb_fix.easy")]
    compose_day(day(days=days, week=True, arrival=Arrival.STREAMED))
    assert opened.count("places 1") == 2  # the task of the other family is drafted and composed
    assert opened.count(purpose) == 1


def test_tasks_with_complications_come_before_their_appointments() -> None:
    tasks = (
        TaskSpec(rule="meeting_attend.write.u1+clashing_invitation"),
        TaskSpec(rule="meeting_book.capacity.c1"),
        TaskSpec(rule="resume_select.pool12+busy_holder"),
    )
    for seed in range(4):
        composed = compose_day(day(*tasks, seed=seed, arrival=Arrival.STREAMED))
        for task in composed.tasks:
            known_by = task.instance.told.must_know_by
            assert known_by is None or task.arrives <= known_by
        timed = [task.arrives for task in composed.tasks]
        assert timed == sorted(timed)


async def test_nobody_knows_of_what_is_asked_for_before_the_request_changes() -> None:
    composed = compose_day(day(TaskSpec(rule="ads_strategy.balanced.hard+changed_request")))
    (task,) = composed.tasks
    (change,) = (
        planned
        for planned in task.instance.hidden.events
        if isinstance(planned.event, RequestChanged)
    )
    later = [
        clue
        for clue in task.instance.hidden.clues
        if clue.id not in task.instance.hidden.superseded
    ]
    assert later and change.due is not None
    staged = await stage_day(composed)
    async with staged.world as world:

        async def asked(at: datetime) -> str:
            await staged.call("desk_wait", {"until": f"{at:%H:%M}", "wake": False})
            said = []
            for clue in later:
                await staged.call("chat_send_message", {"to": clue.holder, "text": clue.asks[0]})
            until = await world.now() + timedelta(minutes=15)
            await staged.call("desk_wait", {"until": f"{until:%H:%M}", "wake": False})
            for clue in later:
                history = await staged.call("chat_read_history", {"peer": clue.holder})
                said += [
                    str(message["text"])
                    for message in history.data["messages"]
                    if message["answers"]
                ]
            return " ".join(said)

        before = await asked(change.due - timedelta(minutes=30))
        assert not any(clue.payload in before for clue in later)
        after = await asked(change.due)
        assert all(clue.payload in after for clue in later)


async def test_a_request_changes_after_it_came_however_late_that_is() -> None:
    cause = TaskSpec(rule="kb_fix.easy", arrives=time(13))
    later = TaskSpec(
        rule="resume_select.pool12+changed_request",
        follows=PublishAfter(task=cause.rule, when=Milestone.SUBMISSION),
    )
    done = await run_in_process("oracle", compose_day(day(cause, later)))
    assert done.grade.success


# tasks that follow others -----------------------------------------------------------------


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
"""The number of days of each pair and cause: 96 in all."""


def followers_day(cause: str, when: Milestone, rules: tuple[str, str], seed: int) -> ComposedDay:
    """Return a day on which two tasks follow *cause*, and facts of both are taken back."""
    follows = PublishAfter(task=cause, when=when)
    followers = (TaskSpec(rule=f"{rule}+retraction", follows=follows) for rule in rules)
    tasks = (TaskSpec(rule=cause), *followers)
    return day_with(*tasks, seed=seed, name="followers")


def takes_back(task: ComposedTask) -> set[str]:
    """Return the people who take back a fact of *task*."""
    holders = {clue.id: clue.holder for clue in task.instance.hidden.clues}
    events = (planned.event for planned in task.instance.hidden.events)
    return {holders[event.clue] for event in events if isinstance(event, ClueRevised)}


async def scores(composition: ComposedDay) -> dict[str, float | None]:
    async with staged(composition) as day:
        assert await day.work() == {}
        return {grade.task: grade.score for grade in await day.grades()}


@pytest.mark.parametrize(
    ("rules", "seed"),
    [(PAIRS[1], 0), (PAIRS[3], 0), (PAIRS[3], 7), (PAIRS[3], 8)],
)
async def test_a_retraction_for_one_follower_counts_for_no_other(
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
