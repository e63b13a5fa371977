"""A talk is booked early in the week, moved on Wednesday, and held on Thursday.

Told once: the hours at which each of two colleagues can come on Thursday, if they are asked early
enough. One of them cancels on Wednesday, when neither of them answers any more. The next hour
follows from the answers on Monday.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from pydantic import Field

from trainee_bench.meta_tasks.absences import mark_absent
from trainee_bench.meta_tasks.authoring import (
    CLOCK,
    FULL_NAME,
    Checkpoint,
    ClockText,
    Deliverable,
    HiddenFact,
    Hints,
    PersonRef,
    PlannedEvent,
    TextTemplate,
    ToolClient,
    english_list,
    head_of,
    one_of,
    pick_colleagues,
)
from trainee_bench.meta_tasks.families.week.appointment_grading import (
    HOURS_TOLD,
    LASTS,
    AppointmentTruth,
    was_booked_first,
    was_kept,
    was_moved,
    was_reported,
)
from trainee_bench.meta_tasks.families.week.daily import DutyDay, Notes, Today, WorkOfDay, noted
from trainee_bench.meta_tasks.families.week.days import MONDAY, THURSDAY, TUESDAY, WEDNESDAY
from trainee_bench.meta_tasks.families.week.desk import DeskText, DutyBrief
from trainee_bench.meta_tasks.families.week.duty import DailyDuty, DrawnWeek, DutyScene
from trainee_bench.meta_tasks.families.week.marks import all_told, mailed, mark
from trainee_bench.meta_tasks.families.week.people import draw_reader
from trainee_bench.meta_tasks.families.week.telling import ByChat
from trainee_bench.meta_tasks.tool_client import first
from trainee_bench.meta_tasks.work.achieving import Attended, Once
from trainee_bench.meta_tasks.work.asking import FactQuestion, Told
from trainee_bench.meta_tasks.work.need import Achievement, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled
from trainee_bench.meta_tasks.work.sources import ToolReading
from trainee_bench.world.colleagues.availability import AbsenceBegins

SUBJECT = "Our talk on Thursday"
TOPICS = ("the office move", "the new website", "the summer party", "the customer survey")
TOPIC = one_of({topic: topic for topic in TOPICS})
HOURS = tuple(time(hour) for hour in (10, 11, 13, 14, 15, 16))
CAN_COME = 4
"""The number of these hours at which each of the two can come; at least two hours suit both."""
LEAVES, BACK = time(17), time(9)
"""The hour at which one of them starts to travel, and the hour at which both are back."""


@dataclass(frozen=True, kw_only=True)
class AppointmentBrief(DutyBrief):
    """The facts that the objective states."""

    one: str
    other: str
    topic: str


class AppointmentReport(Deliverable):
    """Friday's report."""

    first_hour: ClockText = Field(description='the hour that was booked first, such as "10:00"')
    held_at: ClockText = Field(description='the hour at which the talk took place, such as "11:00"')
    cancelled_by: PersonRef = Field(description="full name of the person who cancelled")
    common_hours: int = Field(
        description="how many hours suited both, according to their first answers"
    )


@dataclass(frozen=True)
class FreeHours:
    """The hours at which a colleague can come on Thursday."""

    hours: tuple[time, ...]


@dataclass(frozen=True)
class TalkCancelled:
    """The topic of the talk that a colleague cancels."""

    topic: str


FREE = HiddenFact(
    name="hours_{number}",
    questions=(
        "At which hours can you come on Thursday for our talk about {topic}?",
        "When would you be free on Thursday to talk about {topic}?",
        "Which full hours suit you on Thursday for {topic}?",
        "What times on Thursday work for you to discuss {topic}?",
        "At what hours could we meet on Thursday about {topic}?",
        "When on Thursday do you have half an hour for {topic}?",
    ),
    answer=TextTemplate(
        FreeHours, "On Thursday I can come at {hours}.", {"hours": english_list(CLOCK)}
    ),
)
CANCELLED = ByChat(
    WEDNESDAY,
    TextTemplate(
        TalkCancelled,
        "Sorry, I cannot come to our talk about {topic} tomorrow at the hour that we booked. "
        "The next hour that suits all of us is fine. I am in a workshop until tomorrow morning.",
        {"topic": TOPIC},
    ),
    time(10),
    sender=lambda brief: str(brief.one),
)


def _times(starts: datetime) -> dict[str, str]:
    """Start and end of a talk as arguments for the calendar's tools."""
    ends = starts + LASTS
    return {"starts": f"{starts:%Y-%m-%dT%H:%M}", "ends": f"{ends:%Y-%m-%dT%H:%M}"}


@dataclass(frozen=True)
class TalkBooked(Achievement[int]):
    """A talk with these people is booked. The value is its number in the calendar."""

    people: tuple[str, ...]
    starts: datetime

    async def satisfy(self, work: Work) -> int:
        """Book the first free room. Raises ToolFailed if no room is free."""
        times, seats = _times(self.starts), len(self.people) + 1
        found = await work(ToolReading("calendar_find_rooms", (*times.items(), ("people", seats))))
        room = first(found["rooms"])
        invited = {"title": SUBJECT, "room": room, "attendees": [*self.people]}
        return int((await work.call("calendar_book", **invited, **times)).data["id"])


