"""The appointment of a week: it counts by what stood in the calendar when it had to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, time

import pytest

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.meta_tasks.families.week.appointment import HOURS, SUBJECT
from trainee_bench.meta_tasks.families.week.appointment_grading import LASTS
from trainee_bench.meta_tasks.families.week.days import WEDNESDAY


class AppointmentWeek:
    """A week with the appointment of seed 0, worked by hand."""

    def __init__(self, day: StagedDay):
        self.day = day
        (self.task,) = day.composition.tasks
        self.truth = self.task.instance.graded.truth
        self.thursday = self.truth.common[0].date()

    async def ask_both(self) -> None:
        for clue in self.task.instance.hidden.clues:
            message = {"to": clue.holder, "text": clue.asks[0]}
            await self.day.call("chat_send_message", message)
        await self.day.call("desk_wait", {"until": "17:00", "wake": False})

    async def book(self, hour: time) -> int:
        starts = datetime.combine(self.thursday, hour)
        times = {"starts": f"{starts:%Y-%m-%dT%H:%M}", "ends": f"{starts + LASTS:%Y-%m-%dT%H:%M}"}
        rooms = await self.day.call("calendar_find_rooms", {**times, "people": 3})
        booked = {"title": SUBJECT, "attendees": sorted(self.truth.people), **times}
        room = next(iter(rooms.data["rooms"]))
        return int((await self.day.call("calendar_book", {"room": room, **booked})).data["id"])

    async def cancel(self, *meetings: int) -> None:
        for meeting in meetings:
            await self.day.call("calendar_cancel", {"meeting": meeting})

    async def wait(self, clock: str) -> None:
        await self.day.call("desk_wait", {"until": clock, "wake": False})

    async def mail(self) -> None:
        hour = f"{self.truth.common[1]:%H:%M}"
        mail = {"to": [self.truth.mails[WEDNESDAY].reader], "subject": SUBJECT, "body": hour}
        await self.day.call("mail_send", mail)

    async def report(self) -> None:
        """Hand in the right report, whatever was done."""
        report = self.truth.report.model_dump_json()
        await self.day.call("files_write", {"path": self.truth.path, "text": report})

    async def next_day(self, days: int = 1) -> None:
        for _ in range(days):
            await self.day.world.begin_next_day()

    async def earned(self) -> tuple[float, list[str]]:
        (grade,) = await self.day.grades()
        assert grade.score is not None
        return round(grade.score, 4), [one.name for one in grade.checkpoints if one.passed]


@pytest.fixture
async def appointment() -> AsyncIterator[AppointmentWeek]:
    async with staged("week.appointment", 0) as day:
        yield AppointmentWeek(day)


async def test_whoever_books_every_hour_on_monday_and_cancels_all_earns_nothing(
    appointment: AppointmentWeek,
) -> None:
    await appointment.ask_both()
    await appointment.cancel(*[await appointment.book(hour) for hour in HOURS])
    assert await appointment.earned() == (0, [])
    await appointment.next_day(4)
    await appointment.report()
    assert await appointment.earned() == (0, [])


async def test_whoever_leaves_every_hour_booked_earns_nothing(
    appointment: AppointmentWeek,
) -> None:
    await appointment.ask_both()
    for hour in HOURS:
        await appointment.book(hour)
    await appointment.next_day(4)
    assert await appointment.earned() == (0, [])


async def test_the_first_hour_counts_if_it_was_booked_alone_after_both_had_answered(
    appointment: AppointmentWeek,
) -> None:
    first, second = (one.time() for one in appointment.truth.common[:2])
    guess = await appointment.book(first)
    await appointment.ask_both()
    assert await appointment.earned() == (0, []), "nobody could know of the hour"
    wrong = await appointment.book(second)
    await appointment.cancel(guess, wrong)
    await appointment.book(first)
    await appointment.next_day(2)
    assert await appointment.earned() == (round(1.5 / 7, 4), ["booked", "told"])


async def test_what_is_done_before_one_has_cancelled_does_not_count_as_the_move(
    appointment: AppointmentWeek,
) -> None:
    first, second = (one.time() for one in appointment.truth.common[:2])
    await appointment.ask_both()
    early = await appointment.book(first)
    await appointment.next_day(2)
    await appointment.cancel(early)
    await appointment.book(second)
    await appointment.mail()
    await appointment.wait("17:00")
    assert await appointment.earned() == (round(1.5 / 7, 4), ["booked", "told"])


async def test_a_report_counts_only_if_the_talk_that_it_names_stood_in_the_calendar(
    appointment: AppointmentWeek,
) -> None:
    first, second = (one.time() for one in appointment.truth.common[:2])
    await appointment.ask_both()
    early = await appointment.book(first)
    await appointment.report()
    await appointment.next_day(2)
    await appointment.wait("10:05")
    await appointment.cancel(early)
    late = await appointment.book(second)
    await appointment.mail()
    await appointment.wait("17:30")
    names = ["booked", "moved", "announced", "report", "told"]
    assert await appointment.earned() == (round(6.5 / 7, 4), names)
    await appointment.cancel(late)
    names.remove("report")
    assert await appointment.earned() == (round(4.5 / 7, 4), names)
