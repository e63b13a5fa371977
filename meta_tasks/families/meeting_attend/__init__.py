"""Meetings: attend on time, and do the assignment that is announced there.

Told: room and hours. Hidden: the assignment with all its data, announced only in the meeting. Types
that check requests also need the procurement rules, a file that the announcement names. The type
none has no requests. Its decisions have to be noted down, so that attending alone earns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time
from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    Checkpoint,
    CompositionError,
    Deliverable,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    OutputType,
    PlannedEvent,
    PublishedEntry,
    Rule,
    TaskContext,
    TaskInstance,
    TaskOutput,
    ToldPart,
    Verdict,
    checkpoint,
    choose_checkpoints,
    rules_of,
)
from trainee_bench.meta_tasks.authoring.converters import to_cents
from trainee_bench.meta_tasks.authoring.meetings import (
    presence,
    punctuality,
    was_on_time,
    was_present,
)
from trainee_bench.meta_tasks.families.meeting_attend import data, work
from trainee_bench.meta_tasks.families.meeting_attend.brief import (
    ASSIGNMENT,
    MEETING_MINUTES,
    OBJECTIVE,
    RULES_PATH,
    Assignment,
    MeetingAttendBrief,
    list_referral,
)
from trainee_bench.meta_tasks.families.meeting_attend.deliverables import (
    CostedRequestList,
    DecisionEntry,
    DecisionList,
    MeetingAttendTruth,
    RequestEntry,
    RequestList,
    costed_list,
    rows_of,
)
from trainee_bench.meta_tasks.families.meeting_attend.subject import LIMITS
from trainee_bench.meta_tasks.meta_task import HonestWay, Shortcut
from trainee_bench.world.apps.calendar import Calendar, MeetingBooked
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.people import Person
from trainee_bench.world.meetings.meeting import Announcement

CLUE = "assignment"


class MeetingTaskType(StrEnum):
    """The kinds of assignment in the meeting."""

    NONE = "none"
    WRITE = "write"
    SUM = "sum"
    CHECK = "check"
    CHECK_SUM = "check_sum"

    @property
    def checks_rules(self) -> bool:
        """Whether requests that break the rules have to be left out."""
        return self in (MeetingTaskType.CHECK, MeetingTaskType.CHECK_SUM)

    @property
    def model(self) -> type[Deliverable]:
        """The model of the deliverable."""
        if self is MeetingTaskType.NONE:
            return DecisionList
        plain = self in (MeetingTaskType.WRITE, MeetingTaskType.CHECK)
        return RequestList if plain else CostedRequestList


_WEIGHTS: Mapping[type[Deliverable], Mapping[str, float]] = {
    DecisionList: {"decisions_noted": 4},
    RequestList: {"requests_listed": 4},
    CostedRequestList: {"requests_listed": 2, "totals_right": 1, "grand_total_right": 1},
}


class PublishedMeetingAttend(PublishedEntry):
    """An entry's arguments in the original's files."""

    meeting_start_time: datetime
    meeting_last_time: float
    task_type: MeetingTaskType
    task_level: Literal[1, 2, 3]

    def parameters(self) -> Mapping[str, object]:
        """The parameters of this meeting, with its time."""
        return {
            "type": self.task_type,
            "unreasonable": self.task_level,
            "starts": self.meeting_start_time.time(),
            "hours": self.meeting_last_time,
        }


class MeetingAttend(MetaTask[MeetingAttendTruth]):
    """Attend a meeting on time and do the assignment announced there.

    ``unreasonable`` is the number of requests that break the procurement rules, or for the type
    none the number of decisions. A scenario may fix ``starts`` and ``hours``.
    """

    family = "meeting_attend"
    domain = Domain.TIME
    keeps_appointment = True
    published_name = "Meeting Attend"
    published_entry = PublishedMeetingAttend
    output_type = OutputType.AMOUNT

    # parameters ---------------------------------------------------------------------------

    type: MeetingTaskType
    unreasonable: Literal[1, 2, 3]
    starts: time | None = None
    hours: float | None = Field(default=None, gt=0, le=4, multiple_of=0.25)

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Five types by three levels; checking is hard."""
        levels: tuple[Literal[1, 2, 3], ...] = (1, 2, 3)
        made = (cls(type=kind, unreasonable=level) for kind in MeetingTaskType for level in levels)
        return rules_of(made, hard=lambda rule: rule.type.checks_rules)

    @property
    def rule_id(self) -> str:
        """The rule's id, such as ``meeting_attend.check_sum.u2``."""
        return f"{self.family}.{self.type}.u{self.unreasonable}"

    # objective and clue ---------------------------------------------------------------------

    def generate(self, context: TaskContext) -> TaskInstance[MeetingAttendTruth]:
        """Create a team's meeting in which the assignment is announced.

        Raises CompositionError if the rules for requests are not on the drive.
        """
        if self.type.checks_rules and not context.company_pages:
            raise CompositionError(
                f"{self.rule_id} needs {RULES_PATH}, a page of the built-in company; write "
                "handbook: true in office.yaml, or leave the task out"
            )
        host, team = data.draw_team(context, at_least=self.unreasonable + 1)
        room, starts, ends = data.draw_meeting_slot(context, len(team) + 2, self.starts, self.hours)
        assignment = self._assignment(context, [person.name for person in team])
        clue, text = context.clue_id(CLUE), ASSIGNMENT.render(assignment)
        truth = MeetingAttendTruth(
            key=context.clue_id("meeting"),
            path=assignment.path,
            wishes=assignment.requests,
            listed=assignment.to_list(LIMITS),
            decisions=assignment.decisions,
        )
        meeting = MeetingBooked(
            key=truth.key,
            organizer=host.id,
            attendees=(*(person.id for person in team), context.employee.id),
            room=room,
            starts=starts,
            ends=ends,
            title=f"{host.department}: team meeting",
            agenda="Finished work, next steps, any other business.",
            minutes_text=context.stream("minutes").choice(MEETING_MINUTES),
            announcements=(Announcement(clue=clue, task=context.task, text=text),),
        )
        brief = MeetingAttendBrief(
            host.department, room, starts.date(), starts.time(), ends.time(), host.name
        )
        return TaskInstance(
            ToldPart(
                title=f"{host.department} team meeting, {starts:%H:%M}",
                objective=OBJECTIVE.render(brief),
                hints=HINTS_CHECKING if self.type.checks_rules else HINTS,
                requester=host.id,
                deliverable_paths=(truth.path,),
                must_know_by=starts - data.NOTICE_BEFORE_START,
            ),
            HiddenPart(
                clues=(Clue(id=clue, holder="", payload=text),),
                events=(PlannedEvent(meeting), *self._answers(context, assignment, meeting, host)),
            ),
            GradedPart(truth=truth, task_output=self._grand_total(context.task, truth)),
        )

    def _answers(
        self,
        context: TaskContext,
        assignment: Assignment,
        meeting: MeetingBooked,
        host: Person,
    ) -> tuple[PlannedEvent, ...]:
        """What everybody answers, from the meeting on, to the question which requests to list."""
        if not assignment.requests:
            return ()
        topic = context.clue_id("requests to list")
        return (PlannedEvent(list_referral(assignment, topic, host.department), meeting.starts),)

    def _assignment(self, context: TaskContext, names: Sequence[str]) -> Assignment:
        """Draw the announced assignment, from its own secret alone."""
        draws, model = context.secret_stream(CLUE), self.type.model
        name = "meeting_note" if model is DecisionList else "meeting_summary"
        path = context.reserve_path(f"workspace:/{name}.json")
        if model is DecisionList:
            today = context.day.starts.date()
            decisions = data.draw_decisions(draws, names, self.unreasonable, today)
            return Assignment(path, model, decisions=decisions)
        requests = data.draw_requests(draws, names, self.unreasonable)
        return Assignment(path, model, requests, self.type.checks_rules)

    def _grand_total(self, task: str, truth: MeetingAttendTruth) -> TaskOutput | None:
        if self.type.model is not CostedRequestList:
            return None
        total = sum(request.total for request in truth.listed)
        words = "the grand total in the field total_cost"
        return TaskOutput(task, truth.path, words, cents=total)

    # checkpoints ----------------------------------------------------------------------------

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The outcomes of this type, which count only with presence, and the process.

        Punctuality and presence count only with the first outcome.
        """
        weights = _WEIGHTS[self.type.model]
        process = dict.fromkeys(("punctual", "present"), next(iter(weights)))
        return choose_checkpoints(
            MeetingAttend, tuple(weights), process, weights, only_after="present"
        )

    @checkpoint(
        "Exactly the requests that belong on the list are there, each as it was made",
        where="In the announcement of the meeting, which desk_tasks also shows with the task.",
        how="Compare each line of the announcement with your list: name, item, pieces and price. "
        "If the announcement names rules, check every request against each of them.",
    )
    def requests_listed(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Compare whole rows, both ways."""
        truth, given = grading.truth, grading.read(grading.truth.path, self.type.model)
        assert isinstance(given, RequestList | CostedRequestList), "this type lists requests"
        rows, asked, made = (
            rows_of(grading.keys, entries, *RequestEntry.model_fields)
            for entries in (
                given.requests,
                costed_list(truth.listed).requests,
                costed_list(truth.wishes).requests,
            )
        )
        seen = [f"the list has {rows.total()} entries"]
        seen += ["some match no request"] if rows - made else []
        seen += ["some do not belong on it"] if (rows & made) - asked else []
        seen += ["something is missing"] if asked - rows else []
        return Verdict(rows == asked, "; ".join(seen))

    @checkpoint(
        "Each listed request has the correct total",
        where="In your own list: quantity and unit_price of each entry.",
        how="Multiply them to the cent; do not round.",
    )
    def totals_right(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Check the totals of exactly the requests to be listed."""
        given = grading.read(grading.truth.path, CostedRequestList)
        totals, asked = (
            rows_of(grading.keys, entries, "name", "item", "total")
            for entries in (given.requests, costed_list(grading.truth.listed).requests)
        )
        wrong = (
            "" if totals == asked else ", but not exactly those of the requests that belong there"
        )
        return Verdict(totals == asked, f"the list has {len(given.requests)} totals{wrong}")

    @checkpoint(
        "The grand total of all listed requests is correct",
        where="In your own list: the totals of its entries.",
        how="Add up the totals of the requests that belong on the list, and no others.",
    )
    def grand_total_right(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Check the field total_cost, to the cent."""
        given, listed = grading.read(grading.truth.path, CostedRequestList), grading.truth.listed
        right = to_cents(given.total_cost) == sum(request.total for request in listed)
        return Verdict(right, f"total_cost says {given.total_cost}")

    @checkpoint(
        "Exactly the decisions of the meeting are noted, each with owner, date and budget",
        where="In the announcement of the meeting, which desk_tasks also shows with the task.",
        how="Copy topic, owner, date and budget of each decision exactly as announced.",
    )
    def decisions_noted(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Compare whole decisions, both ways."""
        given = grading.read(grading.truth.path, DecisionList)
        noted, taken = (
            rows_of(grading.keys, entries, *DecisionEntry.model_fields)
            for entries in (given.decisions, grading.truth.decisions)
        )
        wrong = "" if noted == taken else ", but not exactly those that were made"
        return Verdict(noted == taken, f"the note has {len(given.decisions)} decisions{wrong}")

    @punctuality(weight=0.75)
    def punctual(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Check the calendar's record: at most five minutes before or after the start."""
        return was_on_time(grading, Calendar(grading.tx).meeting_by_key(grading.truth.key))

    @presence(weight=0.25)
    def present(self, grading: GradingContext[MeetingAttendTruth]) -> Verdict:
        """Check the calendar's record."""
        return was_present(grading, Calendar(grading.tx).meeting_by_key(grading.truth.key))

    # honest work ----------------------------------------------------------------------------

    honest_work: ClassVar[HonestWay] = staticmethod(work.honest_work)
    shortcut: ClassVar[Shortcut] = staticmethod(work.come_at_the_end)


# hints ----------------------------------------------------------------------------------------

HINTS = Hints(
    strategy="The assignment is announced only in the meeting, so plan your day around its start. "
    "The announcement also names everything else that you need.",
    where="The meeting is in your calendar. Once you have heard the announcement, desk_tasks shows "
    "it with the task; rules that it names are on the company's drive.",
    how="Read the time with desk_now, wait until a minute or two before the start with desk_wait, "
    "then call calendar_attend with the meeting's id from calendar_list. Write the JSON file "
    "with files_write, with exactly the fields that the announcement lists.",
)
HINTS_CHECKING = replace(
    HINTS,
    how=f"{HINTS.how} Check each request against every rule: number of pieces, price per piece, "
    "cost of all pieces.",
)
