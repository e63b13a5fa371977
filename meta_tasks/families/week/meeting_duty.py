"""A duty whose facts are announced only in the meetings of a team."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from trainee_bench.meta_tasks.authoring import PlannedEvent, TaskContext
from trainee_bench.meta_tasks.families.week.days import Gathering, gather
from trainee_bench.meta_tasks.families.week.desk import MeetingBrief
from trainee_bench.meta_tasks.families.week.duty import DailyDuty, DrawnWeek, DutyScene
from trainee_bench.meta_tasks.families.week.people import draw_reader, draw_team
from trainee_bench.meta_tasks.families.week.telling import Aloud
from trainee_bench.world.company.people import Person

Brief = TypeVar("Brief", bound=MeetingBrief)
Row = TypeVar("Row")


@dataclass(frozen=True)
class MeetingScene(DutyScene):
    """The scene of a duty, with a team and its meetings."""

    team: tuple[Person, ...]
    meeting: Gathering

    @property
    def host(self) -> Person:
        """The person who makes the announcements."""
        return self.meeting.host


@dataclass(frozen=True)
class Drawn:
    """The drawn parts of a week.

    *told* has the value of each telling, *rows* the rows of each day's file. *events* are those
    besides the meetings and the files. *stated* are facts of the objective of this duty alone.
    """

    told: Mapping[Any, Any]
    rows: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    events: Sequence[PlannedEvent] = ()
    stated: Mapping[str, str] = field(default_factory=dict)


class MeetingDuty(DailyDuty[Brief, Row]):
    """A duty whose facts a team's head announces, always in the same room at the same hour."""

    title: ClassVar[str]
    """The task's title; may quote the ``{brief}``."""
    people: ClassVar[str]
    """The stream that draws the people."""
    count: ClassVar[int] = 6
    """The size of the team without its head."""
    invited: ClassVar[slice] = slice(5)
    """The members of the team who come to the meetings."""
    reader: ClassVar[str] = "recipient"
    """The stream that draws the reader of the mails; empty if the reader changes."""
    meeting: ClassVar[str]
    """The stream that draws the meeting's hour."""
    minutes: ClassVar[int] = 30
    topic: ClassVar[str]
    """The topic of the meeting in the calendar."""

    @abstractmethod
    def draw_week(self, scene: MeetingScene) -> Drawn:
        """Draw the parts of the week that are specific to the duty."""

    def host_of(self, context: TaskContext, head: Person) -> Person:
        """The person who makes the announcements: the team's head, unless overridden."""
        return head

    def draw(self, scene: DutyScene) -> DrawnWeek[Row]:
        """Draw the people, the hour of the meeting, and the announcements."""
        context = scene.context
        department, head, team = draw_team(context, self.people, self.count)
        host = self.host_of(context, head)
        reader = draw_reader(context, self.reader, (host, *team)) if self.reader else None
        aloud = [telling for telling in self.tellings if isinstance(telling, Aloud)]
        days = [telling.day for telling in aloud]
        meeting = gather(context, self.meeting, host, team[self.invited], days, self.minutes)
        drawn = self.draw_week(MeetingScene(**vars(scene), team=team, meeting=meeting))
        said = {
            telling.day: telling.say(context, drawn.told[telling], **drawn.stated)
            for telling in aloud
        }
        stated = {"subject": self.subject, **drawn.stated}
        brief = scene.states(
            self.desk.of, department=department, recipient=reader.name if reader else "",
            host=host.name, meeting=meeting.hour, **stated,
        )  # fmt: skip
        return DrawnWeek(
            title=self.title.format(brief=brief),
            brief=brief,
            requester=host,
            reader=reader,
            told={telling.day: telling.note(value) for telling, value in drawn.told.items()},
            rows=drawn.rows,
            clues=tuple(said.values()),
            events=(
                *(scene.files(self.file, drawn.rows) if self.file else ()),
                *meeting.events(f"{host.department}: {self.topic}", said),
                *drawn.events,
            ),
            known_by=meeting.known_by,
        )
