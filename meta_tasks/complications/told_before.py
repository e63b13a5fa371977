"""A task's facts are told in a meeting on an earlier day, and never again.

an earlier day: an invitation names the task ──► the meeting: facts, aloud ──► the employee's notes
the task's day: a note under the task names the reference under which they were told
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from trainee_bench.meta_tasks.authoring.converters import DATE, FULL_NAME, TEXT, WORD
from trainee_bench.meta_tasks.authoring.text_template import TextTemplate, ValueTemplate
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene
from trainee_bench.meta_tasks.meta_task import PlannedEvent
from trainee_bench.meta_tasks.scene_features import SceneFeature
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed
from trainee_bench.meta_tasks.work.achieving import Attended, FileHas
from trainee_bench.meta_tasks.work.asking import Told
from trainee_bench.meta_tasks.work.habits import Habit, Inner, around
from trainee_bench.meta_tasks.work.need import Need, Work
from trainee_bench.meta_tasks.work.reading import PersonCalled, notes_of
from trainee_bench.meta_tasks.work.sources import Meetings, ReadText
from trainee_bench.meta_tasks.work.standing import ForLaterDays
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.colleagues.availability import AbsenceBegins, SlowAnswersBegin
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.meetings.meeting import Announcement
from trainee_bench.world.meetings.rooms import fitting_rooms
from trainee_bench.world.notes import NOTES_FOLDER
from trainee_bench.world.transaction import WorkingDay

FARTHEST = 5
"""The most working days from the meeting to the task: a week."""
MINUTES = 15
_NOTICE = timedelta(minutes=30)
"""The least time from the morning, when the invitation is there, to the meeting."""
_STARTS = tuple(time(hour, minute) for hour in range(9, 18) for minute in (0, 15, 30, 45))
_MINUTES_TEXT = "The minutes do not contain what was said."


@dataclass(frozen=True)
class Heard:
    """A fact as it is told: the reference, who knows it, the question, and their answer to it."""

    reference: str
    name: str
    question: str
    answer: str


HEARD = TextTemplate(
    Heard,
    "For {reference}: {name} was asked “{question}” The answer is: {answer}",
    {"reference": WORD, "name": FULL_NAME, "question": TEXT, "answer": TEXT},
)
BRIEFING = ValueTemplate("Briefing for {value}", WORD)
"""The title of the meeting, with the reference."""
AGENDA = (
    "On {day:%A}, {day:%Y-%m-%d}, you get the task “{title}”. You hear now what colleagues know "
    "for it, under the reference {reference}. Nobody can tell it later, so please write it down."
)


@dataclass(frozen=True)
class ToldOn:
    """The day on which the facts were told, and the reference."""

    day: date
    reference: str


NOTE = TextTemplate(
    ToldOn,
    "You were told on {day} what colleagues know for this task, under the reference {reference}, "
    "and nobody can tell it again, even where the task says to ask.",
    {"day": DATE, "reference": WORD},
)


def _page(reference: str) -> str:
    """Return the path of the page with notes of what was told under a reference."""
    return f"{NOTES_FOLDER}/{reference}.md"


@dataclass(frozen=True)
class BriefingNoted(Need[None]):
    """A page with everything that was said in a meeting under a reference."""

    meeting: int
    starts: datetime
    reference: str

    async def satisfy(self, work: Work) -> None:
        """Attend, and write it down."""
        heard = (await work(Attended(self.meeting, self.starts)))["announcements"]
        if heard:
            lines = "\n".join(f"- {json.dumps(str(text))}" for text in heard)
            await work(FileHas(_page(self.reference), f"{lines}\n"))


@dataclass(frozen=True)
class BriefingNotes(Need[tuple[Heard, ...]]):
    """The facts written down under a reference on an earlier day; none without a page."""

    reference: str

    async def satisfy(self, work: Work) -> tuple[Heard, ...]:
        """Read the page."""
        try:
            lines = (await work(ReadText(_page(self.reference)))).splitlines()
        except ToolFailed:
            return ()
        return tuple(HEARD.parse(json.loads(line.removeprefix("- "))) for line in lines)


class NotesBriefings(Habit):
    """A habit: comes to meetings that tell something for a later task, and keeps notes of them."""

    name = "notes briefings"

    @around(ForLaterDays)
    async def _come(
        self, work: Work, need: ForLaterDays, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        known, found = await inner(), list[Need[Any]]()
        for meeting in await work(Meetings(work.worker.ends.date())):
            reference = BRIEFING.search(meeting.title)
            if reference and not meeting.cancelled and meeting.starts >= work.now:
                found.append(BriefingNoted(meeting.id, meeting.starts, reference))
        return (*known, *found)

    @around(Told)
    async def _told(
        self, work: Work, need: Told[object], inner: Inner[dict[str, object]]
    ) -> dict[str, object]:
        then = NOTE.search(await notes_of(work, need.task))
        if then is None:
            return await inner()
        told, question = dict[str, object](), need.question
        notes = await work(BriefingNotes(then.reference))
        people = await work.all(PersonCalled(heard.name) for heard in notes)
        own = [heard for heard, by in zip(notes, people, strict=True) if by.id == need.person]
        for heard in own or notes:  # a deputy may have answered
            text = f"{heard.question} {heard.answer}"
            if all(quoted in text for quoted in question.quoted):
                told |= question.read(heard.answer)
        return told if told.keys() >= {*question.subjects} else await inner()


class ToldBefore(Complication):
    """The facts that colleagues know are told in a meeting on an earlier day, and never again."""

    name = "told_before"
    kind = ComplicationKind.PEOPLE
    stage = Stage.READING
    drawn = False
    several_days = True
    about = (
        "A meeting on an earlier day tells the facts that colleagues know, and nobody can tell "
        "them later."
    )
    requires = frozenset({SceneFeature.HELD_FACT})
    habits = (NotesBriefings(),)

    def apply(self, scene: Scene) -> Complicated:
        """Have the facts told on one of the days before. Raises CompositionError if there is
        none."""
        clues, reference = facts_to_tell(scene), scene.context.fresh_id("REF", self.name)
        (hour,) = free_hours(scene, 1)
        briefing = hour.briefing(scene, reference, clues, AGENDA)
        scene = told_on(scene, [hour.day], reference, clues)
        return Complicated(scene.with_events(briefing))


@dataclass(frozen=True)
class FreeHour:
    """An hour before the task that is reserved for a briefing."""

    day: WorkingDay
    room: str
    begins: datetime
    ends: datetime

    def briefing(
        self, scene: Scene, reference: str, clues: Sequence[Clue], agenda: str
    ) -> PlannedEvent:
        """Return the invitation to the meeting in which *clues* are told."""
        context, title = scene.context, scene.told.title
        meeting = MeetingBooked(
            key=context.clue_id(f"briefing of {self.begins:%Y-%m-%d}"),
            organizer=scene.told.requester,
            attendees=(context.employee.id,),
            room=self.room,
            starts=self.begins,
            ends=self.ends,
            title=BRIEFING.render(reference),
            agenda=agenda.format(day=context.day.starts, title=title, reference=reference),
            minutes_text=_MINUTES_TEXT,
            announcements=tuple(
                Announcement(clue=clue.id, text=as_told(scene, reference, clue), aloud=True)
                for clue in clues
            ),
        )
        return PlannedEvent(meeting, self.day.starts, known_before=True)


def free_hours(scene: Scene, count: int) -> list[FreeHour]:
    """Reserve hours on *count* different days before the task, and return them in order. Raises
    CompositionError if there are not so many days, or if all their hours are taken."""
    context, found = scene.context, list[FreeHour]()
    earlier = [day for day in context.world_days if day.starts < context.day.starts][-FARTHEST:]
    rooms, draws = fitting_rooms(2, (), context.rooms), context.stream("hours of briefings")
    for day in draws.sample(earlier, len(earlier)):
        clocks = draws.sample(_STARTS, len(_STARTS))
        at = [datetime.combine(day.starts, clock) for clock in clocks]
        starts = [start for start in at if start >= day.starts + _NOTICE]
        with suppress(CompositionError):
            slot = context.reserve_meeting_slot(starts, MINUTES, draws.sample(rooms, len(rooms)))
            found.append(FreeHour(day, *slot))
        if len(found) == count:
            return sorted(found, key=lambda hour: hour.begins)
    free = "" if len(earlier) < count else " with a free hour"
    there = len(found) if free else len(earlier)
    raise CompositionError(
        f"the facts for {context.task} are told on earlier days: it needs {count}{free} and has "
        f"{there}; put it on a later day of a week"
    )


def facts_to_tell(scene: Scene) -> tuple[Clue, ...]:
    """Return the clues that colleagues would tell on the task's day. Raises CompositionError if
    another complication works on them, on their holders, or on the request."""
    clues, events = scene.held_clues(every=True), [p.event for p in scene.hidden.events]
    busy = {e.person for e in events if isinstance(e, AbsenceBegins | SlowAnswersBegin)}
    changes = any(isinstance(event, RequestChanged) for event in events)
    if changes or busy.intersection(clue.holder for clue in clues):
        raise CompositionError(
            f"another complication works on the request of {scene.context.task} or on the people "
            "who know something for it; leave one of them out"
        )
    return clues


def told_on(
    scene: Scene, days: Sequence[WorkingDay], reference: str, clues: Sequence[Clue]
) -> Scene:
    """Return the scene in which *clues* are told in meetings on these *days* and by nobody, and a
    note names the last day."""
    starts = tuple(day.starts for day in days)
    ahead = {**scene.hidden.told_ahead, **{clue.id: starts for clue in clues}}
    for clue in clues:
        told = Clue(id=clue.id, holder="", payload=as_told(scene, reference, clue))
        scene = scene.with_clue(told).taking(clue.id)
    note = NOTE.render(ToldOn(days[-1].starts.date(), reference))
    return scene.with_hidden(told_ahead=ahead).with_note(note)


def as_told(scene: Scene, reference: str, clue: Clue) -> str:
    """Return the text by which *clue* is told under *reference*."""
    name = scene.context.company.person(clue.holder).name
    return HEARD.render(Heard(reference, name, clue.asks[0], clue.payload))
