"""A duty about which something is said in the meetings of a team, and nowhere else."""

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
    """The same, with a team and its meetings."""

    team: tuple[Person, ...]
    meeting: Gathering

    @property
    def host(self) -> Person:
        """Whoever says it."""
        return self.meeting.host


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a week: what is told by each telling, the rows by day, what happens beside
    the meetings and the file of the day, and what the desk states of this duty alone."""

    told: Mapping[Any, Any]
    rows: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    events: Sequence[PlannedEvent] = ()
    stated: Mapping[str, str] = field(default_factory=dict)


class MeetingDuty(DailyDuty[Brief, Row]):
    """A team's head says what one has to know, each time in the same room at the same hour."""

    title: ClassVar[str]
    """What the desk calls it; may quote the ``{brief}``."""
    people: ClassVar[str]
    """The stream from which the people come."""
    count: ClassVar[int] = 6
    """How many people the team has beside its head."""
    invited: ClassVar[slice] = slice(5)
    """Those of them who come to the meetings."""
    reader: ClassVar[str] = "recipient"
    """The stream from which the reader of the mails comes, if it is always the same one."""
    meeting: ClassVar[str]
    """The stream from which the meeting's hour comes."""
    minutes: ClassVar[int] = 30
    topic: ClassVar[str]
    """What the calendar says the meeting is about."""

    @abstractmethod
    def draw_week(self, scene: MeetingScene) -> Drawn:
        """The rest of the week."""

    def host_of(self, context: TaskContext, head: Person) -> Person:
        """Whoever says it: the team's head."""
        return head

    def draw(self, scene: DutyScene) -> DrawnWeek[Row]:
        """People, an hour for the meeting, and what is said there."""
        context = scene.context
        department, head, team = draw_team(context, self.people, self.count)
        host = self.host_of(context, head)
        reader = draw_reader(context, self.reader, (host, *team)) if self.reader else None
        aloud = [telling for telling in self.tellings if isinstance(telling, Aloud)]
        days = [telling.day for telling in aloud]
        meeting = gather(context, self.meeting, host, team[self.invited], days, self.minutes)
        drawn = self.draw_week(MeetingScene(**vars(scene), team=team, meeting=meeting))
        said = {one.day: one.say(context, drawn.told[one], **drawn.stated) for one in aloud}
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
            told={one.day: one.note(value) for one, value in drawn.told.items()},
            rows=drawn.rows,
            clues=tuple(said.values()),
            events=(
                *(scene.files(self.file, drawn.rows) if self.file else ()),
                *meeting.events(f"{host.department}: {self.topic}", said),
                *drawn.events,
            ),
            known_by=meeting.known_by,
        )
