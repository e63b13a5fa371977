"""The scheduling problem of a day: one employee, one call at a time, each task done or left out.

    LeastDay ──CP-SAT──► the solver's bound on the worth that can be done

OR-Tools is an optional extra, so it is imported only where it is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainee_bench.harness.bounding.least_day import LeastCall, LeastDay, LeastTask, Message
from trainee_bench.world.apps.chat import MAX_ADDRESSEES

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_MOST_WORK = 60.0
"""Limit on the solver's work, in its deterministic units, so that equal days have equal bounds."""
_ALMOST = 1e-6


class SolverMissing(Exception):
    """OR-Tools is not installed; the message says how to install it."""


def most_worth(day: LeastDay) -> int:
    """Return a worth that no agent can exceed on *day*: the bound that the solver proves.

    With enough time, it is the optimum of the problem. Raises SolverMissing.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise SolverMissing(
            "bounds need OR-Tools: install the extra trainee-bench[bound]"
        ) from None
    problem = _Problem(cp_model.CpModel(), day)
    problem.build()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = _MOST_WORK
    status = solver.solve(problem.model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE, cp_model.UNKNOWN):
        raise ValueError(f"the solver finds no plan, not even an idle one: {status}")
    possible = sum(task.worth for task in day.tasks)
    proved: float = solver.best_objective_bound
    return min(possible, math.floor(proved + _ALMOST))


@dataclass(frozen=True)
class _Sent:
    """A message, the variable for its time, and whether its task is done."""

    message: Message
    sent: cp_model.IntVar
    done: cp_model.IntVar


@dataclass
class _Problem:
    """The solver's model of a day, built task by task."""

    model: cp_model.CpModel
    day: LeastDay
    calls: list[cp_model.IntervalVar] = field(default_factory=list)
    sent: list[_Sent] = field(default_factory=list)

    def build(self) -> None:
        """Build the whole model."""
        worth = [task.worth * self._task(task) for task in self.day.tasks]
        self._share_messages()
        self.model.add_no_overlap(self.calls)
        self.model.maximize(sum(worth))

    def _task(self, task: LeastTask) -> cp_model.IntVar:
        """Add a task to the model; return whether it is done."""
        done = self.model.new_bool_var(task.id)
        for act in task.acts:
            self._call(act, done)
        results = [self._call(act, done) for act in task.results]
        for message in task.messages:
            self._message(task, message, done, results[-1:])
        return done

    def _call(self, act: LeastCall, done: cp_model.IntVar) -> cp_model.IntVar:
        """Add a call to the model; return when it begins."""
        begins = self.model.new_int_var(act.opens, max(act.opens, act.closes), "")
        if act.closes < act.opens:
            self.model.add(done == 0)
        call = self.model.new_optional_fixed_size_interval_var(begins, act.minutes, done, "")
        self.calls.append(call)
        return begins

    def _message(
        self,
        task: LeastTask,
        message: Message,
        done: cp_model.IntVar,
        result: Sequence[cp_model.IntVar],
    ) -> None:
        """Require that *message* is sent and answered in time.

        If the *result* needs the answer, the answer must come before the result is written,
        otherwise before the task is due.
        """
        model, latest = self.model, self.day.ends
        sent = model.new_int_var(message.opens, max(message.opens, latest), "")
        read = model.new_int_var(0, max(message.reads, message.opens, latest), "")
        model.add_max_equality(read, [sent, message.reads])
        answered = read + message.delay
        model.add(answered <= message.leaves).only_enforce_if(done)
        needed = result if message.feeds and result else (task.due,)
        for moment in needed:
            model.add(answered <= moment).only_enforce_if(done)
            model.add(message.holds <= moment).only_enforce_if(done)
        self.sent.append(_Sent(message, sent, done))

    def _share_messages(self) -> None:
        """Let each message be sent alone or together with an earlier one.

        Messages can share a call if they go to the same person, or to a group, which takes longer.
        """
        leading = [self._sending(sent) for sent in self.sent]
        for place, sent in enumerate(self.sent):
            ways = []
            for leader, (used, grouped, with_it) in enumerate(leading[: place + 1]):
                way = self.model.new_bool_var("")
                self.model.add_implication(way, used)
                first = self.sent[leader]
                if leader != place:
                    self.model.add_implication(way, with_it[0][1])
                    self.model.add(sent.sent == first.sent).only_enforce_if(way)
                if sent.message.person != first.message.person:
                    self.model.add_implication(way, grouped)
                with_it.append((sent.message.person, way))
                ways.append(way)
            self.model.add(sum(ways) == sent.done)
        for _, _, with_it in leading:
            self._limit_people(with_it)

    def _sending(
        self, sent: _Sent
    ) -> tuple[cp_model.IntVar, cp_model.IntVar, list[tuple[str, cp_model.IntVar]]]:
        """Add the call that sends a message.

        Returns whether it is made, whether it goes to a group, and an empty list for the people
        whose messages it may carry.
        """
        model, day = self.model, self.day
        used, grouped = model.new_bool_var(""), model.new_bool_var("")
        lasts = model.new_int_var(min(day.message, day.group), max(day.message, day.group), "")
        model.add(lasts == day.message + (day.group - day.message) * grouped)
        ends = model.new_int_var(0, 2 * day.ends + day.group, "")
        self.calls.append(model.new_optional_interval_var(sent.sent, lasts, ends, used, ""))
        return used, grouped, []

    def _limit_people(self, with_it: Sequence[tuple[str, cp_model.IntVar]]) -> None:
        """Limit the people whom one message asks to the most that answer one message."""
        people = []
        for person in dict.fromkeys(person for person, _ in with_it):
            asked = self.model.new_bool_var("")
            for addressee, way in with_it:
                if addressee == person:
                    self.model.add_implication(way, asked)
            people.append(asked)
        self.model.add(sum(people) <= MAX_ADDRESSEES)
