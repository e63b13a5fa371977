"""An hour is agreed on at the start of the week, moved in the middle and kept near its end.

Told once: at which hours each of two colleagues can come on Thursday, when asked in time. One of
them has to cancel on Wednesday, when neither can be asked any more; which hour is next follows from
what they said on Monday.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import ClassVar

from trainee_bench.meta_tasks.absences import mark_absent
from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    GradedPart,
    HiddenPart,
    Hints,
    PlannedEvent,
    TaskContext,
    TaskInstance,
    ToldPart,
    ToolClient,
    ToolFailed,
    hand_in,
    head_of,
    pick_colleagues,
    read_brief,
)
from trainee_bench.meta_tasks.families.week.appointment_brief import (
    CANCELLED,
    FACT,
    OBJECTIVE,
    RULES,
    SUBJECT,
    TOPICS,
    AppointmentBrief,
    AppointmentReport,
    FreeHours,
    TalkCancelled,
)
from trainee_bench.meta_tasks.families.week.appointment_grading import (
    LASTS,
    AppointmentTruth,
    have_told,
    report_of,
    was_announced,
    was_booked_first,
    was_kept,
    was_moved,
    was_reported,
)
from trainee_bench.meta_tasks.families.week.daily import DayDone, DutyDay, Written
from trainee_bench.meta_tasks.families.week.days import (
    FRIDAY,
    MONDAY,
    THURSDAY,
    TUESDAY,
    WEDNESDAY,
    at_clock,
    clock_by,
    today,
    wait_for_clock,
    working_week,
)
from trainee_bench.meta_tasks.families.week.duty import WeekDuty, mark
from trainee_bench.meta_tasks.families.week.mails import DueMail
from trainee_bench.meta_tasks.families.week.notes import Notes, noted, read_notes
from trainee_bench.meta_tasks.families.week.people import draw_reader
from trainee_bench.meta_tasks.work.achieving import Attended, MailSent, Once
from trainee_bench.meta_tasks.work.asking import FactQuestion, Told
from trainee_bench.meta_tasks.work.need import Achievement, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.meta_tasks.work.sources import ToolReading
from trainee_bench.world.apps.chat import MessageArrives
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.company.people import Person

HOURS = tuple(time(hour) for hour in (10, 11, 13, 14, 15, 16))
CAN_COME = 4
"""At so many of these hours each of the two can come: two of them suit both in any case."""
KNOWN_BY = time(12)
LEAVES, CANCELS, CANCEL_READ, BACK = time(17), time(10), time(10, 5), time(9)
"""When one of them begins to travel, when the other cancels, and when both are back."""


def _not_to_be_asked(
    context: TaskContext, one: Person, other: Person, topic: str
) -> tuple[PlannedEvent, ...]:
    """*other* travels when *one* writes that they cannot come, who is away at once as well."""
    cancels, back = (
        at_clock(context, day, clock) for day, clock in ((WEDNESDAY, CANCELS), (THURSDAY, BACK))
    )
    message = MessageArrives(
        sender=one.id, to=context.employee.id, text=CANCELLED.render(TalkCancelled(topic))
    )
    workshop = AbsenceBegins(person=one.id, until=back, note="I am in a workshop.", public=False)
    journey = AbsenceBegins(person=other.id, until=back, note="I am travelling.")
    return (
        PlannedEvent(message, cancels),
        PlannedEvent(workshop, cancels + timedelta(minutes=1)),
        PlannedEvent(journey, at_clock(context, TUESDAY, LEAVES)),
    )


@dataclass(frozen=True)
class TalkBooked(Achievement[int]):
    """A talk with these people is booked: its number in the calendar."""

    people: tuple[str, ...]
    starts: datetime

    async def satisfy(self, work: Work) -> int:
        """Book the first room that is free then. Raises ToolFailed if none is."""
        times = {"starts": f"{self.starts:%Y-%m-%dT%H:%M}"}
        times["ends"] = f"{self.starts + LASTS:%Y-%m-%dT%H:%M}"
        seats = len(self.people) + 1
        found = await work(ToolReading("calendar_find_rooms", (*times.items(), ("people", seats))))
        booked = await work.call(
            "calendar_book",
            title=SUBJECT,
            room=next(iter(found["rooms"])),
            attendees=[*self.people],
            **times,
        )
        return int(booked.data["id"])


async def _common_hours(day: DutyDay[AppointmentBrief]) -> list[str]:
    """The hours that suit both."""
    brief, work = day.brief, day.work
    people = await work.all(map(PersonCalled, (brief.one, brief.other)))
    asked = []
    for number, person in enumerate(people, 1):
        about = (("number", str(number)), ("topic", brief.topic))
        asked.append(Told(day.task, person.id, FactQuestion("hours", FACT, about)))
    free = [
        told[subject]
        for told, one in zip(await work.all(asked), asked, strict=True)
        for subject in one.question.subjects
    ]
    return [f"{hour:%H:%M}" for hour in free[0].hours if hour in free[1].hours]


def _on_thursday(day: DutyDay[AppointmentBrief], hour: str) -> datetime:
    """That hour on Thursday of this week."""
    thursday = day.date + timedelta(days=THURSDAY - day.weekday)
    return datetime.combine(thursday, time.fromisoformat(hour))


class Appointment(WeekDuty[AppointmentTruth]):
    """Agree on an hour, move it and keep it."""

    name: ClassVar[str] = "appointment"
    objective = OBJECTIVE
    rules = RULES
    hints: ClassVar[Hints] = Hints(
        strategy="When one of the two cancels, neither can be asked again: what they said at "
        "first decides. Write down all hours at which each of them can come.",
        where="In the chat with both of them, on Monday and on Wednesday.",
        how="Ask both on Monday, note the hours that suit both, and book the first. On Wednesday "
        "read the messages, cancel and book the second, and send the mail.",
    )

    def generate(self, context: TaskContext) -> TaskInstance[AppointmentTruth]:
        """Two people, the hours at which each can come, and a message that one cannot."""
        working_week(context)
        context.claim("the talk on Thursday")
        one, other = pick_colleagues(context, "talkers", count=2)
        for person in (one, other):
            mark_absent(context, person)
        head = head_of(context.company, one.department)
        reader = draw_reader(context, "reader", (one, other, head))
        topic = context.stream("topic").choice(TOPICS)
        by = clock_by(context, "by")
        path = context.reserve_path("workspace:/talk_report.json")
        brief = AppointmentBrief(
            one.name, other.name, topic, by, reader.name, path, AppointmentReport
        )
        for hour in HOURS:
            context.reserve_meeting_slot([at_clock(context, THURSDAY, hour)], 30)
        clues, free = [], []
        for number, person in ((1, one), (2, other)):
            about = {"number": str(number), "topic": topic}
            hours = context.secret_stream(FACT.clue_name(about)).sample(HOURS, CAN_COME)
            free.append(sorted(hours))
            clues.append(FACT.clue(context, person, FreeHours(tuple(sorted(hours))), about))
        common = tuple(at_clock(context, THURSDAY, hour) for hour in free[0] if hour in free[1])
        return TaskInstance(
            ToldPart(
                title=f"A talk about {topic}",
                objective=OBJECTIVE.render(brief),
                hints=self.hints,
                requester=head.id,
                deliverable_paths=(path,),
                must_know_by=at_clock(context, MONDAY, KNOWN_BY),
            ),
            HiddenPart(clues=tuple(clues), events=_not_to_be_asked(context, one, other, topic)),
            GradedPart(
                truth=AppointmentTruth(
                    frozenset((one.id, other.id)),
                    one.name,
                    common,
                    at_clock(context, TUESDAY, by),
                    at_clock(context, WEDNESDAY, CANCELS),
                    DueMail(
                        SUBJECT,
                        at_clock(context, WEDNESDAY, by),
                        since=at_clock(context, WEDNESDAY, CANCELS),
                    ),
                    reader.id,
                    path,
                )
            ),
        )

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The checkpoints: booked, moved, announced, kept and reported."""
        booked = mark(
            "booked",
            "By Tuesday, after both had said when they can come, only the earliest hour that suits "
            "both was booked, with both invited",
            was_booked_first,
            needs="told",
            where="What both have said in the chat; calendar_list shows what is booked.",
            how="Take the first hour that both have named, for half an hour.",
            day=TUESDAY,
        )
        moved = mark(
            "moved",
            "After one had cancelled, only the next hour that suits both was booked, by Wednesday",
            was_moved,
            weight=2,
            needs="told",
            where="What both have said at first, and the message of Wednesday.",
            how="Cancel what was booked and take the second hour that both have named.",
            day=WEDNESDAY,
        )
        announced = mark(
            "announced",
            "The hour at which the talk is was mailed by Wednesday",
            was_announced,
            needs="told",
            where="The calendar, after the move.",
            how="State the one hour, and no other time.",
            day=WEDNESDAY,
        )
        report = mark(
            "report",
            "Friday's report says rightly which hours were booked, and why",
            was_reported,
            weight=2,
            needs="told",
            where="What both have said, and what was booked and cancelled.",
            how="Count the hours that both have named; write hours as HH:MM.",
        )
        kept = mark(
            "kept",
            "You were in the talk on time",
            was_kept,
            weight=0.5,
            needs="told",
            where="In the calendar: when the talk began, and when you came.",
            how="Wait until just before the hour, and call calendar_attend.",
        )
        told = mark(
            "told",
            "Both have said at which hours they can come",
            have_told,
            weight=0.5,
            only_with="booked",
            where="Each of the two knows their own hours.",
            how="Ask each in the chat, naming what the talk is about.",
        )
        return (booked, moved, announced, kept, report, told)

    async def _move(self, client: ToolClient, brief: AppointmentBrief) -> None:
        """Book the next hour, once somebody has cancelled."""
        await wait_for_clock(client, CANCEL_READ)
        history = await client.call("chat_read_history", peer=brief.one)
        if not any(CANCELLED.search(str(one["text"])) for one in history.data["messages"]):
            raise ToolFailed(f"{brief.one} has not cancelled")
        common = _common(await read_notes(client))
        thursday = (await today(client)) + timedelta(days=1)
        listed = await client.call("calendar_list", day=f"{thursday:%Y-%m-%d}")
        for meeting in listed.data["meetings"]:
            if meeting["title"] == SUBJECT and not meeting["cancelled"]:
                await client.call("calendar_cancel", meeting=meeting["id"])
        await _book(client, brief, common[1])
        await client.call("mail_send", to=[brief.reader], subject=SUBJECT, body=common[1])

    async def do(self, day: DutyDay[AppointmentBrief]) -> DayDone:
        """Ask and book; move it when one cancels; be there; report."""
        brief, today, work = day.brief, day.weekday, day.work
        if today == MONDAY:
            hours = await _common_hours(day)
            talk = await work(TalkBooked((brief.one, brief.other), _on_thursday(day, hours[0])))
            return DayDone(notes={"common": ", ".join(hours), "talk": talk})
        if today == TUESDAY:
            return DayDone()
        hours = str(await day.noted("common")).split(", ")
        if today == WEDNESDAY:
            await work(Written(CANCELLED, day.at(CANCEL_READ), brief.one))
            await work(Once("calendar_cancel", (("meeting", await day.number("talk")),)))
            talk = await work(TalkBooked((brief.one, brief.other), _on_thursday(day, hours[1])))
            return DayDone(MailSent((brief.reader,), SUBJECT, hours[1]), {"talk": talk})
        if today == THURSDAY:
            await work(Attended(await day.number("talk"), _on_thursday(day, hours[1])))
            return DayDone()
        report = report_of([time.fromisoformat(hour) for hour in hours], brief.one)
        return DayDone(report=(brief.path, report))

    async def shortcut(self, client: ToolClient) -> None:
        """Book an early hour without asking, and a later one when somebody cancels."""
        brief = await read_brief(client, OBJECTIVE)
        day = (await today(client)).weekday()
        first, second = (f"{hour:%H:%M}" for hour in HOURS[:2])
        if day == MONDAY:
            await _book(client, brief, first)
        elif day == WEDNESDAY:
            await _book(client, brief, second)
            await client.call("mail_send", to=[brief.reader], subject=SUBJECT, body=second)
        elif day == FRIDAY:
            await hand_in(client, brief.path, report_of(list(HOURS[:2]), brief.one))


def _common(notes: Notes) -> list[str]:
    """The hours that suit both. Raises ToolFailed if they are not noted."""
    return str(noted(notes, "common")).split(", ")


async def _book(client: ToolClient, brief: AppointmentBrief, hour: str) -> None:
    """Book the talk on Thursday of this week, at *hour*."""
    now = await today(client)
    day = now + timedelta(days=THURSDAY - now.weekday())
    starts = datetime.combine(day, time.fromisoformat(hour))
    times = {"starts": f"{starts:%Y-%m-%dT%H:%M}", "ends": f"{starts + LASTS:%Y-%m-%dT%H:%M}"}
    rooms = await client.call("calendar_find_rooms", **times, people=3)
    await client.call(
        "calendar_book",
        title=SUBJECT,
        room=next(iter(rooms.data["rooms"])),
        attendees=[brief.one, brief.other],
        **times,
    )
