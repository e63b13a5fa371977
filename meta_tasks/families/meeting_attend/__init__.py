"""Meetings: be there on time, and do what is handed out there.

Told: room and hours. Hidden: the assignment with everything it is about, announced in the
meeting only; for the types that check, the procurement rules on the drive, which the
announcement names. An empty meeting (type none) would be earned by whoever attends every
meeting, so its decisions have to be noted down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from meta_tasks.deliverable import Deliverable, Flaw, plain
from meta_tasks.families.meeting_attend.announcement import (
    MINUTES,
    announce_decisions,
    announce_wishes,
)
from meta_tasks.families.meeting_attend.decisions import Decision, draw_decisions
from meta_tasks.families.meeting_attend.handed_in import (
    CostedList,
    DecisionList,
    WishList,
    cents,
    rows_asked,
    rows_given,
)
from meta_tasks.families.meeting_attend.invitation import draw_slot, draw_team
from meta_tasks.families.meeting_attend.oracle import attend_and_write
from meta_tasks.families.meeting_attend.wishes import Wish, draw_wishes
from meta_tasks.hands import Hands
from meta_tasks.meta_task import (
    Case,
    Checkpoint,
    Domain,
    Hints,
    Label,
    MetaTask,
    Planned,
    Rule,
    Scene,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from meta_tasks.stage import Handover, Port, Stage
from world.apps.calendar import Calendar, MeetingBooked
from world.meetings.meeting import Announcement
from world.npc import Clue
from world.people import Person

ASSIGNMENT = "assignment"
KNOWN_BEFORE = timedelta(minutes=20)
"""How long before its start one learns of the meeting at the latest."""


class Type(StrEnum):
    """What is to be done in a meeting beside being there."""

    NONE = "none"
    WRITE = "write"
    SUM = "sum"
    CHECK = "check"
    CHECK_SUM = "check_sum"

    @property
    def checks(self) -> bool:
        """Whether requests that break the rules are to be left out."""
        return self in (Type.CHECK, Type.CHECK_SUM)

    @property
    def model(self) -> type[Deliverable]:
        """What is handed in."""
        if self is Type.NONE:
            return DecisionList
        return CostedList if self in (Type.SUM, Type.CHECK_SUM) else WishList


_WEIGHTS: Mapping[type[Deliverable], Mapping[str, float]] = {
    DecisionList: {"decisions_noted": 4},
    WishList: {"requests_listed": 4},
    CostedList: {"requests_listed": 2, "totals_right": 1, "grand_total_right": 1},
}


@dataclass(frozen=True)
class Held:
    """The meeting as it is graded: its key, what to hand in where, what belongs into it.

    ``listed`` are the requests that the assignment wants, ``wishes`` all that were made.
    """

    key: str
    path: str
    wishes: tuple[Wish, ...] = ()
    listed: tuple[Wish, ...] = ()
    decisions: tuple[Decision, ...] = ()


class _Published(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    meeting_start_time: datetime
    meeting_last_time: float
    task_type: Type
    task_level: Literal[1, 2, 3]


class MeetingAttend(MetaTask[Held]):
    """A meeting of Marketing or Product to which the trainee is invited.

    ``unreasonable`` is how many requests break the procurement rules; of an empty meeting,
    how many decisions it takes. ``starts`` and ``hours`` may be fixed by a scenario.
    """

    family: ClassVar[str] = "meeting_attend"
    domain: ClassVar[Domain] = Domain.TIME
    published_name: ClassVar[str] = "Meeting Attend"
    gives: ClassVar[Port | None] = Port.AMOUNT

    type: Type
    unreasonable: Literal[1, 2, 3]
    starts: time | None = None
    hours: float | None = Field(default=None, gt=0, le=4, multiple_of=0.25)

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Five types by three levels; checking is hard."""
        levels: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
        made = [cls(type=kind, unreasonable=level) for kind in Type for level in levels]
        return tuple(
            Rule(one.rule_id, Label.HARD if one.type.checks else Label.EASY, one) for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``meeting_attend.check_sum.u2``."""
        return f"{self.family}.{self.type}.u{self.unreasonable}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> MeetingAttend:
        """The meeting an entry of the original's files means, at its time. Raises ValueError."""
        entry = _Published.model_validate(arguments)
        return cls(
            type=entry.task_type,
            unreasonable=entry.task_level,
            starts=entry.meeting_start_time.time(),
            hours=entry.meeting_last_time,
        )

    # the scene ------------------------------------------------------------------------

    def scene(self, stage: Stage) -> Scene[Held]:
        """A team's meeting, with the assignment announced in it."""
        host, team = draw_team(stage, at_least=self.unreasonable + 1)
        room, starts, ends = draw_slot(stage, len(team) + 2, self.starts, self.hours)
        clue = stage.clue_id(ASSIGNMENT)
        name = "meeting_note" if self.type is Type.NONE else "meeting_summary"
        path = stage.file(f"workspace:/{name}.json")
        held, text = self._assignment(stage, team, path)
        meeting = MeetingBooked(
            key=held.key,
            organizer=host.id,
            attendees=(*(person.id for person in team), stage.employee.id),
            room=room,
            starts=starts,
            ends=ends,
            title=f"{host.department}: team meeting",
            agenda="What is done, what comes next, anything else.",
            minutes_text=stage.stream("minutes").choice(MINUTES),
            announcements=(Announcement(clue=clue, task=stage.task, text=text),),
        )
        return Scene(
            title=f"{host.department} team meeting, {starts:%H:%M}",
            objective=(
                f"Take part in the {host.department} team's meeting in {room}, from "
                f"{starts:%H:%M} to {ends:%H:%M} on {starts:%Y-%m-%d}; {host.name} has invited "
                "you. Be there on time: at most five minutes before or after the start. "
                "Something to do is handed out in the meeting; do it afterwards, before this "
                "task is due."
            ),
            truth=held,
            hints=_hints(self.type),
            clues=(Clue(id=clue, holder="", payload=text),),
            events=(Planned(meeting),),
            outputs=(path,),
            requester=host.id,
            result=_grand_total(stage.task, held) if self.type.model is CostedList else None,
            known_by=starts - KNOWN_BEFORE,
        )

    def _assignment(self, stage: Stage, team: Sequence[Person], path: str) -> tuple[Held, str]:
        """What is handed out, drawn from the assignment's secret alone, and its words."""
        draws = stage.secret(ASSIGNMENT)
        key, names = stage.clue_id("meeting"), [person.name for person in team]
        if self.type is Type.NONE:
            today = stage.day.starts.date()
            decisions = draw_decisions(draws, names, self.unreasonable, today)
            text = announce_decisions(decisions, path, self.type.model)
            return Held(key, path, decisions=decisions), text
        wishes = draw_wishes(draws, names, self.unreasonable)
        listed = tuple(w for w in wishes if not (self.type.checks and w.breaches))
        text = announce_wishes(wishes, path, self.type.model, self.type.checks)
        return Held(key, path, wishes, listed), text

    @staticmethod
    async def oracle(hands: Hands) -> None:
        """Attend and write down what is asked."""
        await attend_and_write(hands)

    # what is graded ---------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this type, and punctuality with the first of them."""
        declared = {mark.name: mark for mark in declared_checkpoints(MeetingAttend)}
        weights = _WEIGHTS[self.type.model]
        outcomes = [replace(declared[name], weight=weight) for name, weight in weights.items()]
        return (*outcomes, replace(declared["punctual"], only_with=outcomes[0].name))

    @checkpoint(
        "Exactly the requests that were asked for are listed, each as it was made",
        where="In the announcement of the meeting, which also stands beside the task.",
        how="Compare each line of the announcement with your list: name, item, pieces, price. "
        "Where the announcement names rules, hold every request against every one of them.",
    )
    def requests_listed(self, case: Case[Held]) -> Verdict:
        """Precision and recall over whole rows."""
        given = case.handed_in(case.truth.path, self.type.model)
        if not isinstance(given, WishList | CostedList):
            return _unread(given)
        rows, asked = rows_given(given.requirement), rows_asked(case.truth.listed)
        made = rows_asked(case.truth.wishes)
        seen = [f"the list has {rows.total()} entries"]
        seen += ["some are not what anybody asked for"] if rows - made else []
        seen += ["some do not belong on it"] if (rows & made) - asked else []
        seen += ["something is missing"] if asked - rows else []
        return Verdict(rows == asked, "; ".join(seen))

    @checkpoint(
        "Each listed request has its right total",
        where="In your own list: quantity and unit_price of each entry.",
        how="Multiply them to the cent; do not round.",
    )
    def totals_right(self, case: Case[Held]) -> Verdict:
        """The totals of exactly the requests to be listed."""
        given = case.handed_in(case.truth.path, CostedList)
        if isinstance(given, Flaw):
            return _unread(given)
        rows = sorted(
            (plain(e.name), plain(e.item), cents(e.total) or 0) for e in given.requirement
        )
        asked = sorted((plain(w.name), plain(w.item), w.total) for w in case.truth.listed)
        wrong = "" if rows == asked else ", not each the right one for a request to be listed"
        return Verdict(rows == asked, f"the list has {len(rows)} totals{wrong}")

    @checkpoint(
        "The grand total over all listed requests is right",
        where="In your own list: the totals of its entries.",
        how="Add up the totals of the requests that belong on the list, and no others.",
    )
    def grand_total_right(self, case: Case[Held]) -> Verdict:
        """The statistics field, to the cent."""
        given = case.handed_in(case.truth.path, CostedList)
        if isinstance(given, Flaw):
            return _unread(given)
        right = cents(given.statistics) == sum(wish.total for wish in case.truth.listed)
        return Verdict(right, f"statistics says {given.statistics}")

    @checkpoint(
        "Exactly the decisions of the meeting are noted, each with owner, date and budget",
        where="In the announcement of the meeting, which also stands beside the task.",
        how="Take topic, owner, date and budget of each decision over as they were said.",
    )
    def decisions_noted(self, case: Case[Held]) -> Verdict:
        """Precision and recall over whole decisions."""
        given = case.handed_in(case.truth.path, DecisionList)
        if isinstance(given, Flaw):
            return _unread(given)
        rows = sorted((plain(d.topic), plain(d.owner), d.due, d.budget) for d in given.decisions)
        asked = sorted(
            (plain(d.topic), plain(d.owner), d.due, d.budget) for d in case.truth.decisions
        )
        wrong = "" if rows == asked else ", not just as they were taken"
        return Verdict(rows == asked, f"the note has {len(rows)} decisions{wrong}")

    @checkpoint(
        "You were in the meeting on time",
        where="In the calendar: the meeting's start, and when you came.",
        how="Wait until just before the start (desk_wait), then calendar_attend. More than five "
        "minutes early is refused, more than five minutes late is too late.",
    )
    def punctual(self, case: Case[Held]) -> Verdict:
        """By the calendar's record, within five minutes of the start on both sides."""
        calendar = Calendar(case.turn)
        meeting = calendar.staged(case.truth.key)
        came = calendar.attendance(case.employee, meeting.id)
        if came is None:
            return Verdict(False, "you were not in the meeting")
        return Verdict(
            came.on_time, f"you came at {came.arrived:%H:%M}; it began at {meeting.starts:%H:%M}"
        )


def _grand_total(task: str, held: Held) -> Handover:
    total = sum(wish.total for wish in held.listed)
    return Handover(task, held.path, "the grand total in the field statistics", cents=total)


def _hints(kind: Type) -> Hints:
    how = (
        "Read the time with desk_now, wait until a minute or two before the start with desk_wait, "
        "then call calendar_attend with the meeting's id from calendar_list. Write the JSON file "
        "with files_write, with exactly the fields that are asked for."
    )
    if kind.checks:
        how += " Hold each request against every rule: pieces, price of one, cost of all pieces."
    return Hints(
        strategy="What is to be done is said in the meeting and nowhere before it, so plan the day "
        "around its start; what you need beyond it is named there, too.",
        where="The meeting is in your calendar. What was announced stands beside the task in "
        "desk_tasks once you have heard it; a path that it names is on the company's drive.",
        how=how,
    )


def _unread(given: object) -> Verdict:
    assert isinstance(given, Flaw), f"unexpected deliverable {given!r}"
    return Verdict(False, given.seen)
