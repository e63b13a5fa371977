"""The ledger of what is known: each need with its value, what that was made from, and what became
stale."""

from __future__ import annotations

from collections.abc import Collection, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trainee_bench.meta_tasks.work.need import Need, Request, Source

Group = list[tuple["Cell", int]]
"""Cells that were awaited together, with the version in which each was used."""


@dataclass(eq=False)
class Cell:
    """One need of the ledger.

    A cell is *clean* while its value holds. A cell that is not clean is verified along its
    ``trace`` before it is satisfied again: if everything it was made from has the same value, so
    does the cell.
    """

    need: Need[Any]
    value: Any = None
    error: Exception | None = None
    version: int = 0
    clean: bool = False
    previous: Any = None
    seen: datetime = datetime(1, 1, 1)
    """When the look that the value comes from began. The look does not show what happens
    meanwhile."""
    began: datetime | None = None
    """When the present run made its first call."""
    trace: list[Group] = field(default_factory=list)
    """The cells that it was made from, in order."""
    users: dict[Cell, None] = field(default_factory=dict)
    """The cells that have used it, or wait for it."""
    earlier: dict[Cell, None] = field(default_factory=dict)
    """The cells that an earlier run has used, such as a question that has been answered since."""
    acts: list[int] = field(default_factory=list)
    """The numbers of the logged actions that served it."""
    run: Coroutine[Request, Any, Any] | None = None
    request: Request | None = None
    awaiting: tuple[Cell, ...] = ()
    restart: bool = False
    """Whether something that this run has used has changed."""
    outdated: bool = False
    """Whether news came with the look itself, so that the look has to be repeated."""
    promised: datetime | None = None
    """When the worker has promised to be somewhere. Its needs for that are as urgent."""
    on_time: bool = False
    """Whether its appointment is now."""
    complete: bool = False
    """Whether the trace is that of a complete, successful run."""
    woken_at: datetime | None = None

    @property
    def used(self) -> Iterator[Cell]:
        """The cells that its present run, or its value, was made from so far."""
        return (cell for group in self.trace for cell, _ in group)

    @property
    def is_firm(self) -> bool:
        """Whether everything that its present run has used still holds."""
        return all(cell.clean for cell in self.used)


class Ledger:
    """All cells, by need."""

    def __init__(self) -> None:
        self.cells: dict[Need[Any], Cell] = {}
        self.changeable: list[tuple[Cell, Source[Any]]] = []
        """The cells of sources that may change."""
        self.running: dict[Cell, None] = {}
        """The cells that are being satisfied."""
        self.touched: set[Cell] = set()
        """The running cells that may continue: something that they use or wait for has changed."""

    def cell(self, need: Need[Any]) -> Cell:
        """Return the cell of *need*, a new one if there is none."""
        found = self.cells.get(need)
        if found is None:
            found = self.cells[need] = Cell(need)
            if isinstance(need, Source) and not need.fixed:
                self.changeable.append((found, need))
        return found

    def settle(self, cell: Cell, value: object, error: Exception | None, seen: datetime) -> None:
        """Enter the result of *cell*. If it differs from the former result, everything that has
        used it begins again."""
        same = bool(cell.version) and (
            repr(error) == repr(cell.error) if error or cell.error else value == cell.value
        )
        cell.value, cell.error, cell.seen, cell.clean = value, error, seen, True
        self._touch_users(cell)
        if same:
            return
        cell.version += 1
        for user in list(cell.users):
            if user.run is None:
                self.doubt(user)
            elif any(cell is used for used in user.used):
                user.restart = True

    def doubt(self, cell: Cell) -> None:
        """Mark *cell*, and everything that was made from it, as not clean."""
        if cell.clean:
            cell.clean = False
            self._touch_users(cell)
            for user in list(cell.users):
                if user.run is None:
                    self.doubt(user)

    def confirm(self, cell: Cell) -> None:
        """Mark *cell* as clean again: everything that it was made from has the same value."""
        cell.clean = True
        self._touch_users(cell)

    def _touch_users(self, cell: Cell) -> None:
        """Let all runs continue that wait for *cell*, or for anything made from it."""
        for user in cell.users:
            if user.run is not None:
                self.touched.add(user)
            elif not user.clean:
                self._touch_users(user)

    def forget_trace(self, cell: Cell) -> None:
        """Forget what *cell* was made from, since it is satisfied from the start: each cell that it
        used has one user less."""
        for group in cell.trace:
            for used, _ in group:
                used.users.pop(cell, None)
                cell.earlier[used] = None
        cell.trace, cell.complete = [], False

    def stop(self, cell: Cell) -> None:
        """End the run of *cell*, and keep nothing of it."""
        if cell.run is not None:
            cell.run.close()
        self.running.pop(cell, None)
        cell.run = cell.request = None
        cell.restart = cell.on_time = False
        for used in cell.awaiting:
            used.users.pop(cell, None)
            cell.earlier[used] = None
        cell.awaiting = ()
        self.forget_trace(cell)

    def promise_of(self, cell: Cell, known: dict[Cell, datetime | None]) -> datetime | None:
        """Return the earliest promise that needs *cell*; None if there is none. *known* caches
        results."""
        if cell not in known:
            known[cell] = cell.promised
            promises = [self.promise_of(user, known) for user in cell.users]
            made = [time for time in (cell.promised, *promises) if time is not None]
            known[cell] = min(made, default=None)
        return known[cell]

    def doubtful_users(self, cell: Cell) -> set[Cell]:
        """Return the runs that *cell* serves, directly or indirectly, and that may begin again."""
        above = {user for _, user in _uses_above(cell)} - {cell}
        return {user for user in above if user.run is not None and not user.is_firm}

    def decides(self, cell: Cell, doubtful: Collection[Cell]) -> bool:
        """Return whether the value of *cell* decides if one of the *doubtful* runs continues or
        begins again."""
        return any(
            user in doubtful and any(used is part for part in user.used)
            for used, user in _uses_above(cell)
        )

    def roots_of(
        self, cell: Cell, roots: Sequence[Cell], known: dict[Cell, frozenset[Cell]]
    ) -> frozenset[Cell]:
        """Return which of *roots* need *cell* now. *known* caches results for other cells."""
        if cell not in known:
            known[cell] = frozenset({cell}) if cell in roots else frozenset()
            for user in cell.users:
                known[cell] |= self.roots_of(user, roots, known)
        return known[cell]


def _uses_above(cell: Cell) -> Iterator[tuple[Cell, Cell]]:
    """Yield each cell that is used on the way from *cell* to the roots, with each of its users."""
    seen, ahead = {cell}, [cell]
    for used in ahead:
        for user in list(used.users):
            yield used, user
            if user not in seen:
                seen.add(user)
                ahead.append(user)
