"""Two invitations for the same hour, and a rule for which of them goes first.

An employee who knows the rule attends one meeting and declines the other in time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import CLOCK
from trainee_bench.meta_tasks.authoring.handbook import Handbook
from trainee_bench.meta_tasks.authoring.meetings import attend, reserve_hours
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.blind_steps import own_task
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.complication import (
    Complicated,
    Complication,
    ComplicationKind,
    DoTask,
    ForeignCall,
    LeastAct,
    Stage,
)
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import CompositionError, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolClient, ToolData, ToolFailed
from trainee_bench.meta_tasks.work.achieving import Attended, DoesBeside, Once
from trainee_bench.meta_tasks.work.asking import Sent
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import Page, notes_of
from trainee_bench.meta_tasks.work.sources import Meetings
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.meetings.meeting import ON_TIME_GRACE, InvitationStatus, Meeting

PAGE = Handbook(
    path="drive:/handbook/clashing_meetings.md",
    resource="trainee_bench.meta_tasks.complications/clashing_meetings.md",
    topic="clashing meetings",
    questions=(
        "Which meeting goes first if two of them clash?",
        "I am invited to two meetings at the same time. Which one do I attend?",
        "Is there a rule for meetings that overlap?",
        "What do I do about two invitations for one hour?",
        "Where is it written which appointment has priority?",
    ),
    referral="The rules for meetings that clash are in {path}.",
)
KINDS = ("Customer call", "Safety briefing", "Project review", "Team lunch planning")
"""The kinds of meeting. Their ranking is drawn."""
NOTE = ValueTemplate(
    "Your calendar has two invitations for {value}. Attend the meeting that has priority according "
    "to drive:/handbook/clashing_meetings.md, and deal with the other one as that page says, "
    "before it begins.",
    CLOCK,
)
RULE = (
    "send the organizer of the declined meeting a chat message with the rule number (in brackets "
    "above) of the meeting that you attend"
)
NAMED = "rule_named"
_KIND = re.compile(r"^\d+\. ([^(\n]+) \(rule (M-\d+)\)$", re.MULTILINE)
MINUTES = 20


@dataclass(frozen=True)
class Clash:
    """The keys, within the day, of the meeting to attend and of the one to decline."""

    first: str
    second: str


@dataclass(frozen=True)
class _Kept(Need[None]):
    """Attendance at the first-ranked of two clashing meetings, with the other one declined."""

    task: str

    async def satisfy(self, work: Work) -> None:
        """Attend and decline, if a note mentions such meetings. Raises ToolFailed if the calendar
        does not have two of them."""
        clock = NOTE.search(await notes_of(work, self.task))
        if clock is None:
            return
        work.promise(datetime.combine(work.now, clock))
        page = await work(Page(PAGE.path, (RULE,)))
        numbers = {match[1]: match[2] for match in _KIND.finditer(page)}
        order = list(numbers)
        clashing = [
            meeting
            for meeting in await work(Meetings(work.now.date(), self.task))
            if meeting.starts.time() == clock and meeting.title in order
        ]
        if len(clashing) != 2:
            raise ToolFailed(f"the calendar has {len(clashing)} such invitations for {clock}")
        first, second = sorted(clashing, key=lambda meeting: order.index(meeting.title))
        acts: list[Need[Any]] = [Attended(first.id, first.starts)]
        if second.answer != InvitationStatus.DECLINED:
            acts.append(Once("calendar_respond", (("meeting", second.id), ("answer", "declined"))))
        acts.append(Sent(self.task, second.organizer, _declining(numbers[first.title])))
        await work.all(acts)


class KeepsAppointments(DoesBeside):
    """A habit: attends the meeting that goes first, and declines the other in time."""

    name = "keeps appointments"
    beside = _Kept


class ClashingInvitation(Complication):
    """Two colleagues invite the employee to meetings at the same hour."""

    name = "clashing_invitation"
    kind = ComplicationKind.PEOPLE
    stage = Stage.APPOINTMENT
    takes = 120  # to the next full hour
    leaves = 90
    about = "Two invitations clash; a rule says which goes first."
    habits = (KeepsAppointments(),)

    def apply(self, scene: Scene) -> Complicated:
        """Book two meetings at an hour at which the employee is free."""
        context = scene.context
        draws = context.stream(self.name)
        rules = _rules(context)
        first, second = sorted(draws.sample(range(len(rules)), 2))
        if len(context.rooms) < 2:
            raise CompositionError(f"{self.name} needs two meeting rooms; the company has one")
        rooms = draws.sample(list(context.rooms), 2)
        room, starts, ends = reserve_hours(
            context, [MINUTES], lambda _: self._hours(scene), rooms[:1]
        )
        hosts = [
            outsider(scene, f"{self.name} {number}", context.company.people) for number in (1, 2)
        ]
        keys = (f"{context.task} clash 1", f"{context.task} clash 2")
        booked = [
            MeetingBooked(
                key=key,
                organizer=host.id,
                attendees=(context.employee.id,),
                room=place,
                starts=starts,
                ends=ends,
                title=rules[kind][0],
                minutes_text="We went through all points as planned.",
            )
            for key, host, place, kind in zip(
                keys, hosts, (room, rooms[1]), (first, second), strict=True
            )
        ]
        draws.shuffle(booked)
        named = Expectation(
            id=context.clue_id(NAMED),
            holder=hosts[1].id,
            values=((rules[first][1],),),
            reply="I see, thank you for telling me.",
        )
        page = {"{{rules}}": _in_order(rules)}
        scene = scene.with_events(
            *(at(context.arrives, meeting) for meeting in booked), *PAGE.events(context, page)
        ).with_expectations(named)
        return Complicated(scene.with_note(NOTE.render(starts.time())), Clash(*keys))

    def _hours(self, scene: Scene) -> list[datetime]:
        """Return times for the meetings, from an hour after the task comes, that end before it is
        due."""
        context = scene.context
        first = scene.moment(self.name, 60, 180, self.leaves)
        hour = datetime.combine(first, time(first.hour)) + timedelta(hours=1)
        last = context.deadline - timedelta(minutes=MINUTES)
        hours = [hour + timedelta(minutes=30) * step for step in range(12)]
        return [start for start in hours if start <= last] or [first]

    def least_acts(self, instance: TaskInstance[Any], facts: Clash) -> Sequence[LeastAct]:
        """Return that one meeting is attended, on time, and the other declined before it begins."""
        events = (planned.event for planned in instance.hidden.events)
        booked = {event.key: event for event in events if isinstance(event, MeetingBooked)}
        first, second = booked[facts.first], booked[facts.second]
        comes, begins = first.starts + ON_TIME_GRACE, datetime.combine(first.starts, time.min)
        return (
            LeastAct("calendar_attend", comes, comes, first.ends),
            LeastAct("calendar_respond", begins, second.starts),
        )

    @checkpoint(
        "You came to the meeting that goes first, had declined the other before it began, and have "
        "told the other's organizer the rule",
        where="The calendar, and the page on meetings that clash.",
        how="Read drive:/handbook/clashing_meetings.md, answer the other invitation with "
        "calendar_respond, write to its organizer with chat_send_message, and come with "
        "calendar_attend.",
    )
    def kept(self, grading: GradingContext[Clash]) -> Verdict:
        """Check the calendar's record."""
        calendar, me = Calendar(grading.tx), grading.employee
        first, second = map(calendar.meeting_by_key, (grading.truth.first, grading.truth.second))
        came = calendar.attendance(me, first.id)
        there, other = _declined_at(first, me), _declined_at(second, me)
        named = grading.expectation_met_at(NAMED) is not None
        seen = f"you {'came to' if came else 'did not come to'} “{first.title}”"
        seen += f", declined at {there:%H:%M}," if there else ""
        seen += f" and declined “{second.title}” at {other:%H:%M}" if other else ""
        seen += "" if other else f" and did not decline “{second.title}”"
        seen += f", whose organizer {'knows' if named else 'does not know'} the rule"
        attended = came is not None and came.on_time and there is None
        declined = other is not None and other < second.starts
        return Verdict(attended and declined and named, seen)

    async def work_blind(
        self, client: ToolClient, do: DoTask, elsewhere: Sequence[ForeignCall]
    ) -> None:
        """Attend the first of the two in the calendar, and decline the other as was right
        elsewhere."""
        clock = NOTE.search((await own_task(client)).notes)
        clashing = [
            meeting
            for meeting in await _meetings(client)
            if datetime.fromisoformat(meeting["starts"]).time() == clock
        ]
        said = [
            str(call.arguments["text"]) for call in elsewhere if call.tool == "chat_send_message"
        ]
        for other in clashing[1:]:
            await client.call("calendar_respond", meeting=other["id"], answer="declined")
            for text in said:
                await client.call("chat_send_message", to=other["organizer"], text=text)
        for first in clashing[:1]:
            await attend(client, int(first["id"]), datetime.fromisoformat(first["starts"]))


