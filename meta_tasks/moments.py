"""The moments at which a task with complications changes, by its seed and its times.

No moment depends on what an agent does, so that days stay comparable.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.task_context import ChangesFrom, CompositionError, TaskContext

TIME_TO_REACT = timedelta(minutes=45)
"""The least time from the last event to the deadline."""
CHANGING = timedelta(hours=2)
"""The longest time from a change to the task's end: see `Moments.late`."""
_SPREAD = timedelta(minutes=30)
"""The least span from which the moment of a change is drawn."""
_GRID = timedelta(minutes=5)


def last_moment(context: TaskContext) -> datetime:
    """Return when the task is due, or when its day ends if it is due on a later day: it changes on
    its first day."""
    return min(context.deadline, context.day.ends)


def colleagues_go_home(context: TaskContext) -> datetime:
    """Return when the first colleagues go home on the day of the task."""
    first = min(person.hours.ends for person in context.company.people)
    return datetime.combine(context.day.starts, first)


@dataclass(frozen=True)
class Moments:
    """The moments of a task, given the times that its worker needs.

    All times are in minutes. The worker can do nothing final until ``begins`` after the task comes,
    and each answer takes ``pace`` longer than usual. Later events need the last ``reserved``
    minutes before the deadline and, for questions, the last ``asking`` minutes before colleagues go
    home.
    """

    context: TaskContext
    begins: int
    pace: int
    reserved: int
    asking: int

    def soon(self, purpose: str, earliest: int, latest: int, before: int) -> datetime:
        """Return a moment from *earliest* to *latest* minutes after the work can begin, drawn in
        steps of five minutes. It is at least *before* minutes, plus those of one answer, before the
        end of the day. It does not depend on the task's deadline, which may be set later.

        Raises CompositionError if there is no such moment, or if it is after the deadline.
        """
        return self._drawn(purpose, *self._from_arrival(earliest, latest, before))

    def late(
        self, purpose: str, earliest: int, latest: int, before: int, asks: int, reach: int = 0
    ) -> datetime:
        """Return the moment of a change that nobody escapes by beginning late.

        It is within `CHANGING` of the deadline, less the *reach* minutes that a worker needs to
        find the person who knows, and at least *before* minutes before the deadline. With
        *asks*, the time at which colleagues go home replaces the deadline if it is earlier, and so
        many minutes are left to ask them. Later changes may need an earlier moment. If the deadline
        is set only afterwards, the change comes as `soon` as anything else. Raises CompositionError
        as `soon` does.
        """
        first, last = self._from_arrival(earliest, latest, before)
        if self.context.changes_from is ChangesFrom.DEADLINE:
            ends, home = last_moment(self.context), colleagues_go_home(self.context)
            last = ends - timedelta(minutes=max(before + self.pace, self.reserved))
            asks = asks and asks + self.pace
            if asking := max(asks, self.asking):
                last = min(last, home - timedelta(minutes=asking))
                ends = min(ends, home) if asks else ends
            last = max(first, last)
            late = ends - CHANGING + timedelta(minutes=reach)
            first = max(first, min(late, last - _SPREAD))
        return self._drawn(purpose, first, last)

    def _from_arrival(self, earliest: int, latest: int, before: int) -> tuple[datetime, datetime]:
        """Return the first and last moment, counted from the task's arrival. Raises
        CompositionError."""
        context, before = self.context, before + self.pace
        begins = context.arrives + timedelta(minutes=self.begins)
        first = begins + timedelta(minutes=earliest)
        last = min(begins + timedelta(minutes=latest), context.day.ends - timedelta(minutes=before))
        if last < first:
            raise CompositionError(
                f"{context.task} comes at {context.arrives:%H:%M}, too late for events that take "
                f"{self.begins + earliest + before} minutes; let it come earlier or leave one out"
            )
        return first, last

    def _drawn(self, purpose: str, first: datetime, last: datetime) -> datetime:
        """Return a moment from *first* to *last*. Raises CompositionError if that is too close to
        the deadline."""
        context = self.context
        drawn = context.stream(f"moment of {purpose}").randint(0, (last - first) // _GRID)
        moment = first + drawn * _GRID
        if moment + TIME_TO_REACT + timedelta(minutes=self.pace) > context.deadline:
            raise CompositionError(
                f"{context.task} is due at {context.deadline:%H:%M}, too early for the event at "
                f"{moment:%H:%M}; give it a later deadline or leave one out"
            )
        return moment
