"""The score of a booked meeting: exactly the right people, hour and room, or nothing."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from tests import quick_round
from tests.meta_tasks.days import graded, hear_everything, passed, staged, truth_of
from tests.meta_tasks.families.booking_days import KINDS, RULES, attend, book
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.families.meeting_book import compute_truth
from trainee_bench.meta_tasks.families.meeting_book.brief import Answer, AnswerKind
from trainee_bench.meta_tasks.families.meeting_book.data import (
    EQUIPMENT,
    Answers,
    room_list,
    smallest_rooms,
)
from trainee_bench.meta_tasks.families.meeting_book.subject import (
    NEEDS,
    MeetingSlot,
    Participants,
    StartShift,
)
from trainee_bench.meta_tasks.grade import feedback
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.meetings.rooms import ROOMS

OUTCOMES = {
    "manager": {"coming_right", "named_right"},
    "department": {"coming_right", "named_right"},
    "capacity": {"guests_right", "room_right"},
    "moved": {"guests_right", "time_right"},
}
PROCESS = {"answered", "asked_first", "punctual"}


def ready(kind: str, seed: int = 4, count: int = 2) -> AbstractAsyncContextManager[StagedDay]:
    """A day of that kind, with all answers there and all messages read."""
    return staged(f"meeting_book.{kind}.c{count}", seed, told=True)


# other ways of working --------------------------------------------------------------------


@pytest.mark.parametrize("kind", quick_round.quick_first(KINDS))
async def test_other_ways_to_do_it_right_pass_and_ways_to_do_it_wrong_fail(kind: str) -> None:
    claim = await certify_mutants(f"meeting_book.{kind}.c2", range(1))
    assert claim.holds, claim.broken


# what is graded --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_a_meeting_with_all_it_needs_earns_all(kind: str) -> None:
    async with ready(kind) as day:
        meeting = await book(day)
        assert await passed(day) == OUTCOMES[kind] | {"answered", "asked_first"}
        await attend(day, meeting, truth_of(day).starts)
        assert (await graded(day)).success


@pytest.mark.parametrize("kind", KINDS)
async def test_an_agent_that_invites_only_those_to_ask_and_attends_on_time_earns_nothing(
    kind: str,
) -> None:
    async with ready(kind) as day:
        truth = truth_of(day)
        meeting = await book(day, truth.asked)
        await attend(day, meeting, truth.starts)
        assert (await graded(day)).score == 0


@pytest.mark.parametrize("kind", KINDS)
async def test_a_guest_too_many_or_too_few_loses_what_it_concerns(kind: str) -> None:
    truth = truth_of(single_task_day(f"meeting_book.{kind}.c2", 4))
    right = truth.comes | truth.named
    ours, theirs = sorted(truth.comes)[0], sorted(truth.named)[0]
    stranger = next(
        person.id
        for person in single_task_day(f"meeting_book.{kind}.c2", 4).company.people
        if person.department == "Executive"
    )
    split = kind in ("manager", "department")
    for guests, left in (
        (right - {ours}, {"named_right"}),
        (right - {theirs}, {"coming_right"}),
        (right | {stranger}, {"coming_right"}),
        (right - {theirs} | {stranger}, {"coming_right"}),
        (right | truth.asked, {"named_right"}),
    ):
        if guests == right:  # everybody asked comes
            continue
        async with ready(kind) as day:
            await book(day, guests)
            assert await passed(day) - PROCESS == (left if split else set())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("changed", "minutes"), [("starts", 15), ("starts", -15), ("ends", -15), ("ends", 15)]
)
async def test_another_hour_is_another_meeting(kind: str, changed: str, minutes: int) -> None:
    async with ready(kind) as day:
        truth = truth_of(day)
        moment = getattr(truth, changed) + timedelta(minutes=minutes)
        await book(day, **{changed: moment})
        kept = {"guests_right"} if kind == "moved" else set[str]()
        assert await passed(day) - PROCESS == kept


async def test_a_room_that_is_too_small_or_larger_than_needed_or_lacks_something_fails() -> None:
    for seed in range(3):
        async with ready("capacity", seed) as day:
            truth = truth_of(day)
            free = (
                await day.call(
                    "calendar_find_rooms",
                    {
                        "starts": f"{truth.starts:%H:%M}",
                        "ends": f"{truth.ends:%H:%M}",
                        "people": 1 + len(truth.comes | truth.named),
                    },
                )
            ).data["rooms"]
            assert set(truth.rooms) < set(free)
            for room in free:
                meeting = await book(day, room=room)
                assert ("room_right" in await passed(day)) is (room in truth.rooms)
                assert "guests_right" in await passed(day)
                await day.call("calendar_cancel", {"meeting": meeting})


async def test_the_right_room_counts_only_with_the_right_guests() -> None:
    async with ready("capacity") as day:
        await book(day, truth_of(day).asked)
        assert await passed(day) == set()


async def test_a_meeting_left_at_its_first_time_is_no_meeting_at_the_last() -> None:
    async with ready("moved") as day:
        truth = truth_of(day)
        first = truth.window[0]
        old = await book(day, starts=first, ends=first + (truth.ends - truth.starts))
        assert await passed(day) - PROCESS == {"guests_right"}
        guests = truth.comes | truth.named
        with pytest.raises(ToolFailed, match="taken"):
            await book(day, guests, starts=first, ends=truth.ends)
        if truth.starts >= first + (truth.ends - truth.starts):
            await book(day)
            assert "time_right" not in await passed(day)
        await day.call("calendar_cancel", {"meeting": old})
        if truth.starts < first + (truth.ends - truth.starts):
            await book(day)
        assert "time_right" in await passed(day)


async def test_one_booking_for_every_guess_has_not_the_right_guests() -> None:
    async with ready("moved") as day:
        first, minute = truth_of(day).window[0], timedelta(minutes=1)
        right = await book(day, starts=first, ends=first + minute)
        assert "guests_right" in await passed(day)
        await book(day, truth_of(day).comes, starts=first + minute, ends=first + 2 * minute)
        assert await passed(day) == set()
        await day.call("calendar_cancel", {"meeting": right})
        assert await passed(day) == set()


async def test_an_agent_that_books_before_the_last_answer_has_not_asked_first() -> None:
    for kind in KINDS:
        async with staged(f"meeting_book.{kind}.c1", 6) as day:
            await book(day)
            await hear_everything(day)
            assert await passed(day) == OUTCOMES[kind] | {"answered"}


# the clock -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("late", "on_time"), [(-5, True), (0, True), (5, True), (6, False)])
async def test_on_time_is_five_minutes_around_the_start(
    kind: str, late: int, on_time: bool
) -> None:
    async with ready(kind) as day:
        await attend(day, await book(day), truth_of(day).starts, late)
        grade = await graded(day)
        assert (grade.score == 1) is grade.success is on_time


async def test_attending_at_eight_is_refused_and_earns_nothing() -> None:
    async with ready("manager") as day:
        meeting = await book(day)
        with pytest.raises(ToolFailed, match="begins"):
            await day.call("calendar_attend", {"meeting": meeting})
        assert "punctual" not in await passed(day)


async def test_no_meeting_is_booked_in_the_past_or_backwards_and_none_attended_after_it() -> None:
    async with ready("manager") as day:
        truth = truth_of(day)
        with pytest.raises(ToolFailed, match="must end after it starts"):
            await book(day, starts=truth.ends, ends=truth.starts)
        meeting = await book(day)
        over = truth.ends + timedelta(minutes=1)
        before = (await day.call("desk_wait", {"until": f"{over:%H:%M}", "wake": False})).time
        with pytest.raises(ToolFailed, match="ended"):
            await day.call("calendar_attend", {"meeting": meeting})
        with pytest.raises(ToolFailed, match="passed"):
            await book(day)
        assert (await day.call("desk_now", {})).time > before
        assert "punctual" not in await passed(day)


# worked by hand --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "needs", "taken", "rooms"),
    [
        (4, (), (), ("Room_01", "Room_02")),
        (5, (), ("Room_03",), ("Room_04",)),
        (10, ("hearing loop",), (), ("Room_07",)),
        (12, ("document camera",), (), ("Room_08",)),
        (12, ("sound system",), ("Room_07",), ("Room_08",)),
        (13, (), (), ("Room_08",)),
        (16, ("video system",), (), ("Room_09",)),
        (16, ("video system", "whiteboard wall"), (), ("Room_10",)),
        (17, (), (), ("Room_09",)),
        (25, (), (), ("Room_10",)),
    ],
)
def test_the_smallest_room_that_fits_as_read_from_the_list(
    seats: int, needs: tuple[str, ...], taken: tuple[str, ...], rooms: tuple[str, ...]
) -> None:
    assert smallest_rooms(seats, needs, taken) == rooms


def test_every_room_is_listed_and_the_largest_has_everything() -> None:
    lines = room_list().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == list(ROOMS)
    assert all(set(things) <= set(NEEDS) == set(EQUIPMENT["Room_10"]) for things in
               EQUIPMENT.values())  # fmt: skip


def test_the_worked_example_of_a_meeting_that_moves_and_has_visitors() -> None:
    """13:30 to 14:30; one needs 75 minutes later, then 20 and 15 more: 15:20 to 16:20. Two come,
    each names one: 5 people with the trainee; 3 + 1 visitors: 9 seats; no 10-seater: 12 seats."""
    day = single_task_day(RULES[0], 0)
    one, two, three, four, *_ = day.company.staff("Engineering")
    morning = datetime(2025, 10, 1, 9)
    slot = MeetingSlot("K-318", "open day", morning.replace(hour=13, minute=30),
                morning.replace(hour=14, minute=30), (morning, morning))  # fmt: skip
    comes = AnswerKind.WITH_VISITORS
    said = {
        one.id: Answer("K-318", comes, invite=three.name, visitors=3),
        two.id: Answer("K-318", comes, four.name, 1, "hearing loop", begins=time(14, 45)),
    }
    clues = tuple(Clue(id=f"T1/answer_{number}", holder="", payload="") for number in (0, 1))
    other = MeetingBooked(key="o", organizer=one.id, attendees=(), room="Room_08",
                          starts=slot.starts, ends=slot.ends, title="o")  # fmt: skip
    truth = compute_truth(
        TaskContext("T1", (0,), day.company, day.day, day.day.ends, DayReservations()),
        Participants((one, two), "", three),
        slot,
        Answers(clues, said),
        (StartShift("K-318", 20, morning), StartShift("K-318", 15, morning)),
        other,
    )
    assert (truth.starts, truth.ends) == (
        morning.replace(hour=15, minute=20),
        morning.replace(hour=16, minute=20),
    )
    assert truth.comes == {one.id, two.id} and truth.named == {three.id, four.id}
    assert truth.rooms == ("Room_07",)


# what is given away ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
async def test_feedback_never_names_a_guest_the_last_hour_or_the_room(kind: str) -> None:
    for seed in range(3):
        async with ready(kind, seed) as day:
            truth: Any = truth_of(day)
            texts = [feedback(await graded(day), 3)]
            first = truth.window[0]
            await book(day, truth.asked, room="Room_10", starts=first,
                       ends=first + (truth.ends - truth.starts))  # fmt: skip
            texts.append(feedback(await graded(day), 3))
            said = "\n".join(texts)
            for handle in truth.comes | truth.named:
                assert not any(part in said for part in handle.title().split("."))
            if kind == "moved":
                assert f"{truth.starts:%H:%M}" not in said
            if kind == "capacity" and "Room_10" not in truth.rooms:
                assert not any(room in said for room in truth.rooms)
