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

from trainee_bench.meta_tasks.deliverable import Deliverable, InvalidDeliverable, fold_text
from trainee_bench.meta_tasks.families.meeting_attend.decisions import (
    MeetingDecision,
    draw_decisions,
)
from trainee_bench.meta_tasks.families.meeting_attend.deliverables import (
    CostedRequestList,
    DecisionList,
    RequestList,
    expected_rows,
    submitted_rows,
    to_cents,
)
from trainee_bench.meta_tasks.families.meeting_attend.oracle import attend_and_write
from trainee_bench.meta_tasks.families.meeting_attend.prompts import (
    MEETING_MINUTES,
    decisions_assignment,
    requests_assignment,
)
from trainee_bench.meta_tasks.families.meeting_attend.purchase_requests import (
    PurchaseRequest,
    draw_requests,
)
from trainee_bench.meta_tasks.families.meeting_attend.scheduling import draw_meeting_slot, draw_team
from trainee_bench.meta_tasks.meta_task import (
    Checkpoint,
    Difficulty,
    Domain,
    GradingContext,
    Hints,
    MetaTask,
    PlannedEvent,
    Rule,
    TaskInstance,
    Verdict,
    checkpoint,
    declared_checkpoints,
)
from trainee_bench.meta_tasks.task_context import OutputType, TaskContext, TaskOutput
from trainee_bench.meta_tasks.tool_client import ToolClient
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.meeting import Announcement

ASSIGNMENT = "assignment"
NOTICE_BEFORE_START = timedelta(minutes=20)
"""How long before its start one learns of the meeting at the latest."""


class MeetingTaskType(StrEnum):
    """What is to be done in a meeting beside being there."""

    NONE = "none"
    WRITE = "write"
    SUM = "sum"
    CHECK = "check"
    CHECK_SUM = "check_sum"

    @property
    def checks_rules(self) -> bool:
        """Whether requests that break the rules are to be left out."""
        return self in (MeetingTaskType.CHECK, MeetingTaskType.CHECK_SUM)

    @property
    def model(self) -> type[Deliverable]:
        """What is handed in."""
        if self is MeetingTaskType.NONE:
            return DecisionList
        return (
            CostedRequestList
            if self in (MeetingTaskType.SUM, MeetingTaskType.CHECK_SUM)
            else RequestList
        )


_WEIGHTS: Mapping[type[Deliverable], Mapping[str, float]] = {
    DecisionList: {"decisions_noted": 4},
    RequestList: {"requests_listed": 4},
    CostedRequestList: {"requests_listed": 2, "totals_right": 1, "grand_total_right": 1},
}


@dataclass(frozen=True)
class MeetingAttendTruth:
    """The meeting as it is graded: its key, what to hand in where, what belongs into it.

    ``join_with_and`` are the requests that the assignment wants, ``wishes`` all that were made.
    """

    key: str
    path: str
    wishes: tuple[PurchaseRequest, ...] = ()
    listed: tuple[PurchaseRequest, ...] = ()
    decisions: tuple[MeetingDecision, ...] = ()


