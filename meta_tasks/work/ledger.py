"""What is known: each need with its value, what that was made from, and what became stale."""

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
    ``trace`` before it is satisfied anew: if everything it was made from comes to the same, so
    does it.
    """

    need: Need[Any]
    value: Any = None
    error: Exception | None = None
    version: int = 0
    clean: bool = False
    previous: Any = None
    seen: datetime = datetime(1, 1, 1)
    """When the look began that the value comes from: what happens meanwhile is not shown."""
    began: datetime | None = None
    """When the present run made its first call."""
    trace: list[Group] = field(default_factory=list)
    """What it was made from, in order."""
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
    """Whether something that this run has used has become something else."""
    outdated: bool = False
    """Whether news came with the look itself: it has to be taken once more."""
    promised: datetime | None = None
    """When the worker has promised to be somewhere: what it needs for that is as urgent."""
    on_time: bool = False
    """Whether its appointment is now."""
    complete: bool = False
    """Whether the trace is that of a whole run, which succeeded."""
    woken_at: datetime | None = None

    @property
    def used(self) -> Iterator[Cell]:
        """The cells that its present run, or its value, was made from so far."""
        return (cell for group in self.trace for cell, _ in group)

    @property
    def is_firm(self) -> bool:
        """Whether everything holds that its present run has used."""
        return all(cell.clean for cell in self.used)


class Ledger:
    """All cells, by need."""

    def __init__(self) -> None:
        self.cells: dict[Need[Any], Cell] = {}
        self.changeable: list[tuple[Cell, Source[Any]]] = []
        """Those of sources that may show something else."""
        self.running: dict[Cell, None] = {}
        """The cells whose ways are under way."""
        self.touched: set[Cell] = set()
        """Those of them that may go on: something that they use or wait for is different."""

    def cell(self, need: Need[Any]) -> Cell:
        """The cell of *need*, a new one if there is none."""
        found = self.cells.get(need)
        if found is None:
            found = self.cells[need] = Cell(need)
            if isinstance(need, Source) and not need.fixed:
                self.changeable.append((found, need))
        return found

    def settle(self, cell: Cell, value: object, error: Exception | None, seen: datetime) -> None:
        """Enter what *cell* has come to. If that is something else than before, what has used it
        begins anew."""
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
        """Take *cell*, and everything that was made from it, as unclean."""
        if cell.clean:
            cell.clean = False
            self._touch_users(cell)
            for user in list(cell.users):
                if user.run is None:
                    self.doubt(user)

    def confirm(self, cell: Cell) -> None:
        """Take *cell* as clean again: everything that it was made from has come to the same."""
        cell.clean = True
        self._touch_users(cell)

    def _touch_users(self, cell: Cell) -> None:
        """Have all runs go on that wait for *cell*, or for what is made from it."""
        for user in cell.users:
            if user.run is not None:
                self.touched.add(user)
            elif not user.clean:
                self._touch_users(user)

    def forget_trace(self, cell: Cell) -> None:
        """*cell* is satisfied from the top: what it used before has one user less."""
        for group in cell.trace:
            for used, _ in group:
                used.users.pop(cell, None)
                cell.earlier[used] = None
        cell.trace, cell.complete = [], False

    def stop(self, cell: Cell) -> None:
        """End the run of *cell*, of which nothing is kept."""
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
        """The earliest promise that needs *cell*, None for none. *known* keeps what was found."""
        if cell not in known:
            known[cell] = cell.promised
            promises = [self.promise_of(user, known) for user in cell.users]
            made = [time for time in (cell.promised, *promises) if time is not None]
            known[cell] = min(made, default=None)
        return known[cell]

    def doubtful_users(self, cell: Cell) -> set[Cell]:
        """The runs that *cell* serves, near or far, and that may begin anew."""
        above = {user for _, user in _uses_above(cell)} - {cell}
        return {user for user in above if user.run is not None and not user.is_firm}

    def decides(self, cell: Cell, doubtful: Collection[Cell]) -> bool:
        """Whether one of the *doubtful* runs goes on or begins anew by what *cell* comes to."""
        return any(
            user in doubtful and any(used is part for part in user.used)
            for used, user in _uses_above(cell)
        )

    def roots_of(
        self, cell: Cell, roots: Sequence[Cell], known: dict[Cell, frozenset[Cell]]
    ) -> frozenset[Cell]:
        """Which of *roots* need *cell* now. *known* keeps what was found for other cells."""
        if cell not in known:
            known[cell] = frozenset({cell}) if cell in roots else frozenset()
            for user in cell.users:
                known[cell] |= self.roots_of(user, roots, known)
        return known[cell]


def _uses_above(cell: Cell) -> Iterator[tuple[Cell, Cell]]:
    """Each cell that is used on the way from *cell* to the roots, with each of its users."""
    seen, ahead = {cell}, [cell]
    for used in ahead:
        for user in list(used.users):
            yield used, user
            if user not in seen:
                seen.add(user)
                ahead.append(user)
