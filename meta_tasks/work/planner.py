"""The planner of what a worker does next: which call, how long to wait, when to look again.

Only this module and `Urgency` know the clock, the deadlines, and the order of tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from trainee_bench.meta_tasks.patience import (
    GROUP_MINUTES,
    LONGEST_UNSEEN,
    LOOK_SHARE,
    LOOK_SHARE_WAITING,
    LOOKS_TOGETHER,
)
from trainee_bench.meta_tasks.work.engine import Act, Engine
from trainee_bench.meta_tasks.work.ledger import Cell
from trainee_bench.meta_tasks.work.need import Call, Pause, Source
from trainee_bench.meta_tasks.work.outline import NO_PLAN, DayOutline
from trainee_bench.meta_tasks.work.sources import DeskListing
from trainee_bench.meta_tasks.work.standing import STANDING
from trainee_bench.meta_tasks.work.urgency import (
    FINAL,
    HANDING_IN,
    NEVER,
    UNKNOWN,
    Rank,
    Urgency,
    task_of,
)


class Planner:
    """A planner that lets an engine work until nothing can change any more, or the day ends."""

    def __init__(
        self,
        engine: Engine,
        costs: Mapping[str, int],
        plan: DayOutline = NO_PLAN,
        at_once: int = 1,
    ):
        self.engine = engine
        self._at_once = at_once
        self._costs = costs
        self._plan = plan
        self._errors: dict[str, Exception] = {}
        self._acts: dict[str, list[Act]] = {}
        self._begun: list[Cell] = []
        self._focus: Cell | None = None
        self._urgency = Urgency(engine, costs, plan)

    async def run(self) -> dict[str, Exception]:
        """Work, and return the errors of tasks that are not done, by id."""
        engine = self.engine
        await engine.open()
        while engine.now < engine.ends:
            self._close_late()
            engine.advance()
            self._urgency = Urgency(engine, self._costs, self._plan)
            self._focus = self._chosen_task()
            if (ready := self._ready()) and (chosen := self._choose(ready)) is not None:
                before, engine.reason = len(engine.acts), self._urgency.of(chosen).in_words
                together = self._together(chosen, ready)
                if len(together) > 1:
                    await engine.act_together(together)
                else:
                    await engine.act(chosen, ready)
                self._note_acts(before)
            elif ready or self._outdate(self._expired()):
                continue
            elif (until := self._next_moment()) is None:
                break
            elif not await engine.wait(until, wake=self._heeds_news()):
                break  # waiting is no longer possible, so nothing else will come
        for root in engine.roots:
            if root.error or not (root.clean or self._goes_on(root)):
                unfinished = TimeoutError(f"{task_of(root)} was not finished")
                self._errors[task_of(root)] = root.error or unfinished
        return self._errors

    def acts_for(self, task: str) -> Sequence[Act]:
        """Return the calls that were made for a task, by its id, in order."""
        return self._acts.get(task, ())

    def _note_acts(self, first: int) -> None:
        """Note for which tasks the calls were made, from the *first* on."""
        for act in self.engine.acts[first:]:
            served = (self._urgency.roots_of(self.engine.ledger.cell(need)) for need in act.why)
            for root in frozenset().union(*served):
                self._acts.setdefault(task_of(root), []).append(act)

    # which call comes next ----------------------------------------------------------------------

    def _ready(self) -> list[Cell]:
        """Return the cells whose calls can be made before the next appointment."""
        engine, limit = self.engine, self._next_appointment()
        return [
            cell
            for cell in engine.ledger.running
            if isinstance(cell.request, Call)
            and cell.is_firm
            and self._is_served(cell)
            and engine.now + self._lasts(cell.request) <= limit
        ]

    def _choose(self, ready: Sequence[Cell]) -> Cell | None:
        """Return the most urgent of *ready*; None if something has to be looked at again first."""
        first = self._urgency.first(ready)
        assert isinstance(first.request, Call)
        if self._urgency.of(first).rank <= Rank.FREE:
            return first
        final = first.request.tool in FINAL or first.request.joint is not None
        return None if self._outdate(self._expired(before_acting=final)) else first

    def _together(self, first: Cell, ready: Sequence[Cell]) -> list[Cell]:
        """Return the cells whose calls are made in one turn with that of *first*: equally urgent
        ones that end before the next appointment."""
        assert isinstance(first.request, Call)
        chosen, ends = [first], self.engine.now + self._lasts(first.request)
        if first.request.joint is not None:
            return chosen
        best = self._urgency.of(first)
        for cell in ready:
            call = cell.request
            if len(chosen) == self._at_once or cell is first or not isinstance(call, Call):
                continue
            after = ends + self._lasts(call)
            other = self._urgency.of(cell)
            same = (other.rank, other.due) == (best.rank, best.due)
            if same and call.joint is None and after <= self._next_appointment():
                chosen, ends = [*chosen, cell], after
        return chosen

    def _close_late(self) -> None:
        """Drop the tasks whose deadline has passed, since further work for them does not count, and
        those that the worker abandons."""
        engine, abandons = self.engine, self._plan.abandons
        for root in list(engine.roots):
            deadline = self._urgency.deadline(task_of(root))
            late = deadline is not None and deadline <= engine.now
            if late or (abandons and abandons(task_of(root), len(self.acts_for(task_of(root))))):
                engine.roots.remove(root)
                if root.error or not (root.version or self._was_submitted(root)):
                    missed = TimeoutError(f"{task_of(root)} was not finished when it was due")
                    self._errors[task_of(root)] = root.error or missed

    def _goes_on(self, root: Cell) -> bool:
        """Return whether a task was submitted and is due on a later day, on which the worker looks
        at it again."""
        deadline = self._urgency.deadline(task_of(root))
        return self._was_submitted(root) and deadline is not None and deadline > self.engine.ends

    def _was_submitted(self, root: Cell) -> bool:
        return any(act.tool in HANDING_IN for act in self.acts_for(task_of(root)))

    def _lasts(self, call: Call) -> timedelta:
        more = GROUP_MINUTES if call.joint is not None else 0
        return timedelta(minutes=self._costs.get(call.tool, 1) + more)

    def _chosen_task(self) -> Cell | None:
        """Return the task to work on alone: one that was begun and is not done, or the next one;
        None if there is none, or if the worker works on all tasks side by side."""
        engine, choose = self.engine, self._plan.one_by_one
        if choose is None:
            return None
        for root in self._begun:
            if root in engine.roots and not root.clean:
                return root
        listed = engine.ledger.cell(DeskListing()).value or {}
        new = {task_of(root): root for root in engine.roots if root not in self._begun}
        waiting = {task: entry for task, entry in listed.items() if task in new}
        if not waiting:
            return None
        self._begun.append(new[choose(waiting)])
        return self._begun[-1]

    def _is_served(self, cell: Cell) -> bool:
        """Return whether the worker does anything for *cell* now: always if it is standing work."""
        roots = self._urgency.roots_of(cell)
        chosen = self._focus is None or self._focus in roots
        return chosen or any(task_of(root) == STANDING for root in roots)

    # looking again ------------------------------------------------------------------------------

    def _expired(self, before_acting: bool = False) -> list[Cell]:
        """Return the sources to be looked at again now. If there are any, those that are due soon
        after them are included."""
        now, expiries = self.engine.now, dict(self._expiries())
        if before_acting:
            for cell, expires in expiries.items():
                if expires < NEVER:
                    expiries[cell] = min(expires, cell.seen + self._holds(cell))
        soonest = min(expiries.values(), default=NEVER)
        until = now if soonest > now or before_acting else now + LOOKS_TOGETHER
        return [cell for cell, expires in expiries.items() if expires <= until]

    def _expiries(self) -> Iterable[tuple[Cell, datetime]]:
        """Yield each source that is needed, with when it is to be looked at again."""
        for cell, need in self.engine.ledger.changeable:
            if not cell.clean or (self.engine.trusts_notices and not need.untold):
                continue
            if self._urgency.roots_of(cell) and self._is_served(cell):
                yield cell, self._expires(cell, need)

    def _expires(self, cell: Cell, need: Source[object]) -> datetime:
        pauses = (user.request for user in cell.users if user.run is not None)
        polls = [
            max(pause.every, min(need.lasts, cell.seen - pause.since))
            for pause in pauses
            if isinstance(pause, Pause) and pause.every is not None
        ]
        if polls:
            return cell.seen + max(min(polls), LOOK_SHARE_WAITING * self._took(cell))
        awake = self._urgency.roots_of(cell) - self._asleep()
        before = need.settled_before
        last = max((self._settled(root, before) for root in awake), default=cell.seen)
        if cell.seen >= last:
            return NEVER
        quarter = (last - cell.seen) / 4
        seldom = quarter if self.engine.trusts_notices else min(quarter, LONGEST_UNSEEN)
        return min(last, cell.seen + max(self._holds(cell), seldom))

    def _holds(self, cell: Cell) -> timedelta:
        """Return how long a look at a source stays valid where changes are not announced. It is
        longer where looks are expensive, so that time is left for the work."""
        assert isinstance(cell.need, Source)
        return max(cell.need.lasts, LOOK_SHARE * self._took(cell))

    def _took(self, cell: Cell) -> timedelta:
        """Return how long the last look at a source took."""
        acts = self.engine.acts
        return acts[cell.acts[-1]].until - cell.seen if cell.acts else timedelta()

    def _asleep(self) -> frozenset[Cell]:
        """Return the tasks that wait for a known time or for another task: they look again after
        it."""
        return frozenset().union(
            *(
                self._urgency.roots_of(cell)
                for cell in self.engine.ledger.running
                if isinstance(cell.request, Pause)
                and cell.request.every is None
                and not cell.request.appointment
            )
        )

    def _outdate(self, cells: Sequence[Cell]) -> bool:
        for cell in cells:
            self.engine.outdate(cell)
        return bool(cells)

    # waiting ------------------------------------------------------------------------------------

    def _next_appointment(self) -> datetime:
        """Return the next appointment to come. One that is now is kept as soon as what led to it
        still holds."""
        now = self.engine.now
        kept = (pause.until for pause in self._pauses() if pause.appointment)
        return min((until for until in kept if until > now), default=NEVER)

    def _pauses(self) -> Iterable[Pause]:
        for cell in self.engine.ledger.running:
            if isinstance(cell.request, Pause) and self._is_served(cell):
                yield cell.request

    def _next_moment(self) -> datetime | None:
        """Return when something continues by itself; None if nothing is left to wait for."""
        engine = self.engine
        moments = [pause.until for pause in self._pauses()]
        moments += [expires for _, expires in self._expiries()]
        if engine.next_waking is not None:
            moments.append(engine.next_waking)
        soonest = min((moment for moment in moments if moment > engine.now), default=NEVER)
        if soonest < engine.ends:
            return soonest
        if any(pause.every is not None for pause in self._pauses()):
            return engine.ends  # an awaited answer may still come
        last = max((self._last_news(root) for root in engine.roots), default=engine.now)
        return last if engine.trusts_notices and last > engine.now else None

    def _heeds_news(self) -> bool:
        """Return whether news may make anything possible or necessary at once. Most news concerns
        other tasks, which do not matter to a worker who works one by one."""
        if any(pause.every is not None for pause in self._pauses()):
            return True
        others = any(task_of(root) not in self._plan.first for root in self.engine.roots)
        return others and self._focus is None

    def _last_news(self, root: Cell) -> datetime:
        """Return until when news about a task may come, as far as is known. An answer may come
        until the day ends."""
        if not root.clean:
            return self.engine.ends
        return self._settled(root, Source.settled_before)

    def _settled(self, root: Cell, before: timedelta) -> datetime:
        """Return from when on a task no longer changes: if that is not known, so long *before* its
        deadline."""
        task = task_of(root)
        if task in self._plan.first:
            return UNKNOWN
        known = self._plan.settled.get(task)
        return known or (self._urgency.deadline(task) or self.engine.ends) - before
