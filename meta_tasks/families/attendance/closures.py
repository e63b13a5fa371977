"""Closure days: which departments were closed when. Nobody but their heads can say it.

What could be a closure is settled by the open data: one without which every part of the answer
would be wrong. Which of them it is comes from the clue's secret alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from meta_tasks.families.attendance.answers import Answer, answer, clearly_differ
from meta_tasks.families.attendance.asked import DEPARTMENTS, Metric, Question, Scope
from meta_tasks.families.attendance.counting import Closed, Sheet
from world.npc import Clue

CLOSED_OF_ALL = 4
"""Departments that were closed on a day, where all are asked about."""
FEWEST_ANSWERS = 3
"""Different answers that the closures must be able to make."""
_TRIALS = 60
_REASONS = (
    "the power was off in our part of the building",
    "we moved to other rooms",
    "the heating was being repaired",
    "water had come through the ceiling",
    "the floor was being laid anew",
    "the fire alarms were being replaced",
)


@dataclass(frozen=True)
class Closures:
    """The closures there can be for one question about one sheet."""

    question: Question
    sheet: Sheet

    def enough(self, draws: Random) -> bool:
        """Whether they make enough different answers; *draws* are for trials."""
        if self.question.scope is not Scope.ALL:
            return len(self._by_answer()) >= FEWEST_ANSWERS
        found = set()
        for _ in range(_TRIALS):
            closed = self._some(draws)
            right = self._right(closed)
            if right is not None:
                found.add(right)
            if len(found) == FEWEST_ANSWERS:
                return True
        return False

    def draw(self, secret: Random) -> Closed:
        """One of them: of a department, each answer is as likely as any other."""
        if self.question.scope is not Scope.ALL:
            return secret.choice(secret.choice(list(self._by_answer().values())))
        while True:
            closed = self._some(secret)
            if self._right(closed) is not None:
                return closed

    def _by_answer(self) -> Mapping[Answer, Sequence[Closed]]:
        found: dict[Answer, list[Closed]] = {}
        for closed in self._of_one():
            right = self._right(closed)
            if right is not None:
                found.setdefault(right, []).append(closed)
        return found

    def _of_one(self) -> Iterator[Closed]:
        for day in range(len(self.sheet.days)):
            yield {self.question.scope.value: (day,)}

    def _some(self, draws: Random) -> Closed:
        """Some departments on different days, perhaps without any effect."""
        names, days = list(DEPARTMENTS), list(range(len(self.sheet.days)))
        chosen: dict[str, int] = {}
        if self._telling:
            name, day = draws.choice(self._telling)
            chosen[name] = day
            names.remove(name)
            days.remove(day)
        more = CLOSED_OF_ALL - len(chosen)
        chosen |= zip(draws.sample(names, more), draws.sample(days, more), strict=True)
        return {name: (chosen[name],) for name in DEPARTMENTS if name in chosen}

    @cached_property
    def _plain(self) -> Answer:
        """What is right if nobody was closed."""
        return answer(self.question, self.sheet, {})

    @cached_property
    def _telling(self) -> Sequence[tuple[str, int]]:
        """Of the top of a ranking: closures that take a day from one of those in it. Of others
        any will do."""
        metric = self.question.ranks_by
        if metric is None or (self.question.mode and not self.question.mode.most):
            return ()
        return [
            (employee.department, day)
            for employee, row in zip(self.sheet.employees, self.sheet.tallies, strict=True)
            if employee.id in self._plain.ids
            for day, tally in enumerate(row)
            if (tally.late_days if metric is Metric.LATE else tally.early_days)
        ]

    def _right(self, closed: Closed) -> Answer | None:
        """What is right then; None if that could be had without knowing it."""
        right = answer(self.question, self.sheet, closed)
        if right.on_the_edge or not clearly_differ(self.question.type, right, self._plain):
            return None
        if len(closed) > 1:
            every = tuple(day for days in closed.values() for day in days)
            if right == answer(self.question, self.sheet, dict.fromkeys(DEPARTMENTS, every)):
                return None
        return right


def closure_clue(
    id: str, holder: str, question: Question, sheet: Sheet, closed: Closed, csv: str, secret: Random
) -> Clue:
    """What *holder* tells who asks for the closure days, with reasons drawn from the *secret*."""
    month, year = f"{sheet.days[0]:%B}", f"{sheet.days[0]:%Y}"
    reasons = secret.sample(_REASONS, len(closed))
    told = [
        f"{name} was closed on {sheet.days[day]:%A}, {sheet.days[day].isoformat()}: {reason}"
        for (name, (day,)), reason in zip(closed.items(), reasons, strict=True)
    ]
    if question.scope is Scope.ALL:
        asks = _asks_of_all(month, year, csv)
        payload = f"In {month} {year}, " + "; ".join(told) + ". No other department was closed."
    else:
        asks = _asks_of_one(question.scope.value, month, year, csv)
        payload = f"{told[0]}. In {month} {year} that was the only day."
    return Clue(id=id, holder=holder, asks=asks, keys=(csv,), payload=payload)


def _asks_of_one(name: str, month: str, year: str, csv: str) -> tuple[str, ...]:
    return (
        f"Which day in {month} {year} was a closure day of {name}?",
        f"On which day in {month} was {name} closed?",
        f"When was your department closed in {month}?",
        f"Which closure days did your department have in {month}?",
        f"Did {name} have any closure days in {month} {year}?",
        f"Which {month} date should I leave out of the attendance statistics of {name}?",
        f"Was there a day in {month} on which the punches of {name} do not count?",
        f"I am evaluating {csv}: on which day was {name} closed?",
        f"Are there days in {month} that I have to exclude from the attendance data of {name}?",
        f"Is there a day in {month} that does not count as a workday in {name}?",
    )


def _asks_of_all(month: str, year: str, csv: str) -> tuple[str, ...]:
    return (
        f"Which departments had closure days in {month} {year}, and when?",
        f"On which days in {month} were departments closed?",
        f"Which closure days did you collect for {month}?",
        f"Which department was closed on which day in {month}?",
        f"Were there any closure days in {month} {year}?",
        f"Which {month} dates should I leave out of the attendance statistics of the company?",
        f"Were there days in {month} on which the punches of a department do not count?",
        f"I am evaluating {csv}: which departments were closed on which days?",
        f"Are there days in {month} that I have to exclude from the attendance data?",
        f"Are there days in {month} that do not count as workdays in a department?",
    )
