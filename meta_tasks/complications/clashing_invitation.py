"""Two invitations for one hour, and a rule for which of them goes first.

Who knows the rule comes to the one and declines the other in time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import ClassVar

from trainee_bench.meta_tasks.authoring.converters import CLOCK
from trainee_bench.meta_tasks.authoring.handbook import Handbook
from trainee_bench.meta_tasks.authoring.meetings import reserve_hours
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, at, outsider
from trainee_bench.meta_tasks.meta_task import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.tool_client import Solver, ToolClient, ToolData, ToolFailed, read_text
from trainee_bench.meta_tasks.worker_clients import AppointmentClient, own_task
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.meetings.meeting import InvitationStatus
from trainee_bench.world.meetings.rooms import ROOMS

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
    referral="What to do about meetings that clash stands in {path}.",
)
ORDER = ("Customer call", "Safety briefing", "Project review", "Team lunch planning")
"""Which kind of meeting goes before which, as the page says."""
NOTE = ValueTemplate(
    "Your calendar has two invitations for {value}. Come to the meeting that goes first by "
    "drive:/handbook/clashing_meetings.md, and decline the other before it begins.",
    CLOCK,
)
_KIND = re.compile(r"^\d+\. ([^:\n]+):", re.MULTILINE)
MINUTES = 20


@dataclass(frozen=True)
class Clash:
    """The names, within the day, of the meeting to attend and of the one to decline."""

    first: str
    second: str


class ClashingInvitation(Complication):
    """Two colleagues invite to meetings at one hour."""

    name: ClassVar[str] = "clashing_invitation"
    kind: ClassVar[ComplicationKind] = ComplicationKind.PEOPLE
    stage: ClassVar[Stage] = Stage.APPOINTMENT
    about: ClassVar[str] = "Two invitations clash; a rule says which goes first."

    def apply(self, scene: Scene) -> Complicated:
        """An hour at which the employee is free, and two rooms."""
        context = scene.context
        draws = context.stream(self.name)
        first, second = sorted(draws.sample(range(len(ORDER)), 2))
        rooms = draws.sample(list(ROOMS), 2)
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
                title=ORDER[kind],
                minutes_text="Thank you for coming.",
            )
            for key, host, place, kind in zip(
                keys, hosts, (room, rooms[1]), (first, second), strict=True
            )
        ]
        draws.shuffle(booked)
        scene = scene.with_events(
            *(at(context.arrives, one) for one in booked), *PAGE.events(context)
        )
        return Complicated(scene.with_note(NOTE.render(starts.time())), Clash(*keys))

    def _hours(self, scene: Scene) -> list[datetime]:
        """Times for the meetings, from an hour after the task comes, that end before it is due."""
        context = scene.context
        first = scene.moment(self.name, 60, 180, 90)
        hour = datetime.combine(first, time(first.hour)) + timedelta(hours=1)
        last = context.deadline - timedelta(minutes=MINUTES)
        hours = [hour + timedelta(minutes=30) * step for step in range(12)]
        return [one for one in hours if one <= last] or [first]

    @checkpoint(
        "You came to the meeting that goes first, and had declined the other before it began",
        where="The calendar, and the page on meetings that clash.",
        how="Read drive:/handbook/clashing_meetings.md, answer the other invitation with "
        "calendar_respond, and come with calendar_attend.",
    )
    def kept(self, grading: GradingContext[Clash]) -> Verdict:
        """By the calendar's record."""
        calendar, me = Calendar(grading.tx), grading.employee
        first, second = map(calendar.meeting_by_key, (grading.truth.first, grading.truth.second))
        came = calendar.attendance(me, first.id)
        answer = next(one.answer for one in second.invitations if one.person == me)
        declined = answer is InvitationStatus.DECLINED
        seen = f"you {'came to' if came else 'did not come to'} “{first.title}” and "
        seen += f"{'declined' if declined else 'did not decline'} “{second.title}”"
        return Verdict(came is not None and came.on_time and declined, seen)

    async def work(self, client: ToolClient, do: Solver) -> None:
        """Read the rule, decline, and come in time, whatever else there is to do."""
        clock = NOTE.search((await own_task(client)).notes)
        if clock is None:
            raise ToolFailed("the task speaks of no invitations")
        page = await read_text(client, PAGE.path)
        order = [match[1] for match in _KIND.finditer(page)]
        clashing = [
            meeting
            for meeting in await _meetings(client)
            if datetime.fromisoformat(meeting["starts"]).time() == clock
            and meeting["title"] in order
        ]
        if len(clashing) != 2:
            raise ToolFailed(f"the calendar has {len(clashing)} such invitations for {clock}")
        first, second = sorted(clashing, key=lambda one: order.index(one["title"]))
        await client.call("calendar_respond", meeting=second["id"], answer="declined")
        starts = datetime.fromisoformat(first["starts"])
        await client.promise(starts)
        busy = AppointmentClient(client, int(first["id"]), starts)
        await do(busy)
        await busy.keep()


async def _meetings(client: ToolClient) -> list[ToolData]:
    """All meetings of today in the worker's calendar."""
    today, found = (await client.call("desk_now")).time.date(), list[ToolData]()
    while True:
        page = await client.call("calendar_list", day=today.isoformat(), offset=len(found))
        found += page.data["meetings"]
        if not page.data["meetings"] or len(found) >= page.data["total"]:
            return found