class PublishedMeetingAttend(BaseModel):
    """An entry's arguments in the original's files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    meeting_start_time: datetime
    meeting_last_time: float
    task_type: MeetingTaskType
    task_level: Literal[1, 2, 3]


class MeetingAttend(MetaTask[MeetingAttendTruth]):
    """A meeting of Marketing or Product to which the trainee is invited.

    ``unreasonable`` is how many requests break the procurement rules; of an empty meeting,
    how many decisions it takes. ``starts`` and ``hours`` may be fixed by a scenario.
    """

    family: ClassVar[str] = "meeting_attend"
    domain: ClassVar[Domain] = Domain.TIME
    published_name: ClassVar[str] = "Meeting Attend"
    output_type: ClassVar[OutputType | None] = OutputType.AMOUNT

    type: MeetingTaskType
    unreasonable: Literal[1, 2, 3]
    starts: time | None = None
    hours: float | None = Field(default=None, gt=0, le=4, multiple_of=0.25)

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Five types by three levels; checking is hard."""
        levels: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
        made = [cls(type=kind, unreasonable=level) for kind in MeetingTaskType for level in levels]
        return tuple(
            Rule(one.rule_id, Difficulty.HARD if one.type.checks_rules else Difficulty.EASY, one)
            for one in made
        )

    @property
    def rule_id(self) -> str:
        """Such as ``meeting_attend.check_sum.u2``."""
        return f"{self.family}.{self.type}.u{self.unreasonable}"

    @classmethod
    def from_published(cls, arguments: Mapping[str, JsonValue]) -> MeetingAttend:
        """The meeting an entry of the original's files means, at its time. Raises ValueError."""
        entry = PublishedMeetingAttend.model_validate(arguments)
        return cls(
            type=entry.task_type,
            unreasonable=entry.task_level,
            starts=entry.meeting_start_time.time(),
            hours=entry.meeting_last_time,
        )

    # the scene ------------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[MeetingAttendTruth]:
        """A team's meeting, with the assignment announced in it."""
        host, team = draw_team(context, at_least=self.unreasonable + 1)
        room, starts, ends = draw_meeting_slot(context, len(team) + 2, self.starts, self.hours)
        clue = context.clue_id(ASSIGNMENT)
        name = "meeting_note" if self.type is MeetingTaskType.NONE else "meeting_summary"
        path = context.reserve_path(f"workspace:/{name}.json")
        held, text = self._assignment(context, team, path)
        meeting = MeetingBooked(
            key=held.key,
            organizer=host.id,
            attendees=(*(person.id for person in team), context.employee.id),
            room=room,
            starts=starts,
            ends=ends,
            title=f"{host.department}: team meeting",
            agenda="What is done, what comes next, anything else.",
            minutes_text=context.stream("minutes").choice(MEETING_MINUTES),
            announcements=(Announcement(clue=clue, task=context.task, text=text),),
        )
        return TaskInstance(
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
            events=(PlannedEvent(meeting),),
            deliverable_paths=(path,),
            requester=host.id,
            task_output=_grand_total(context.task, held)
            if self.type.model is CostedRequestList
            else None,
            must_know_by=starts - NOTICE_BEFORE_START,
        )

    def _assignment(
        self, context: TaskContext, team: Sequence[Person], path: str
    ) -> tuple[MeetingAttendTruth, str]:
        """What is handed out, drawn from the assignment's secret alone, and its words."""
        draws = context.secret_stream(ASSIGNMENT)
        key, names = context.clue_id("meeting"), [person.name for person in team]
        if self.type is MeetingTaskType.NONE:
            today = context.day.starts.date()
            decisions = draw_decisions(draws, names, self.unreasonable, today)
            text = decisions_assignment(decisions, path, self.type.model)
            return MeetingAttendTruth(key, path, decisions=decisions), text
        wishes = draw_requests(draws, names, self.unreasonable)
        listed = tuple(w for w in wishes if not (self.type.checks_rules and w.breaches))
        text = requests_assignment(wishes, path, self.type.model, self.type.checks_rules)
        return MeetingAttendTruth(key, path, wishes, listed), text

    @staticmethod
    async def oracle(client: ToolClient) -> None:
        """Attend and write down what is asked."""
        await attend_and_write(client)

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
    def requests_listed(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Precision and recall over whole rows."""
        given = grading.read_deliverable(grading.truth.path, self.type.model)
        if not isinstance(given, RequestList | CostedRequestList):
            return _unread(given)
        rows, asked = submitted_rows(given.requirement), expected_rows(grading.truth.listed)
        made = expected_rows(grading.truth.wishes)
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
    def totals_right(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """The totals of exactly the requests to be listed."""
        given = grading.read_deliverable(grading.truth.path, CostedRequestList)
        if isinstance(given, InvalidDeliverable):
            return _unread(given)
        rows = sorted(
            (fold_text(e.name), fold_text(e.item), to_cents(e.total) or 0)
            for e in given.requirement
        )
        asked = sorted(
            (fold_text(w.name), fold_text(w.item), w.total) for w in grading.truth.listed
        )
        wrong = "" if rows == asked else ", not each the right one for a request to be listed"
        return Verdict(rows == asked, f"the list has {len(rows)} totals{wrong}")

    @checkpoint(
        "The grand total over all listed requests is right",
        where="In your own list: the totals of its entries.",
        how="Add up the totals of the requests that belong on the list, and no others.",
    )
    def grand_total_right(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """The statistics field, to the cent."""
        given = grading.read_deliverable(grading.truth.path, CostedRequestList)
        if isinstance(given, InvalidDeliverable):
            return _unread(given)
        right = to_cents(given.statistics) == sum(wish.total for wish in grading.truth.listed)
        return Verdict(right, f"statistics says {given.statistics}")

    @checkpoint(
        "Exactly the decisions of the meeting are noted, each with owner, date and budget",
        where="In the announcement of the meeting, which also stands beside the task.",
        how="Take topic, owner, date and budget of each decision over as they were said.",
    )
    def decisions_noted(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Precision and recall over whole decisions."""
        given = grading.read_deliverable(grading.truth.path, DecisionList)
        if isinstance(given, InvalidDeliverable):
            return _unread(given)
        rows = sorted(
            (fold_text(d.topic), fold_text(d.owner), d.due, d.budget) for d in given.decisions
        )
        asked = sorted(
            (fold_text(d.topic), fold_text(d.owner), d.due, d.budget)
            for d in grading.truth.decisions
        )
        wrong = "" if rows == asked else ", not just as they were taken"
        return Verdict(rows == asked, f"the note has {len(rows)} decisions{wrong}")

    @checkpoint(
        "You were in the meeting on time",
        where="In the calendar: the meeting's start, and when you came.",
        how="Wait until just before the start (desk_wait), then calendar_attend. More than five "
        "minutes early is refused, more than five minutes late is too late.",
    )
    def punctual(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """By the calendar's record, within five minutes of the start on both sides."""
        calendar = Calendar(grading.tx)
        meeting = calendar.meeting_by_key(grading.truth.key)
        came = calendar.attendance(grading.employee, meeting.id)
        if came is None:
            return Verdict(False, "you were not in the meeting")
        return Verdict(
            came.on_time, f"you came at {came.arrived:%H:%M}; it began at {meeting.starts:%H:%M}"
        )


def _grand_total(task: str, held: MeetingAttendTruth) -> TaskOutput:
    total = sum(wish.total for wish in held.listed)
    return TaskOutput(task, held.path, "the grand total in the field statistics", cents=total)


def _hints(kind: MeetingTaskType) -> Hints:
    how = (
        "Read the time with desk_now, wait until a minute or two before the start with desk_wait, "
        "then call calendar_attend with the meeting's id from calendar_list. Write the JSON file "
        "with files_write, with exactly the fields that are asked for."
    )
    if kind.checks_rules:
        how += " Hold each request against every rule: pieces, price of one, cost of all pieces."
    return Hints(
        strategy="What is to be done is said in the meeting and nowhere before it, so plan the day "
        "around its start; what you need beyond it is named there, too.",
        where="The meeting is in your calendar. What was announced stands beside the task in "
        "desk_tasks once you have heard it; a path that it names is on the company's drive.",
        how=how,
    )


def _unread(given: object) -> Verdict:
    assert isinstance(given, InvalidDeliverable), f"unexpected deliverable {given!r}"
    return Verdict(False, given.seen)
