"""The meeting family: on time means on time, and what is handed out counts to the cent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, time, timedelta
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.meta_tasks.days import day_with
from tests.meta_tasks.families.meeting_days import NAMES, RULES, SEEDS, WORKED, meeting_of, scene_of
from trainee_bench.meta_tasks.authoring.converters import format_euros, to_cents
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.company_documents import drive_files
from trainee_bench.meta_tasks.families.meeting_attend import MeetingAttend, MeetingTaskType
from trainee_bench.meta_tasks.families.meeting_attend.brief import RULES_PATH
from trainee_bench.meta_tasks.families.meeting_attend.data import draw_decisions, draw_requests
from trainee_bench.meta_tasks.families.meeting_attend.subject import (
    ITEM_CATALOGUE,
    LIMITS,
    PurchaseRequest,
    RuleBreach,
)
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.company.people import create_company
from trainee_bench.world.meetings.rooms import room_capacity

# the rules -------------------------------------------------------------------------------


def test_fifteen_rules_of_which_those_that_check_are_hard() -> None:
    assert len(RULES) == 15
    assert RULES[0] == "meeting_attend.none.u1" and RULES[-1] == "meeting_attend.check_sum.u3"
    hard = {rule.id for rule in MeetingAttend.rules() if rule.difficulty is Difficulty.HARD}
    assert hard == {
        f"meeting_attend.{kind}.u{u}" for kind in ("check", "check_sum") for u in (1, 2, 3)
    }


@pytest.mark.parametrize("kind", list(MeetingTaskType))
@pytest.mark.parametrize("level", [1, 2, 3])
def test_published_entries_give_the_rule_at_their_time(kind: str, level: int) -> None:
    entry: dict[str, JsonValue] = {
        "meeting_start_time": "2025-10-01T09:30:00",
        "meeting_last_time": 1.5,
        "task_type": kind,
        "task_level": level,
    }
    made = MeetingAttend.from_published(entry)
    assert made.rule_id == f"meeting_attend.{kind}.u{level}"
    assert (made.starts, made.hours) == (time(9, 30), 1.5)
    meeting = meeting_of(scene_of(made.rule_id, 5, starts=made.starts, hours=made.hours))
    assert (meeting.starts.time(), meeting.ends.time()) == (time(9, 30), time(11))


@pytest.mark.parametrize(
    "change",
    [{"task_type": "sing"}, {"task_level": 4}, {"meeting_start_time": "soon"}, {"colour": "red"}],
)
def test_other_published_entries_are_refused(change: Mapping[str, JsonValue]) -> None:
    entry: dict[str, JsonValue] = {
        "meeting_start_time": "2025-10-01T10:00:00",
        "meeting_last_time": 0.5,
        "task_type": "sum",
        "task_level": 1,
    }
    with pytest.raises(ValueError, match=next(iter(change))):
        MeetingAttend.from_published(entry | dict(change))


@pytest.mark.parametrize("rule", RULES)
def test_process_points_count_with_the_list_only(rule: str) -> None:
    marks = all_rules()[rule].meta_task.checkpoints()
    process = [mark for mark in marks if mark.only_with]
    assert [mark.name for mark in process] == ["punctual", "present"]
    assert {mark.only_with for mark in process} == {marks[0].name}


def test_totals_and_the_grand_total_are_graded_if_and_only_if_they_are_asked_for() -> None:
    for rule in RULES:
        names = {mark.name for mark in all_rules()[rule].meta_task.checkpoints()}
        (clue,) = scene_of(rule, 3).hidden.clues
        asked = {"totals_right": "`total`", "grand_total_right": "`total_cost`"}
        for name, field in asked.items():
            assert (name in names) is (field in clue.payload) is ("sum" in rule)


# the draws -------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32), people=st.integers(4, 7), unreasonable=st.integers(1, 3))
def test_so_many_wishes_as_said_break_one_rule_each_and_all_others_none(
    seed: int, people: int, unreasonable: int
) -> None:
    names = [f"Person {number}" for number in range(people)]
    wishes = draw_requests(Random(seed), names, unreasonable)
    assert sorted(wish.name for wish in wishes) == names
    broken = [wish.breaches() for wish in wishes if wish.breaches()]
    assert len(broken) == unreasonable
    assert all(len(breaches) == 1 for breaches in broken)
    assert len(frozenset().union(*broken)) == unreasonable
    for wish in wishes:
        assert wish.item in {item.name for item in ITEM_CATALOGUE}
        assert wish.quantity >= 1 and wish.price >= 100 and wish.price % 10 == 0


@given(seed=st.integers(0, 2**32), count=st.integers(1, 3))
def test_decisions_are_about_different_things_and_due_in_time(seed: int, count: int) -> None:
    today = date(2025, 10, 1)
    decisions = draw_decisions(Random(seed), NAMES, count, today)
    assert len({decision.topic for decision in decisions}) == count
    for decision in decisions:
        assert decision.owner in NAMES
        assert today + timedelta(days=14) <= decision.due <= today + timedelta(days=70)
        assert decision.budget >= 400


def test_every_kind_of_breach_occurs_alone_often() -> None:
    kinds = Counter(
        breach
        for seed in range(300)
        for wish in draw_requests(Random(seed), NAMES, 1)
        for breach in wish.breaches()
    )
    assert set(kinds) == set(RuleBreach)
    assert min(kinds.values()) > 60


def test_the_limits_are_those_that_the_rules_on_the_drive_state() -> None:
    text = drive_files()[RULES_PATH]
    assert f"at most {LIMITS.pieces} pieces" in text
    assert f"at most EUR {LIMITS.price / 100:,.2f}" in text
    assert f"at most EUR {LIMITS.total / 100:,.2f}" in text


@pytest.mark.parametrize("wish", WORKED, ids=lambda wish: wish.name)
def test_the_worked_example_breaks_just_the_rules_calculated_by_hand(wish: PurchaseRequest) -> None:
    breaches, total = WORKED[wish]
    assert wish.breaches() == breaches
    assert wish.total == total


def test_the_limits_themselves_are_within_the_rules() -> None:
    assert not PurchaseRequest("Ada Quist", "desk lamp", LIMITS.pieces, 45_00).breaches()
    assert not PurchaseRequest("Ada Quist", "portable projector", 1, LIMITS.price).breaches()
    assert not PurchaseRequest("Ada Quist", "portable projector", 2, LIMITS.total // 2).breaches()


def test_amounts_are_written_as_one_reads_them() -> None:
    assert [format_euros(amount) for amount in (5, 74_90, 1_000_00)] == [
        "EUR 0.05",
        "EUR 74.90",
        "EUR 1000.00",
    ]


@given(st.integers(0, 10**8), st.integers(1, 9))
def test_cents_survive_the_error_of_binary_numbers_and_nothing_else(
    amount: int, count: int
) -> None:
    assert to_cents(amount / 100 * count) == amount * count
    assert to_cents(amount / 100 + 0.004) is None


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -float("inf"), 1e300])
def test_a_number_that_is_no_amount_has_no_cents(amount: float) -> None:
    assert to_cents(amount) is None


# the scene -------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_the_objective_tells_room_and_hours_and_nothing_of_the_assignment(rule: str) -> None:
    for seed in range(10):
        instance = scene_of(rule, seed)
        meeting = meeting_of(instance)
        for told in (meeting.room, f"{meeting.starts:%H:%M}", f"{meeting.ends:%H:%M}"):
            assert told in instance.told.objective
        told_openly = (instance.told.title, instance.told.objective, meeting.title, meeting.agenda)
        open_words = "\n".join((*told_openly, meeting.minutes_text)).casefold()
        hidden = [
            "json",
            "drive:",
            "workspace:",
            "request",
            "requests",
            "decision",
            "eur",
            "procurement",
        ]
        hidden += [item.name.casefold() for item in ITEM_CATALOGUE]
        assert not [word for word in hidden if re.search(rf"\b{re.escape(word)}", open_words)]


def test_the_format_is_announced_with_the_model_that_grades_it() -> None:
    for rule in RULES:
        made = all_rules()[rule].meta_task
        assert isinstance(made, MeetingAttend)
        instance = scene_of(rule, 2)
        assert made.type.model.describe() in instance.hidden.clues[0].payload
        assert instance.graded.truth.path in instance.hidden.clues[0].payload
        assert (RULES_PATH in instance.hidden.clues[0].payload) is made.type.checks_rules


def test_each_line_of_the_announcement_is_one_request() -> None:
    instance = scene_of("meeting_attend.check.u2", 7)
    lines = [line for line in instance.hidden.clues[0].payload.splitlines() if " asks for " in line]
    assert lines == [
        f"- {w.name} asks for {w.quantity} x “{w.item}” at {format_euros(w.price)} each."
        for w in instance.graded.truth.wishes
    ]


@pytest.mark.parametrize("size", [10, 12, 20, 50, 120, 500])
def test_teams_of_companies_of_every_size_have_somebody_whose_request_is_in_order(
    size: int,
) -> None:
    for seed in range(6):
        instance = scene_of("meeting_attend.check.u3", seed, size)
        meeting = meeting_of(instance)
        assert instance.graded.truth.listed
        people = [meeting.organizer, *meeting.attendees]
        assert len(set(people)) == len(people)
        assert room_capacity(meeting.room) >= len(people)


def test_the_usual_company_meets_by_department_with_its_manager() -> None:
    hosts = set()
    for seed in SEEDS:
        company = create_company(seed)
        meeting = meeting_of(scene_of("meeting_attend.write.u1", seed))
        people = {person.id: person for person in company.people}
        host = people[meeting.organizer]
        team = [people[person] for person in meeting.attendees[:-1]]
        assert host.is_manager
        assert {person.department for person in team} == {host.department}
        assert all(not person.is_manager for person in team)
        assert meeting.attendees[-1] == company.trainee.id
        hosts.add(host.department)
    assert hosts == {"Marketing", "Product"}


def test_hours_rooms_and_answers_vary_with_the_seed() -> None:
    scenes = [scene_of("meeting_attend.check_sum.u2", seed) for seed in range(200)]
    meetings = [meeting_of(instance) for instance in scenes]
    assert {meeting.starts.time() for meeting in meetings} == {time(9), time(9, 30), time(10)}
    assert {(meeting.ends - meeting.starts) / timedelta(hours=1) for meeting in meetings} == {
        0.5,
        1.0,
        1.5,
        2.0,
    }
    assert len({meeting.room for meeting in meetings}) >= 4
    answers = Counter(tuple(sorted(instance.graded.truth.listed, key=repr)) for instance in scenes)
    assert answers.most_common(1)[0][1] == 1


def test_two_meetings_on_one_day_do_not_overlap_and_have_files_of_their_own() -> None:
    day = day_with("meeting_attend.sum.u1", RULES[3], RULES[4], seed=5)
    meetings = sorted((meeting_of(task.instance) for task in day.tasks), key=lambda one: one.starts)
    for earlier, later in pairwise(meetings):
        assert earlier.ends < later.starts
    assert len({path for task in day.tasks for path in task.instance.told.deliverable_paths}) == 3


def test_meetings_fixed_to_one_hour_do_not_go_together() -> None:
    at_nine: dict[str, JsonValue] = {"starts": "09:00", "hours": 1}
    tasks = [TaskSpec(rule=rule, parameters=at_nine) for rule in RULES[:2]]
    with pytest.raises(CompositionError, match=r"T2 .*hour"):
        day_with(*tasks, seed=5)


def test_a_meeting_ends_in_time_for_an_early_deadline_or_not_at_all() -> None:
    for minute in (10, 40):
        day = day_with(TaskSpec(rule=RULES[4], deadline=time(10, minute)), seed=5)
        meeting = meeting_of(day.tasks[0].instance)
        assert meeting.ends + timedelta(minutes=20) <= day.tasks[0].deadline
    with pytest.raises(CompositionError, match="09:15"):
        day_with(TaskSpec(rule=RULES[4], deadline=time(9, 15)), seed=5)


def test_a_streamed_task_is_known_before_its_meeting_begins() -> None:
    for seed in SEEDS:
        instance = scene_of(RULES[6], seed)
        assert instance.told.must_know_by is not None
        assert instance.told.must_know_by < meeting_of(instance).starts
