"""Weeks with a new worker each morning, and an appointment that is worked by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import Any

import pytest

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.harness.testbench.work_plan import (
    honest_works,
    last_changes,
    outline_of,
    without_submitted,
    work_tasks,
)
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.families.week import DUTIES
from trainee_bench.meta_tasks.families.week.appointment import HOURS, SUBJECT
from trainee_bench.meta_tasks.families.week.appointment_grading import LASTS
from trainee_bench.meta_tasks.families.week.days import WEDNESDAY
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.work.achieving import FileHas, MailSent
from trainee_bench.meta_tasks.work.habits import Around, Habit
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.world.notes import NOTES_FOLDER
from trainee_bench.world.notices import Verbosity


def week_of(
    *days: Sequence[str],
    verbosity: Verbosity = Verbosity.ALL,
    arrival: Arrival = Arrival.AT_ONCE,
) -> ComposedDay:
    """A week of five days with tasks of these rules; further days have none."""
    tasks = [tuple(TaskSpec(rule=rule) for rule in rules) for rules in days]
    tasks += [()] * (5 - len(days))
    specs = tuple(DaySpec(tasks=given) for given in tasks)
    week = Scenario(
        name="week", seed=3, days=specs, week=True, verbosity=verbosity, arrival=arrival
    )
    return compose_day(week, 0)


@dataclass(frozen=True)
class WorkedWeek:
    """The result of a week: errors by day and task, grades, and the number of calls by tool."""

    errors: dict[str, Exception]
    grades: list[TaskGrade]
    calls: Counter[str]

    @property
    def scores(self) -> list[float | None]:
        """The scores of all tasks."""
        return [grade.score for grade in self.grades]


async def work_week(week: ComposedDay, habits: Sequence[Habit] = ()) -> WorkedWeek:
    """Let a new worker with *habits* work each day, who knows the last change of each task."""
    day = await stage_day(week)
    errors: dict[str, Exception] = {}
    async with day.world:
        for place in range(len(week.days)):
            if place:
                await day.world.begin_next_day()
            today = week.on_day(place)
            works = await without_submitted(day, honest_works(today), today)
            outline = replace(outline_of(today), settled=last_changes(week))
            failed = await work_tasks(day, day.costs, works, outline, habits)
            errors |= {f"{task} on day {place}": error for task, error in failed.items()}
        log = await day.world.log()
        calls = Counter(entry.tool for entry in log if entry.actor)
        return WorkedWeek(errors, await day.grades(), calls)


# duties -----------------------------------------------------------------------------------


MOST_CALLS = {Verbosity.ALL: 45, Verbosity.OFF: 53}
"""The most calls in a week, about nine a day: to hear, to look, to note and to deliver."""
ALL_DUTIES = [f"week.{duty}" for duty in DUTIES]


class Forgets(Habit):
    """Writes nothing into the notes."""

    name = "forgets"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Leaves out files in the folder of notes."""
        return {FileHas: self._unless_noted}

    async def _unless_noted(
        self, work: Work, need: FileHas, inner: Callable[[], Awaitable[None]]
    ) -> None:
        if not need.path.startswith(NOTES_FOLDER):
            await inner()


class MailsTwice(Habit):
    """Sends a wrong mail before each right one."""

    name = "mails_twice"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        """Calls the tool once more."""
        return {MailSent: self._twice}

    async def _twice(
        self, work: Work, need: MailSent, inner: Callable[[], Awaitable[None]]
    ) -> None:
        await work.call("mail_send", to=[*need.to], subject=need.subject, body="1")
        await inner()


@pytest.mark.parametrize("verbosity", [Verbosity.ALL, Verbosity.OFF])
@pytest.mark.parametrize("duty", ALL_DUTIES)
async def test_a_duty_is_kept_from_notes_alone_in_few_calls(
    duty: str, verbosity: Verbosity
) -> None:
    worked = await work_week(week_of([duty], verbosity=verbosity))
    assert worked.errors == {} and worked.scores == [1.0]
    assert worked.calls.total() <= MOST_CALLS[verbosity]


async def test_all_duties_are_kept_in_one_week_and_look_at_the_desk_once_a_day() -> None:
    worked = await work_week(week_of(ALL_DUTIES))
    assert worked.errors == {} and worked.scores == [1.0] * len(ALL_DUTIES)
    before_work = 4  # from Tuesday on it is looked up what is submitted
    assert worked.calls["desk_tasks"] - before_work == 5