def _declined_at(meeting: Meeting, person: str) -> datetime | None:
    """Return when *person* declined *meeting*; None if they did not."""
    part = meeting.invitation(person)
    return part.answered if part and part.answer is InvitationStatus.DECLINED else None


def _declining(number: str) -> str:
    """Return the text that tells which rule decides."""
    return f"I cannot come to your meeting: by rule {number}, another one has priority."


async def _meetings(client: ToolClient) -> list[ToolData]:
    """Return all meetings of today in the worker's calendar."""
    today, found = (await client.call("desk_now")).time.date(), list[ToolData]()
    while True:
        page = await client.call("calendar_list", day=today.isoformat(), offset=len(found))
        found += page.data["meetings"]
        if not page.data["meetings"] or len(found) >= page.data["total"]:
            return found


def _rules(context: TaskContext) -> list[tuple[str, str]]:
    """Return the kinds of meeting by rank, with the number of the rule for each. They are the same
    for all tasks."""
    draws = context.office_stream("clashing meetings")
    kinds = draws.sample(KINDS, len(KINDS))
    numbers = draws.sample(range(100, 1_000), len(kinds))
    return [(kind, f"M-{number}") for kind, number in zip(kinds, numbers, strict=True)]


def _in_order(rules: Sequence[tuple[str, str]]) -> str:
    """Return the *rules* as the page lists them."""
    return "\n".join(
        f"{place}. {kind} (rule {number})" for place, (kind, number) in enumerate(rules, start=1)
    )