class Appointment(DailyDuty[AppointmentBrief, None]):
    """Book a talk, move it, and attend it."""

    name = "appointment"
    taken, once_a_week = "the talk on Thursday", True
    repetition_works = "two people name few hours, so the hours of another seed are often right"
    report_path = "workspace:/talk_report.json"
    tellings = (CANCELLED,)
    subject = SUBJECT
    desk = DeskText(
        AppointmentBrief,
        "{one} and {other} [want to talk with you on Thursday about] {topic}. [The talk lasts half "
        "an hour and starts on the hour. Ask each of them before Tuesday evening at which hours "
        "they can come. After that,] {other} is travelling and [reads no messages before "
        "Thursday.] By Tuesday {by}, [book the earliest hour that suits both, and invite both.] "
        "[If one of them cancels, cancel the meeting and book the next hour that suits both,] by "
        "Wednesday {by}. Then, also by Wednesday {by}, mail {recipient} [the time of the talk and "
        'no other time,] with the subject "{subject}". [Attend the talk, and be on time.]',
        AppointmentReport,
        {"one": FULL_NAME, "other": FULL_NAME, "topic": TOPIC},
    )
    hints = Hints(
        strategy="When one of the two cancels, you cannot ask either of them again, so their first "
        "answers decide. Write down all hours at which each of them can come.",
        where="In the chat with both of them, on Monday and on Wednesday.",
        how="Ask both on Monday, note the hours that suit both, and book the first one. On "
        "Wednesday, read your messages, cancel the booking, book the second hour, and send the "
        "mail.",
    )

    def draw(self, scene: DutyScene) -> DrawnWeek[None]:
        """Draw two people, the hours at which each can come, and a message that cancels."""
        context = scene.context
        one, other = pick_colleagues(context, "talkers", count=2, until=scene.at(THURSDAY, BACK))
        for person in (one, other):
            mark_absent(context, person)
        head = head_of(context.company, one.department)
        reader = draw_reader(context, "reader", (one, other, head))
        topic = context.stream("topic").choice(TOPICS)
        for hour in HOURS:
            context.reserve_meeting_slot([scene.at(THURSDAY, hour)], 30)
        clues, free = [], []
        for number, person in ((1, one), (2, other)):
            about = {"number": str(number), "topic": topic}
            hours = context.secret_stream(FREE.clue_name(about)).sample(HOURS, CAN_COME)
            free.append(FreeHours(tuple(sorted(hours))))
            clues.append(FREE.clue(context, person, free[-1], about))
        cancels, back = CANCELLED.due(context), scene.at(THURSDAY, BACK)
        workshop = AbsenceBegins(
            person=one.id, until=back, note="I am in a workshop.", public=False
        )
        journey = AbsenceBegins(person=other.id, until=back, note="I am travelling.")
        return DrawnWeek(
            title=f"A talk about {topic}",
            brief=scene.states(
                AppointmentBrief, self.subject, one=one.name, other=other.name, topic=topic,
                recipient=reader.name,
            ),
            requester=head,
            reader=reader,
            told={MONDAY: {"hours": [*_common(free)]}},
            clues=clues,
            events=(
                CANCELLED.event(context, one, TalkCancelled(topic)),
                PlannedEvent(workshop, cancels + timedelta(minutes=1)),
                PlannedEvent(journey, scene.at(TUESDAY, LEAVES)),
            ),
        )  # fmt: skip

    def truth(self, scene: DutyScene, week: DrawnWeek[None]) -> AppointmentTruth:
        """Add the talks that the calendar needs; the mail counts only after the cancellation."""
        plain, cancelled = super().truth(scene, week), CANCELLED.due(scene.context)
        mail = replace(plain.mails[WEDNESDAY], since=cancelled)
        return AppointmentTruth(
            {WEDNESDAY: mail}, plain.path, plain.report,
            people=frozenset(clue.holder for clue in week.clues),
            common=tuple(scene.at(THURSDAY, hour) for hour in _hours(week.told[MONDAY])),
            booked_by=scene.at(TUESDAY, scene.by),
            cancelled_at=cancelled,
        )  # fmt: skip

    async def learn(self, day: DutyDay[AppointmentBrief]) -> Notes:
        """Ask and book on Monday, move the talk on Wednesday, and attend it on Thursday."""
        if day.weekday == MONDAY:
            hours = await self._common_hours(day)
            return {"hours": [*hours], "talk": await self._book(day, hours[0])}
        if day.weekday not in (WEDNESDAY, THURSDAY):
            return {}
        notes = await day.notes()
        _, second, *_ = _hours(notes)
        talk = int(str(noted(notes, "talk")))
        if day.weekday == THURSDAY:
            await day.work(Attended(talk, day.at(second)))
            return {}
        told = await super().learn(day)
        await day.work(Once("calendar_cancel", (("meeting", talk),)))
        return {**told, "talk": await self._book(day, f"{second:%H:%M}")}

    async def _common_hours(self, day: DutyDay[AppointmentBrief]) -> list[str]:
        """Ask both, and return the hours that suit both."""
        brief, work = day.brief, day.work
        asked = []
        for number, name in (("1", brief.one), ("2", brief.other)):
            question = FactQuestion("hours", FREE, (("number", number), ("topic", brief.topic)))
            asked.append(Told(day.task, (await work(PersonCalled(name))).id, question))
        answers = zip(await work.all(asked), asked, strict=True)
        return _common(
            [told[subject] for told, need in answers for subject in need.question.subjects]
        )

    async def _book(self, day: DutyDay[AppointmentBrief], hour: str) -> int:
        """Book the talk at that hour on Thursday of this week, and return its number."""
        people = (day.brief.one, day.brief.other)
        return await day.work(TalkBooked(people, _on_thursday(day.work.now, hour)))

    def result(self, today: Today[AppointmentBrief, None]) -> WorkOfDay:
        """The hour of the moved talk, which is mailed on Wednesday."""
        return WorkOfDay(_hours(today.notes)[1] if today.weekday == WEDNESDAY else None)

    def report(self, friday: Today[AppointmentBrief, None]) -> AppointmentReport:
        """The first two hours that suited both, and the person who cancelled."""
        first, second, *_ = hours = _hours(friday.notes)
        return AppointmentReport(
            first_hour=f"{first:%H:%M}",
            held_at=f"{second:%H:%M}",
            cancelled_by=friday.brief.one,
            common_hours=len(hours),
        )

    def guess(self, today: Today[AppointmentBrief, None]) -> Notes:
        """Assume that the first two hours suit both."""
        return {"hours": [f"{hour:%H:%M}" for hour in HOURS[:2]]}

    async def pretend(self, client: ToolClient, brief: AppointmentBrief, now: datetime) -> None:
        """Book an early hour on Monday without asking, and a later one on Wednesday."""
        early = {MONDAY: HOURS[0], WEDNESDAY: HOURS[1]}.get(now.weekday())
        if early is not None:
            times = _times(_on_thursday(now, f"{early:%H:%M}"))
            rooms = await client.call("calendar_find_rooms", **times, people=3)
            room, people = first(rooms.data["rooms"]), [brief.one, brief.other]
            invited = {"title": SUBJECT, "room": room, "attendees": people}
            await client.call("calendar_book", **invited, **times)

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The talk was booked, moved, announced, attended and reported, and both were asked."""
        booked = mark(
            "booked",
            "By Tuesday, after both had told you when they can come, you booked only the earliest "
            "hour that suits both, and invited both",
            was_booked_first,
            only_after="told",
            where="Both answers in the chat. calendar_list shows what is booked.",
            how="Book the first hour that both have named, for half an hour.",
            day=TUESDAY,
        )
        moved = mark(
            "moved",
            "After one of them cancelled, you booked only the next hour that suits both, by "
            "Wednesday",
            was_moved,
            weight=2,
            only_after="told",
            where="Both first answers, and Wednesday's message.",
            how="Cancel the first booking, and book the second hour that both have named.",
            day=WEDNESDAY,
        )
        announced = mailed(
            "announced",
            WEDNESDAY,
            "By Wednesday, you mailed the hour of the talk",
            only_after="told",
            where="The calendar, after you moved the talk.",
            how="State this hour, and no other time.",
        )
        report = mark(
            "report",
            "Friday's report correctly says which hours were booked, and why",
            was_reported,
            weight=2,
            only_after="told",
            where="Both answers, and the bookings that were made and cancelled.",
            how="Count the hours that both have named, and write hours as HH:MM.",
        )
        kept = mark(
            "kept",
            "You attended the talk on time",
            was_kept,
            weight=0.5,
            only_after="told",
            where="The calendar shows when the talk began and when you came.",
            how="Wait until just before the hour, and call calendar_attend.",
        )
        told = all_told(
            "told",
            "Both have told you at which hours they can come",
            HOURS_TOLD,
            "people have said when they can come",
            "booked",
            where="Each of the two knows only their own hours.",
            how="Ask each of them in the chat, and name the topic of the talk.",
        )
        return (booked, moved, announced, kept, report, told)


def _common(free: Sequence[FreeHours]) -> list[str]:
    """The hours that suit both, earliest first."""
    first, second = free
    return [f"{hour:%H:%M}" for hour in first.hours if hour in second.hours]


def _hours(notes: Notes) -> list[time]:
    """The noted hours that suit both. Raises ToolFailed if the notes do not have them."""
    hours = noted(notes, "hours")
    return [time.fromisoformat(str(hour)) for hour in hours] if isinstance(hours, list) else []


def _on_thursday(now: datetime, hour: str) -> datetime:
    """That hour on Thursday of this week."""
    thursday = now.date() + timedelta(days=THURSDAY - now.weekday())
    return datetime.combine(thursday, time.fromisoformat(hour))
