"""The urgency of each call at one moment, by deadlines, promises, and what is left to do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import IntEnum
from typing import NamedTuple

from trainee_bench.meta_tasks.patience import APPOINTMENT_TAKES, DUE_SOON, SPARE
from trainee_bench.meta_tasks.work.engine import Engine
from trainee_bench.meta_tasks.work.ledger import Cell
from trainee_bench.meta_tasks.work.need import Call, Pause
from trainee_bench.meta_tasks.work.outline import DayOutline
from trainee_bench.meta_tasks.work.sources import DeskListing, TaskRoot

NEVER = datetime(9999, 1, 1)
UNKNOWN = datetime(2, 1, 1)
"""The due time of a task that is not listed yet: it may be the most urgent."""
HANDING_IN = frozenset({"desk_submit", "desk_return"})
"""The tools that end the work on a task."""
FINAL = HANDING_IN | {"files_write", "files_copy", "sheets_create", "mail_send", "calendar_book"}
"""The tools before which a worker looks again at things that change without a notice."""
RANKS = {
    "desk_tasks": 0,
    "chat_read_history": 0,
    "calendar_list": 0,
    "calendar_respond": 1,
    "chat_list_people": 1,
    "chat_send_message": 2,
    "files_write": 4,
    "files_copy": 4,
    "sheets_create": 4,
    "desk_submit": 5,
    "desk_return": 5,
}
_USUAL_RANK = 3
_LASTING = {*FINAL, "chat_send_message", "calendar_respond"}


class Rank(IntEnum):
    """The reason why a call comes before others, the most urgent first."""

    APPOINTMENT = 0
    """An appointment is now."""
    FREE = 1
    """It takes no time."""
    PRESSING = 2
    """Little time is left for what is to be handed in, or a promise is due."""
    LOOK_OR_ASK = 3
    """A look or a question: a look may lead to a question, and an answer takes time."""
    WORK = 4
    """Anything else."""
    MAY_CHANGE = 5
    """The result may have to be done again, since its task is not settled."""


class Priority(NamedTuple):
    """The urgency of a call; the smallest comes first."""

    rank: Rank
    due: datetime
    order: int
    """The usual order of tools, among equally urgent calls."""

    @property
    def in_words(self) -> str:
        """The rank, and the time by which the call is due, if there is one."""
        rank = self.rank.name.lower().replace("_", " ")
        known = UNKNOWN.year < self.due.year < NEVER.year
        return f"{rank}, due {self.due:%H:%M}" if known else rank


class Urgency:
    """The order of calls at one moment of an engine's work. Each moment needs a new one."""

    def __init__(self, engine: Engine, costs: Mapping[str, int], plan: DayOutline):
        self._engine, self._costs, self._plan = engine, costs, plan
        self._known: dict[Cell, frozenset[Cell]] = {}
        self._promises: dict[Cell, datetime | None] = {}
        self._pressing = self._last_pressing_deadline()

    def of(self, cell: Cell) -> Priority:
        """Return how urgent the call of *cell* is."""
        request = cell.request
        assert isinstance(request, Call)
        order, place = RANKS.get(request.tool, _USUAL_RANK), self._place(cell)
        due, pressing, now = self._due(cell), self._pressing, self._engine.now
        promise = self._engine.ledger.promise_of(cell, self._promises)
        if promise is not None and promise >= now:
            due, pressing = min(due, promise), max(pressing, min(promise, now + DUE_SOON))
        if cell.on_time:
            return Priority(Rank.APPOINTMENT, due, order)
        minutes = self._minutes(cell)
        if not minutes:
            return Priority(Rank.FREE, due, order)
        if due <= pressing:
            return Priority(Rank.PRESSING, due, order)
        if minutes == 1 or order <= RANKS["chat_send_message"]:
            return Priority(Rank.LOOK_OR_ASK, place, order)
        if request.tool in FINAL and self._may_change(cell):
            return Priority(Rank.MAY_CHANGE, place, order)
        return Priority(Rank.WORK, place, order)

    def first(self, ready: Sequence[Cell]) -> Cell:
        """Return the most urgent of *ready*, or a look that comes before it because it decides
        whether that call is needed at all."""
        ledger, first = self._engine.ledger, min(ready, key=self.of)
        if self._only_looks(first) or not (doubtful := ledger.doubtful_users(first)):
            return first
        looks = [cell for cell in ready if self._only_looks(cell)]
        decisive = (cell for cell in looks if ledger.decides(cell, doubtful))
        return min(decisive, key=self.of, default=first)

    def roots_of(self, cell: Cell) -> frozenset[Cell]:
        """Return the tasks that need *cell*."""
        return self._engine.ledger.roots_of(cell, self._engine.roots, self._known)

    def deadline(self, task: str) -> datetime | None:
        """Return when a task is due; None if it is not listed yet."""
        listed = self._engine.ledger.cell(DeskListing()).value or {}
        return listed[task].deadline if task in listed else None

    def _minutes(self, cell: Cell) -> int:
        assert isinstance(cell.request, Call)
        return self._costs.get(cell.request.tool, 1)

    def _only_looks(self, cell: Cell) -> bool:
        """Return whether the call of *cell* takes little time, and changes nothing that others
        see."""
        assert isinstance(cell.request, Call)
        return self._minutes(cell) <= 1 and cell.request.tool not in _LASTING

    def _place(self, cell: Cell) -> datetime:
        """Return the due time of *cell*, or, on a day with an order, the place in it of its first
        task."""
        order = self._plan.order
        if not order:
            return self._due(cell)
        tasks = {task_of(root) for root in self.roots_of(cell)}
        first = min((place for place, task in enumerate(order) if task in tasks), default=0)
        return UNKNOWN + first * timedelta(days=1)

    def _due(self, cell: Cell) -> datetime:
        """Return when the first task that needs *cell* is due."""
        return min(map(self._due_of, self.roots_of(cell)), default=NEVER)

    def _due_of(self, root: Cell) -> datetime:
        task = task_of(root)
        if task in self._plan.first:
            return UNKNOWN
        return self.deadline(task) or UNKNOWN

    def _may_change(self, cell: Cell) -> bool:
        """Return whether each task that needs *cell* may still change, as far as is known."""
        now, settled = self._engine.now, self._plan.settled
        return all(settled.get(task_of(root), now) > now for root in self.roots_of(cell))

    def _last_pressing_deadline(self) -> datetime:
        """Return the last deadline that leaves little time besides appointments and what is still
        to be written and handed in by then."""
        now, left, pressing = self._engine.now, self._left_to_deliver(), UNKNOWN
        meetings = [
            cell.request.until
            for cell in self._engine.ledger.running
            if isinstance(cell.request, Pause) and cell.request.appointment
        ]
        ready = now
        for due, takes in sorted((self._due_of(root), takes) for root, takes in left.items()):
            ready += takes
            kept = sum(meeting < due for meeting in meetings)
            if due <= now + DUE_SOON or ready + kept * APPOINTMENT_TAKES + SPARE >= due:
                pressing = due
        return pressing

    def _left_to_deliver(self) -> dict[Cell, timedelta]:
        """Return, for each task that is not done, about how long it takes to write the rest and to
        hand it in."""
        minutes = defaultdict[Cell, int](int)
        for cell in self._engine.ledger.running:
            request = cell.request
            if isinstance(request, Call) and request.tool in FINAL - HANDING_IN:
                for root in self.roots_of(cell):
                    minutes[root] += self._minutes(cell)
        usual, submit = self._costs.get("files_write", 1), self._costs.get("desk_submit", 1)
        return {
            root: timedelta(minutes=max(minutes[root], usual) + submit)
            for root in self._engine.roots
            if not root.clean and task_of(root) not in self._plan.first
        }


def task_of(root: Cell) -> str:
    """Return the id of the task that a *root* of the engine's work represents."""
    assert isinstance(root.need, TaskRoot)
    return root.need.task
