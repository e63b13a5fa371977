"""What follows from the answers, and in which ways the meeting may be set up."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.authoring import FULL_NAME
from trainee_bench.meta_tasks.authoring.asking import Contact
from trainee_bench.meta_tasks.authoring.meetings import USUAL_EARLINESS
from trainee_bench.meta_tasks.families.meeting_book.brief import COMING, Answer, Decided
from trainee_bench.meta_tasks.families.meeting_book.data import ALL_MANAGERS, MeetingKind


@dataclass
class BookingPlan:
    """What follows from the answers: start and end, guests (ids or names; *asked* are those of them
    who were asked), visitors, needs."""

    starts: datetime
    ends: datetime
    guests: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    visitors: int = 0
    needs: set[str] = field(default_factory=set)

    @property
    def seats(self) -> int:
        """Seats needed, one's own included."""
        return 1 + len(self.guests) + self.visitors

    def begin(self, moment: datetime) -> None:
        """Move the meeting to another start."""
        self.starts, self.ends = moment, moment + (self.ends - self.starts)

    def inviting(self, others: Sequence[str]) -> BookingPlan:
        """The plan with *others* as guests, too."""
        return replace(self, guests=[*self.guests, *others])

    def add(self, said: Mapping[str, Answer], decided: Sequence[Decided]) -> None:
        """Take all answers (by whose they are) and decisions into the plan."""
        for person, answer in said.items():
            if answer.comes:
                self.asked.append(person)
                self.guests.append(person)
            if answer.invite:
                self.guests.append(answer.invite)
            if answer.need:
                self.needs.add(answer.need)
            if answer.begins:
                self.begin(datetime.combine(self.starts, answer.begins))
            self.visitors += answer.visitors
        come = [one.name for one in decided if one.comes]
        self.asked += come
        self.guests += [*come, *(one.invite for one in decided)]


@dataclass(frozen=True)
class BookingWay:
    """A way to set up the meeting; the defaults are those of honest work.

    *guests* says whom to invite instead of the right guests, given the plan and everybody in the
    directory. *later* moves the start, *shorter* the end.
    """

    guests: Callable[[BookingPlan, Sequence[Contact]], list[str]] = lambda plan, _: plan.guests
    later: timedelta = timedelta()
    shorter: timedelta = timedelta()
    backwards: bool = False
    last_room: bool = False
    title: str = "{code}: {subject}"
    agenda: str = ""
    question: str = COMING[MeetingKind.MANAGER].questions[0]
    drafts: int = 0
    cancelled: bool = False
    early: timedelta = USUAL_EARLINESS
    attends: bool = True
    submits: bool = True

    def changed(self, plan: BookingPlan, everybody: Sequence[Contact]) -> BookingPlan:
        """What is booked in this way, where *plan* is right."""
        booked = replace(plan, guests=self.guests(plan, everybody))
        booked.begin(plan.starts + self.later)
        booked.ends -= self.shorter
        return booked


HONEST = BookingWay()


def people_to_ask(words: str, everybody: Sequence[Contact]) -> list[Contact]:
    """Those whom the *words* of the task mean."""
    department = re.match(r"everybody in (\w+)", words)
    named = re.findall(FULL_NAME.pattern, words)
    return [
        person
        for person in everybody
        if (words == ALL_MANAGERS and person.is_manager)
        or (department and person.department == department[1])
        or person.name in named
    ]
