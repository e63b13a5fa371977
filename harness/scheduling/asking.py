"""When facts could be asked for, when they were asked for, and the waiting that late questions
cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from trainee_bench.harness.records.schedule_figures import QuestionTiming
from trainee_bench.harness.scheduling.day_trace import WAIT_TOOL, DayTrace
from trainee_bench.harness.scheduling.spans import Span, overlap, total_minutes
from trainee_bench.meta_tasks.composed_day import ComposedTask
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.apps.desk import RequestChanged
from trainee_bench.world.colleagues.availability import AbsenceBegins, SlowAnswersBegin
from trainee_bench.world.colleagues.knowledge import Clue, ConditionMet


@dataclass(frozen=True)
class Fact:
    """A clue of ``task`` that somebody can be asked for, and when it ``matters``."""

    clue: Clue
    task: ComposedTask
    matters: Span


@dataclass(frozen=True)
class OpenQuestion:
    """A question of the agent to ``person`` about ``tasks`` (ids): unanswered during ``span``."""

    person: str
    tasks: frozenset[str]
    span: Span


class Colleagues:
    """When the colleagues of a day read and answer, and which facts they can be asked for."""

    def __init__(self, day: DayTrace):
        self._day = day
        self._people = {person.id: person for person in day.composition.company.people}
        self._away: dict[str, list[Span]] = {}
        self._slow: dict[str, list[tuple[datetime, int]]] = {}
        for task in day.composition.tasks:
            for planned in task.instance.hidden.events:
                begins = event_time(day, task, planned.due)
                event = planned.event
                if begins is not None and isinstance(event, AbsenceBegins):
                    span = Span(begins, event.until)
                    self._away.setdefault(event.person, []).append(span)
                elif begins is not None and isinstance(event, SlowAnswersBegin):
                    self._slow.setdefault(event.person, []).append((begins, event.minutes))
        self.facts = tuple(self._facts())

    def present_from(self, person: str, moment: datetime) -> datetime:
        """Return the first time from *moment* on at which *person* is at work and not away.

        If their last day here is over, return the first time at which they are not away.
        """
        hours, away = self._people[person].hours, sorted(self._away.get(person, []))
        present = moment
        for opens in self._mornings(hours.starts, moment):
            present = max(moment, opens)
            for span in away:
                if span.holds(present):
                    present = span.ends
            if present < datetime.combine(opens, hours.ends):
                break
        return present

    def would_answer(self, person: str, moment: datetime) -> datetime | None:
        """Return when *person* would answer a question asked at *moment*; None if no longer that
        day."""
        reads, delay = self.present_from(person, moment), self._people[person].delay
        periods = self._slow.get(person, [])
        today = [period for period in periods if period[0].date() == moment.date()]
        slow = [period for period in today if period[0] <= moment]
        if slow:
            delay = max(delay, max(slow)[1])
        answers = reads + timedelta(minutes=delay)
        leaves = datetime.combine(moment.date(), self._people[person].hours.ends)
        return answers if answers <= leaves else None

    def _mornings(self, clock: time, moment: datetime) -> Iterator[datetime]:
        """Yield the time *clock* of each working day, from the day of *moment* on."""
        for day in self._day.composition.days:
            if day.starts.date() >= moment.date():
                yield datetime.combine(day.starts, clock)

    def is_ready(self, clue: Clue, moment: datetime) -> bool:
        """Return whether everything that must precede *clue* had happened by *moment*."""
        return all(id in self._day.met and self._day.met[id] <= moment for id in clue.after)

    def waits_for_the_clock(self, clue: Clue, moment: datetime) -> bool:
        """Return whether *clue* can be told only after a time that had not come by *moment*."""
        times = {
            planned.event.condition: planned.due
            for task in self._day.composition.tasks
            for planned in task.instance.hidden.events
            if isinstance(planned.event, ConditionMet)
        }
        return any((due := times.get(id)) is not None and due > moment for id in clue.after)

    def open_questions(self, about: Mapping[int, frozenset[str]]) -> tuple[OpenQuestion, ...]:
        """Return when the agent's questions were unanswered, by colleague who answered or would
        have.

        *about* has the tasks of each message by its number.
        """
        found = []
        day, people = self._day, self._people
        for message in day.messages:
            tasks = about.get(message.id)
            if tasks is None:
                continue
            answers = [
                reply
                for reply in day.messages
                if reply.answers == message.id and not reply.automatic and reply.sender in people
            ]
            for answer in answers:
                span = Span(message.at, answer.at)
                found.append(OpenQuestion(answer.sender, tasks, span))
            if not answers and message.to in people:
                expected = self.would_answer(message.to, message.at)
                if expected is not None:
                    found.append(OpenQuestion(message.to, tasks, Span(message.at, expected)))
        return tuple(found)

    def questions(self) -> tuple[QuestionTiming, ...]:
        """Return the timing of each fact of the window that was told when asked, by time of
        answer."""
        facts = {fact.clue.id: fact for fact in self.facts}
        timings = []
        waiting = waiting_calls(self._day.whole_log)
        for told in self._day.disclosures:
            question, fact = self._day.question_of(told), facts.get(told.clue)
            if question is None or fact is None or not self._day.span.holds(question.at):
                continue
            ready = [self._day.met[id] for id in fact.clue.after if id in self._day.met]
            possible = self.present_from(told.holder, max([fact.matters.starts, *ready]))
            late = self._day.working_minutes(possible, question.at)
            waited = total_minutes(overlap(waiting, Span(question.at, told.at)))
            timings.append(
                QuestionTiming(
                    fact=told.clue,
                    possible=possible,
                    asked=question.at,
                    told=told.at,
                    minutes_late=late,
                    minutes_waited=min(late, waited),
                )
            )
        return tuple(timings)

    def never_told(self) -> int:
        """Count the facts that could have been asked for and were never told.

        Only facts that ceased to matter in the window count.
        """
        return sum(
            fact.clue.id not in self._day.met
            and self.is_ready(fact.clue, fact.matters.ends)
            and self._can_be_asked(fact)
            and self._day.window.starts < fact.matters.ends <= self._day.window.ends
            for fact in self.facts
        )

    def _can_be_asked(self, fact: Fact) -> bool:
        """Return whether the holder would answer a question asked as soon as they are at work."""
        holder = fact.clue.holder
        present = self.present_from(holder, fact.matters.starts)
        return self.would_answer(holder, present) is not None

    def _facts(self) -> list[Fact]:
        """Return all facts of the window's published tasks that somebody can be asked for."""
        found = []
        for task in self._day.tasks:
            published = self._day.published.get(task.id)
            if published is None or published >= task.deadline:
                continue
            change = request_change(self._day, task)
            for clue in task.instance.hidden.clues:
                before = clue.id in task.instance.hidden.superseded
                starts, ends = published, task.deadline
                if before and change is None:
                    continue  # the task can do without it
                if change is not None:
                    starts, ends = (published, change) if before else (change, task.deadline)
                if clue.holder in self._people and clue.asks and starts < ends:
                    found.append(Fact(clue, task, Span(starts, ends)))
        return found


def event_time(day: DayTrace, task: ComposedTask, due: datetime | None) -> datetime | None:
    """Return when an event of *task* planned for *due* happens; None if the task never came."""
    published = day.published.get(task.id)
    return None if published is None else max(published, due or published)


def request_change(day: DayTrace, task: ComposedTask) -> datetime | None:
    """Return when the request of *task* was changed; None if it was not."""
    changes = (
        planned
        for planned in task.instance.hidden.events
        if isinstance(planned.event, RequestChanged)
    )
    return next((event_time(day, task, planned.due) for planned in changes), None)


def waiting_calls(log: Iterable[LogEntry]) -> tuple[Span, ...]:
    """Return the times of all calls of *log* with which the agent waited."""
    return tuple(Span(entry.at, entry.until) for entry in log if entry.tool == WAIT_TOOL)