async def test_a_new_morning_asks_for_no_text_of_tasks_that_are_submitted() -> None:
    """On Thursday and Friday the desk lists five finished tasks without their texts."""
    days = [["week.extract", "kb_fix.easy", "kb_fix.medium"], ["kb_fix.easy"], ["kb_fix.easy"]]
    worked = await work_week(week_of(*days))
    assert worked.errors == {} and worked.scores == [1.0] * 5
    plain = await work_week(week_of(["week.extract"]))
    listings = worked.calls["desk_tasks"] - plain.calls["desk_tasks"]
    assert listings <= 5, "one look for each task that comes, and its deadline"


async def test_an_answer_is_waited_for_though_nothing_about_the_task_changes_any_more() -> None:
    rules = ["kb_fix.easy", "kb_fix.easy+busy_holder", "kb_fix.medium+slow_holder"]
    week = week_of(["week.extract"], rules, arrival=Arrival.STREAMED)
    worked = await work_week(week)
    assert worked.errors == {} and worked.scores == [1.0] * 4


@pytest.mark.parametrize("duty", ALL_DUTIES)
async def test_a_worker_who_notes_nothing_fails_later_in_the_week(duty: str) -> None:
    worked = await work_week(week_of([duty]), [Forgets()])
    (score,) = worked.scores
    assert score is not None and score <= 0.7
    assert any("the notes do not say" in str(error) for error in worked.errors.values())


async def test_other_mails_are_a_habit_around_the_mail() -> None:
    week = week_of(["week.claims"])
    worked, usual = await work_week(week, [MailsTwice()]), await work_week(week)
    assert worked.scores == [1.0]
    assert worked.calls["mail_send"] == 2 * usual.calls["mail_send"] == 10


# the appointment: the calendar at each deadline counts ------------------------------------


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
        """Hand in the right report."""
        report = self.truth.report.model_dump_json()
        await self.day.call("files_write", {"path": self.truth.path, "text": report})

    async def next_day(self, days: int = 1) -> None:
        for _ in range(days):
            await self.day.world.begin_next_day()

    async def earned(self) -> tuple[float, list[str]]:
        (grade,) = await self.day.grades()
        assert grade.score is not None
        return round(grade.score, 4), [check.name for check in grade.checkpoints if check.passed]


@pytest.fixture
async def appointment() -> AsyncIterator[AppointmentWeek]:
    async with staged("week.appointment", 0) as day:
        yield AppointmentWeek(day)


async def test_an_agent_that_books_every_hour_on_monday_and_cancels_all_earns_nothing(
    appointment: AppointmentWeek,
) -> None:
    await appointment.ask_both()
    await appointment.cancel(*[await appointment.book(hour) for hour in HOURS])
    assert await appointment.earned() == (0, [])
    await appointment.next_day(4)
    await appointment.report()
    assert await appointment.earned() == (0, [])


async def test_an_agent_that_leaves_every_hour_booked_earns_nothing(
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
    first, second = (moment.time() for moment in appointment.truth.common[:2])
    guess = await appointment.book(first)
    await appointment.ask_both()
    assert await appointment.earned() == (0, []), "nobody could know of the hour"
    wrong = await appointment.book(second)
    await appointment.cancel(guess, wrong)
    await appointment.book(first)
    await appointment.next_day(2)
    assert await appointment.earned() == (round(1.5 / 7, 4), ["booked", "told"])


async def test_work_before_the_cancellation_does_not_count_as_the_move(
    appointment: AppointmentWeek,
) -> None:
    first, second = (moment.time() for moment in appointment.truth.common[:2])
    await appointment.ask_both()
    early = await appointment.book(first)
    await appointment.next_day(2)
    await appointment.cancel(early)
    await appointment.book(second)
    await appointment.mail()
    await appointment.wait("17:00")
    assert await appointment.earned() == (round(1.5 / 7, 4), ["booked", "told"])


async def test_a_report_counts_only_if_the_talk_that_it_names_was_in_the_calendar(
    appointment: AppointmentWeek,
) -> None:
    first, second = (moment.time() for moment in appointment.truth.common[:2])
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
