"""The context of families: streams, things that a day has only once, and absent people."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest

from tests.meta_tasks.days import Calls
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.absences import check_holders_present, mark_absent, without_absent
from trainee_bench.meta_tasks.authoring.meetings import find_invitation, reserve_hours
from trainee_bench.meta_tasks.meta_task import (
    GradedPart,
    HiddenPart,
    Hints,
    PlannedEvent,
    TaskInstance,
    ToldPart,
)
from trainee_bench.meta_tasks.task_context import CompositionError, DayReservations, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.knowledge import Clue, Expectation
from trainee_bench.world.company.people import create_company
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.transaction import WorkingDay

START = datetime(2025, 10, 1, 8)
DAY = WorkingDay(START, START + timedelta(hours=12))
COMPANY = create_company("stage")


def context(task: str, commons: DayReservations, **changes: object) -> TaskContext:
    made = {"key": (1, "s", 0, "rule", task), "secret_seed_offsets": {}} | changes
    return TaskContext(
        task=task,
        company=COMPANY,
        day=DAY,
        deadline=DAY.ends,
        reservations=commons,
        **made,  # type: ignore[arg-type]
    )


def test_a_salt_changes_the_secret_of_its_clue_and_nothing_else() -> None:
    plain = context("T1", DayReservations())
    twisted = context("T1", DayReservations(), secret_seed_offsets={"code": 1})
    assert plain.secret_stream("code").random() != twisted.secret_stream("code").random()
    assert plain.secret_stream("owner").random() == twisted.secret_stream("owner").random()
    assert plain.stream("people").random() == twisted.stream("people").random()


def test_a_secret_and_an_open_stream_of_one_name_are_independent() -> None:
    plain = context("T1", DayReservations())
    assert plain.secret_stream("code").random() != plain.stream("code").random()


def test_a_second_task_that_wants_a_taken_file_gets_the_next_free_name() -> None:
    commons = DayReservations()
    first, second = context("T1", commons), context("T2", commons)
    assert first.reserve_path("workspace:/report.json") == "workspace:/report.json"
    assert second.reserve_path("workspace:/report.json") == "workspace:/report_2.json"
    assert first.reserve_path("workspace:/report.json") == "workspace:/report.json"


def test_a_unique_thing_can_be_claimed_by_one_task_only() -> None:
    commons = DayReservations()
    context("T1", commons).claim("the monitor")
    context("T1", commons).claim("the monitor")
    with pytest.raises(CompositionError, match="T1 and T2 both need the monitor"):
        context("T2", commons).claim("the monitor")


def test_two_meetings_of_the_employee_never_overlap_and_leave_ten_minutes_between() -> None:
    commons = DayReservations()
    nine = datetime(2025, 10, 1, 9)
    starts = [nine + timedelta(minutes=30 * n) for n in range(4)]
    _, _, first_end = context("T1", commons).reserve_meeting_slot(starts, 30)
    _, second, _ = context("T2", commons).reserve_meeting_slot(starts, 30)
    assert second - first_end >= timedelta(minutes=10)


def test_a_fixed_hour_that_is_taken_is_refused_with_the_tasks_name() -> None:
    commons = DayReservations()
    nine = [datetime(2025, 10, 1, 9)]
    context("T1", commons).reserve_meeting_slot(nine, 60)
    with pytest.raises(CompositionError, match="T2 needs a working hour"):
        context("T2", commons).reserve_meeting_slot(nine, 60)


def test_an_hour_outside_the_working_day_is_never_taken() -> None:
    here = context("T1", DayReservations())
    for start in (DAY.starts - timedelta(hours=1), DAY.ends - timedelta(minutes=30)):
        with pytest.raises(CompositionError, match="T1 needs a working hour"):
            here.reserve_meeting_slot([start], 60)
        _, taken, _ = here.reserve_meeting_slot([start, DAY.starts], 60)
        assert taken == DAY.starts
        here = context("T1", DayReservations())


def test_a_meeting_takes_a_room_of_the_company() -> None:
    room, starts, ends = context("T1", DayReservations()).reserve_meeting_slot(
        [datetime(2025, 10, 1, 9)], 60
    )
    assert room in ROOMS
    assert ends - starts == timedelta(hours=1)


def test_people_are_picked_without_repetition_and_too_few_are_refused() -> None:
    here = context("T1", DayReservations())
    managers = COMPANY.staff(department="Engineering", manager=True)
    assert len(set(here.pick("approvers", managers, 3))) == 3
    with pytest.raises(CompositionError, match="needs 4 people"):
        here.pick("approvers", managers, 4)


@pytest.mark.parametrize(
    ("path", "next_free"),
    [
        ("workspace:/notes", "workspace:/notes_2"),
        ("drive:/v1.2/notes", "drive:/v1.2/notes_2"),
        ("workspace:/.hidden", "workspace:/.hidden_2"),
        ("workspace:/a.tar.gz", "workspace:/a.tar_2.gz"),
    ],
)
def test_a_number_goes_before_the_ending_of_the_name_and_nowhere_else(
    path: str, next_free: str
) -> None:
    commons = DayReservations()
    first, second = context("T1", commons), context("T2", commons)
    assert first.reserve_path(path) == path
    assert second.reserve_path(path) == next_free


def test_claim_if_free_gives_a_thing_to_the_first_task_and_refuses_nobody() -> None:
    commons = DayReservations()
    assert context("T1", commons).claim_if_free("the rates of Sales_1")
    assert context("T1", commons).claim_if_free("the rates of Sales_1")
    assert not context("T2", commons).claim_if_free("the rates of Sales_1")


def test_people_without_the_role_go_first_and_a_small_company_takes_them_again() -> None:
    commons = DayReservations()
    one, other, *_ = COMPANY.people
    context("T1", commons).claim_role(one, "a deputy")
    second = context("T2", commons)
    assert second.prefer_unclaimed([one, other], "a deputy") == [other]
    assert second.prefer_unclaimed([one, other], "a guest") == [one, other]
    assert second.prefer_unclaimed([one], "a deputy") == [one]


def test_ids_are_drawn_by_task_and_purpose_and_no_two_of_a_day_are_the_same() -> None:
    def ids(commons: DayReservations, key: str) -> list[str]:
        tasks = [context(task, commons, key=(key,)) for task in ("T1", "T2")]
        return [task.fresh_id("INV", str(n)) for task in tasks for n in range(50)]

    found = ids(DayReservations(), "one")
    assert found == ids(DayReservations(), "one") != ids(DayReservations(), "other")
    assert len(set(found)) == 100  # although both tasks draw from the same stream
    assert all(re.fullmatch(r"INV-\d{6}", id) for id in found)


# hours of meetings ------------------------------------------------------------------------


RULE = "meeting_attend.none.u1"


def test_a_shorter_meeting_is_taken_where_the_longer_one_does_not_fit() -> None:
    second = context("T2", DayReservations())
    ten = second.day.starts.replace(hour=10)
    second.reservations.busy.append((ten + timedelta(hours=1), ten + timedelta(hours=2), "T1"))
    room, starts, ends = reserve_hours(second, [60, 30], lambda minutes: [ten], ["Room_03"])
    assert (room, starts, ends) == ("Room_03", ten, ten + timedelta(minutes=30))


def test_a_day_without_a_free_hour_is_refused_with_the_deadline() -> None:
    second = context("T2", DayReservations())
    with pytest.raises(CompositionError, match=f"T2 .* before {second.deadline:%H:%M}"):
        reserve_hours(second, [60, 30], lambda minutes: [])


async def test_an_invitation_is_found_by_room_and_start_only() -> None:
    day = await stage_day(single_task_day(RULE, 1))
    (planned,) = day.composition.tasks[0].instance.hidden.events
    meeting = planned.event
    assert isinstance(meeting, MeetingBooked)
    async with day.world:
        client = Calls(day)
        assert await find_invitation(client, meeting.room, meeting.starts) == 1
        with pytest.raises(ToolFailed, match="no meeting"):
            await find_invitation(client, meeting.room, meeting.starts + timedelta(minutes=1))


# who is away ------------------------------------------------------------------------------


ONE, OTHER, *_ = COMPANY.people


def instance(
    *events: PlannedEvent, clues: tuple[Clue, ...] = (), expects: str = ""
) -> TaskInstance[None]:
    expectation = Expectation(id="T2/code", holder=expects, values=(("x",),), reply="Good.")
    return TaskInstance(
        ToldPart(title="", objective="", hints=Hints("", "", "")),
        HiddenPart(clues=clues, expectations=(expectation,) if expects else (), events=events),
        GradedPart(None),
    )


def test_absent_people_are_left_out_by_tasks_composed_later() -> None:
    commons = DayReservations()
    assert without_absent(context("T1", commons), (ONE, OTHER)) == [ONE, OTHER]
    mark_absent(context("T1", commons), ONE)
    assert without_absent(context("T2", commons), (OTHER, ONE)) == [OTHER]


def test_two_tasks_cannot_both_send_somebody_away() -> None:
    commons = DayReservations()
    mark_absent(context("T1", commons), ONE)
    with pytest.raises(CompositionError, match=ONE.id):
        mark_absent(context("T2", commons), ONE)


@pytest.mark.parametrize("hears", [True, False])
def test_a_day_on_which_somebody_away_has_to_answer_is_refused(hears: bool) -> None:
    away = instance(
        PlannedEvent(AbsenceBegins(person=ONE.id, until=DAY.starts + timedelta(days=1)))
    )
    clue = Clue(id="T2/clue", holder="" if hears else ONE.id, payload="It is so.")
    needs = instance(clues=(clue,), expects=ONE.id if hears else "")
    with pytest.raises(CompositionError, match="is away that day"):
        check_holders_present([(needs, (DAY,)), (away, (DAY,))])
    fine = instance(clues=(clue.model_copy(update={"holder": OTHER.id}),), expects=OTHER.id)
    check_holders_present([(fine, (DAY,)), (away, (DAY,))])


def test_a_colleague_who_comes_back_during_the_day_can_answer() -> None:
    busy = instance(
        PlannedEvent(AbsenceBegins(person=ONE.id, until=DAY.starts + timedelta(hours=2)))
    )
    clue = Clue(id="T2/clue", holder=ONE.id, payload="It is so.")
    check_holders_present([(instance(clues=(clue,)), (DAY,)), (busy, (DAY,))])
