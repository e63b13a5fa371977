"""Grading of the week's appointment, by the calendar as it was at each deadline.

A talk counts if it was booked after the answers or the cancellation that it follows from, and if
it is the only talk in the calendar at its deadline.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.authoring import GradingContext, Verdict, was_on_time
from trainee_bench.meta_tasks.families.week.days import WEDNESDAY
from trainee_bench.meta_tasks.families.week.duty import DutyTruth
from trainee_bench.meta_tasks.families.week.marks import is_reported
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.meetings.meeting import Meeting

LASTS = timedelta(minutes=30)
HOURS_TOLD = ("hours_1", "hours_2")
"""The names of the clues with the two people's hours."""


@dataclass(frozen=True)
class AppointmentTruth(DutyTruth):
    """The two people, the hours that suit both, and when talks are due and cancelled."""

    people: frozenset[str]
    common: tuple[datetime, ...]
    booked_by: datetime
    cancelled_at: datetime


def _talks(grading: GradingContext[AppointmentTruth]) -> list[Meeting]:
    """The talks that were booked for Thursday, including cancelled ones."""
    truth, thursday = grading.truth, grading.truth.common[0].date()
    return [
        talk
        for talk in Calendar(grading.tx).meetings_of(grading.employee, thursday, thursday)
        if talk.organizer == grading.employee
        and truth.people <= set(talk.attendees)
        and talk.ends - talk.starts == LASTS
    ]


def _only_talk(
    grading: GradingContext[AppointmentTruth], starts: datetime, moment: datetime
) -> Meeting | None:
    """The talk that *starts* then, if it was the only one in the calendar at *moment*."""
    booked = [talk for talk in _talks(grading) if talk.was_in_calendar_at(moment)]
    return booked[0] if [talk.starts for talk in booked] == [starts] else None


def was_booked_first(grading: GradingContext[AppointmentTruth]) -> Verdict:
    """Check that only the first hour was booked, on time, and after both had told their hours."""
    truth = grading.truth
    talk = _only_talk(grading, truth.common[0], truth.booked_by)
    if talk is None:
        count = sum(booked.was_in_calendar_at(truth.booked_by) for booked in _talks(grading))
        flaw = ", which is at another hour" if count == 1 else ""
        return Verdict(False, f"talks in the calendar by then: {count}{flaw}")
    told = [grading.clue_released_at(hours) for hours in HOURS_TOLD]
    asked = all(at is not None and at <= talk.booked_at for at in told)
    flaw = "" if asked else ", before both had told you when they can come"
    return Verdict(asked, f"it was booked on {talk.booked_at:%A} at {talk.booked_at:%H:%M}{flaw}")


def was_moved(grading: GradingContext[AppointmentTruth]) -> Verdict:
    """Check that only the second hour was booked, on time, and after the cancellation."""
    truth = grading.truth
    talk = _only_talk(grading, truth.common[1], truth.mails[WEDNESDAY].by)
    if talk is None:
        return Verdict(False, "by then the calendar did not have exactly this talk")
    after = truth.cancelled_at <= talk.booked_at
    return Verdict(after, f"the talk was booked on {talk.booked_at:%A} at {talk.booked_at:%H:%M}")


def was_kept(grading: GradingContext[AppointmentTruth]) -> Verdict:
    """Check that the talk at the second hour was the only one, and was attended on time."""
    starts = grading.truth.common[1]
    talk = _only_talk(grading, starts, starts)
    if talk is None:
        return Verdict(False, "the calendar does not have exactly this talk")
    return was_on_time(grading, talk)


def was_reported(grading: GradingContext[AppointmentTruth]) -> Verdict:
    """Check that the report is right, and that the calendar agrees with it."""
    truth, fields = grading.truth, is_reported(grading)
    first, held = truth.common[:2]
    booked = [talk.starts for talk in _talks(grading) if talk.booked_at < truth.cancelled_at]
    kept = [talk.starts for talk in _talks(grading) if talk.was_in_calendar_at(held)]
    happened = first in booked and held in kept
    return Verdict(
        fields.passed and happened,
        fields.seen
        if happened
        else f"{fields.seen}; the calendar does not have the talks that it should name",
    )
