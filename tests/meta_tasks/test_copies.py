"""Any rule may come any number of times in one world: names, files, facts and hours never collide,
a question is answered for the task that it names, and the honest worker completes every copy."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import combinations
from random import Random

import pytest
from hypothesis import Phase, given, reject, settings
from hypothesis import strategies as st

from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.meta_tasks.catalog import built_in_rules
from trainee_bench.meta_tasks.composition import ComposedDay, ComposedTask, compose_day
from trainee_bench.meta_tasks.families.website_analysis.brief import OWNER_OF_PAGE
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.told_apart import note_on
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.apps.files import FileAppears, PictureAppears
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.understanding import (
    Intent,
    QuestionInterpreter,
    Topic,
    hear,
)
from trainee_bench.world.colleagues.understanding.ids import IdKind, id_kind
from trainee_bench.world.monitoring.website import PAGE_PATHS

WEBSITE, RESUMES, CAMPAIGN = (
    "website_analysis.slow_page",
    "resume_select.pool6",
    "ads_strategy.balanced.very_easy",
)
DAILY = sorted(rule for rule in built_in_rules() if not rule.startswith(("week.", "meeting_")))
MEETINGS = sorted(rule for rule in built_in_rules() if rule.startswith("meeting_"))
DUTIES = sorted(rule for rule in built_in_rules() if rule.startswith("week."))
PEOPLE = 400


def copies(*days: Sequence[str], seed: int = 1, **more: object) -> Scenario:
    """Return a scenario of these *days* in which any rule may come any number of times."""
    specs = [
        DaySpec(name=f"day_{number}", tasks=tuple(TaskSpec(rule=rule) for rule in rules))
        for number, rules in enumerate(days, start=1)
    ]
    fields = {"company_size": PEOPLE, "week": len(days) > 1, "copies": True, **more}
    return Scenario.model_validate({"name": "alike", "seed": seed, "days": specs, **fields})


def mixed(tasks: int, seed: int) -> Scenario:
    """Return a world of *tasks* drawn from all rules, at about eight a day."""
    draws, count = Random(seed), max(2, -(-tasks // 8))
    days: list[list[str]] = [[] for _ in range(count)]
    for number in range(tasks):
        place = number % count
        appointed = [rule for rule in days[place] if rule.startswith("meeting_")]
        pools = [DAILY] if appointed else [DAILY, DAILY, MEETINGS]
        if place % 5 == 0 and len(days) >= place + 5:
            pools.append(DUTIES if not any(rule in DUTIES for rule in days[place]) else DAILY)
        website = sum(rule.startswith("website") for rule in days[place])
        pool = [
            rule for rule in draws.choice(pools) if website < 3 or not rule.startswith("website")
        ]
        days[place].append(draws.choice(pool))
    return copies(*days, seed=seed)


def staged(task: ComposedTask) -> Iterator[str]:
    """Yield the paths of the files that come with *task* alone."""
    for planned in task.instance.hidden.events:
        match planned.event:
            case PictureAppears(path=path) | FileAppears(path=path, once=False):
                if not path.startswith("drive:/handbook/"):
                    yield path
            case _:
                pass


def appointments(composed: ComposedDay) -> Iterator[tuple[str, str, datetime, datetime]]:
    """Yield the task, room, start and end of each meeting of the employee."""
    me = composed.company.trainee.id
    for task in composed.tasks:
        for planned in task.instance.hidden.events:
            event = planned.event
            if isinstance(event, MeetingBooked) and me in event.attendees:
                yield task.id, event.room, event.starts, event.ends


def check_rooms_and_hours(composed: ComposedDay) -> None:
    """Check that no two meetings are in one room at once, and that all are in working hours."""
    planned = (planned for task in composed.tasks for planned in task.instance.hidden.events)
    booked = [plan.event for plan in planned if isinstance(plan.event, MeetingBooked)]
    for one, other in combinations(booked, 2):
        apart = one.ends <= other.starts or other.ends <= one.starts
        assert apart or one.room != other.room, (one, other)
    for meeting in booked:
        hours = (day for day in composed.days if day.starts.date() == meeting.starts.date())
        assert any(day.starts <= meeting.starts and meeting.ends <= day.ends for day in hours)


def check_nothing_collides(composed: ComposedDay) -> None:
    """Check that no two tasks of a world share a file, a fact, a code, a room or an hour."""
    check_rooms_and_hours(composed)
    owners: dict[str, set[str]] = defaultdict(set)
    for task in composed.tasks:
        for path in {*staged(task), *task.instance.told.deliverable_paths}:
            owners[path].add(task.id)
    assert {path: tasks for path, tasks in owners.items() if len(tasks) > 1} == {}
    clues = [clue for task in composed.tasks for clue in task.instance.hidden.clues]
    assert len({clue.id for clue in clues}) == len(clues)
    codes: dict[str, set[str]] = defaultdict(set)
    for task in composed.tasks:
        assert note_on(task.id) in task.instance.told.objective
        for clue in task.instance.hidden.clues:
            if clue.asks:
                assert task.id in clue.keys
                assert all(f"({task.id})" in ask for ask in clue.asks)
            if not task.rule.startswith("website"):  # its servers ail again on other days
                for key in clue.keys:
                    if id_kind(key) is IdKind.CODE:
                        codes[key].add(task.id)
    assert {code: tasks for code, tasks in codes.items() if len(tasks) > 1} == {}
    for one, other in combinations(appointments(composed), 2):
        apart = one[3] <= other[2] or other[3] <= one[2]
        assert apart or one[0] == other[0], (one, other)


@settings(max_examples=3, phases=[Phase.generate], deadline=None)
@given(tasks=st.sampled_from((16, 40)), seed=st.integers(0, 10_000))
def test_nothing_collides_in_mixed_worlds(tasks: int, seed: int) -> None:
    try:
        composed = compose_day(mixed(tasks, seed))
    except CompositionError as error:
        if "finds no hour" not in str(error):
            raise
        reject()  # a day has only so many hours for meetings
    assert len(composed.tasks) == tasks
    check_nothing_collides(composed)


def test_nothing_collides_among_128_tasks() -> None:
    composed = compose_day(mixed(128, 3))
    assert len(composed.tasks) == 128
    check_nothing_collides(composed)


@pytest.mark.parametrize(
    "rule",
    [
        "ads_strategy.balanced.very_easy+wrong_colleague",
        "attendance.total_absence_days.L3+truncated_file",
        "data_completion.transactions.tax_fee.easy+disagreeing_records",
        "event_planning.C2_cost+busy_holder",
        "kb_fix.away.medium+receipt_wanted",
        "meeting_attend.sum.u1",
        "meeting_book.department.c2",
        "resume_select.pool9+split_knowledge",
        "sales.per_dept_top_n+policy_change",
        "transactions.n2.a1+outside_mail",
        "website_analysis.slow_page",
    ],
)
def test_a_rule_comes_sixteen_times_in_eight_days(rule: str) -> None:
    composed = compose_day(copies(*[[rule] * 2] * 8))
    assert len(composed.tasks) == 16
    check_nothing_collides(composed)
    truths = [repr(task.instance.graded.truth) for task in composed.tasks]
    assert len(set(truths)) == 16  # no list of guesses is right for several


@pytest.mark.parametrize("rule", DUTIES)
def test_a_duty_comes_again_in_each_week(rule: str) -> None:
    twice = 1 if rule == "week.appointment" else 2
    composed = compose_day(copies(*([rule] * twice, [], [], [], []) * 3))
    assert len(composed.tasks) == 3 * twice
    check_nothing_collides(composed)
    truths = [task.instance.graded.truth for task in composed.tasks]
    mails = [(mail.subject, mail.by) for truth in truths for mail in truth.mails.values()]
    assert len({subject for subject, _ in mails}) == len(truths)


def test_one_talk_fits_into_a_week() -> None:
    with pytest.raises(CompositionError, match="the talk on Thursday in the week of 2025-10-06"):
        compose_day(copies(["week.appointment"] * 2, [], [], [], []))


def test_only_half_of_the_website_is_slow_at_a_time() -> None:
    with pytest.raises(CompositionError, match="at most 4 pages"):
        compose_day(copies([WEBSITE] * 5, [WEBSITE]))


def test_nobody_whom_one_task_makes_late_is_asked_for_the_meeting_of_another() -> None:
    busy = "attendance.total_absence_days.L3+busy_holder"
    composed = compose_day(copies([busy] * 3 + ["meeting_book.manager.c3"], [], company_size=120))
    *others, meeting = composed.tasks
    late = {
        planned.event.person
        for task in others
        for planned in task.instance.hidden.events
        if isinstance(planned.event, AbsenceBegins)
    }
    assert late and late.isdisjoint(clue.holder for clue in meeting.instance.hidden.clues)


def test_the_order_of_the_listing_does_not_matter() -> None:
    scenario = mixed(24, 5)
    turned = tuple(
        day.model_copy(update={"tasks": tuple(reversed(day.tasks))}) for day in scenario.days
    )
    one, other = compose_day(scenario), compose_day(scenario.model_copy(update={"days": turned}))
    assert [(task.id, task.instance) for task in one.tasks] == [
        (task.id, task.instance) for task in other.tasks
    ]


def test_without_copies_nothing_is_said_about_ids() -> None:
    scenario = copies([RESUMES], [RESUMES], copies=False, company_size=50)
    composed = compose_day(scenario)
    for task in composed.tasks:
        assert note_on(task.id) not in task.instance.told.objective
        assert not any(task.id in clue.keys for clue in task.instance.hidden.clues)
    assert "copies" not in scenario.model_dump()


def test_a_question_is_answered_for_the_task_that_it_names_and_asked_back_without_a_name() -> None:
    composed = compose_day(copies([WEBSITE, WEBSITE], [CAMPAIGN]))
    topics = [
        Topic(clue.id, clue.asks, clue.keys)
        for task in composed.tasks[:2]
        for clue in task.instance.hidden.clues
        if clue.id.endswith("/owner")
    ]
    keeper = QuestionInterpreter(topics)
    for topic in topics:
        task = topic.id.partition("/")[0]
        for words in (
            topic.asks[0],
            f"Hi, who is on call for the website today, for {task}?",
            f"{task}: whom do I tell about the slow page?",
            f"Which engineer looks after our website today ({task})?",
        ):
            understood = keeper.understand(hear(words))
            assert topic.id in understood.topics, words
            assert understood.topics == (topic.id,), words
    open_question = keeper.understand(hear("Who is on call for the website today?"))
    assert open_question.intent is Intent.DOUBTFUL
    assert set(open_question.topics) == {topic.id for topic in topics}
    other = keeper.understand(hear("Who is on call for the website today (T7)?"))
    assert other.intent is not Intent.CLEAR
    for words in ("T2", "I mean T2.", "The one for T2, please"):
        settled = keeper.understand(hear(words), asked_back=open_question.topics)
        assert (settled.intent, settled.topics) == (Intent.CLEAR, ("T2/owner",)), words


@pytest.mark.parametrize("page", PAGE_PATHS)
def test_a_page_is_understood_whatever_its_path_means_as_a_word(page: str) -> None:
    pages = (page, next(other for other in PAGE_PATHS if other != page))
    topics = [
        Topic(
            f"T{number}/owner",
            tuple(f"{ask.format(page=path)} (T{number})" for ask in OWNER_OF_PAGE.questions),
            (path, f"T{number}"),
        )
        for number, path in enumerate(pages, start=1)
    ]
    keeper = QuestionInterpreter(topics)
    for words in (*topics[0].asks, f"T1: who is responsible for {page} today, please?"):
        understood = keeper.understand(hear(words))
        assert (understood.intent, understood.topics) == (Intent.CLEAR, ("T1/owner",)), words


PLAIN = (
    (WEBSITE, WEBSITE, RESUMES, "kb_fix.away.easy"),
    (WEBSITE, RESUMES, CAMPAIGN, "event_planning.C2_cost"),
    (RESUMES, "meeting_attend.sum.u1", "event_planning.C2_cost"),
)
WITH_DUTIES = (
    ("week.claims", "week.claims", "week.rota", f"{CAMPAIGN}+wrong_colleague"),
    ("kb_fix.away.easy+receipt_wanted",) * 2,
    ("sales.per_dept_top_n+policy_change",) * 2,
    ("attendance.total_absence_days.L3+truncated_file",) * 2,
    ("data_completion.transactions.tax_fee.easy+hidden_instructions",) * 2,
)


@pytest.mark.parametrize("days", [PLAIN, WITH_DUTIES], ids=["plain", "with duties"])
def test_the_honest_worker_completes_all_copies(days: Sequence[Sequence[str]]) -> None:
    scenario = copies(*days)
    result = asyncio.run(run_in_process("oracle", compose_day(scenario)))
    missed = [
        (grade.task, check.name, check.seen)
        for grade in result.grade.tasks
        for check in grade.checkpoints
        if not check.passed
    ]
    assert missed == []
    assert result.grade.score == 1


@pytest.mark.parametrize("cheat", ["sprayer", "empty_files", "input_copies", "canned_replies"])
def test_cheats_gain_nothing_by_the_number_of_copies(cheat: str) -> None:
    scenario = copies([RESUMES] * 3, [WEBSITE] * 3, [CAMPAIGN] * 3)
    result = asyncio.run(run_in_process(cheat, compose_day(scenario)))
    assert result.grade.score == 0
