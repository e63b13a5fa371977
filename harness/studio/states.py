"""The states of a day: its world as it was after each action.

    composition ──stage──► state 0 ──action 1──► state 1 ──► … ──► state N

A state is the content of a database, kept as pages. Pages that a step did not write are shared
with the state before it, so that a state costs a few pages, and a jump is joining them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from trainee_bench.harness.studio.views import APP_VIEWS
from trainee_bench.harness.studio.views.app_view import Marks
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.inline import complete
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

T = TypeVar("T")

_PAGE = 4096
"""Bytes of a page, SQLite's own size, so that what changes together lies together."""


class ItemChange(StrEnum):
    """What a step did to an item of an app."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


AppChanges = Mapping[str, Mapping[str, ItemChange]]
"""What a step changed: for each app the items, by id."""
NO_CHANGES: AppChanges = {}


class NoSuchState(LookupError):
    """The day has no state of this number, or none that can be shown; says why."""


class DayStates:
    """The states of the day of *composition*, which grow with `follow`.

    ``log`` has the actions so far: state ``n`` is the one after action ``n``. One thread may use it
    at a time.
    """

    def __init__(self, composition: ComposedDay):
        staging = World.create_inline(composition.world_config(), composition.populate)
        self._world = complete(staging)
        self.employee = composition.company.trainee.id
        self.log: list[LogEntry] = []
        self.diverged = ""
        """Why no further state can be computed, "" if all can."""
        self._pages: list[tuple[bytes, ...]] = []
        self._marks: dict[str, Marks] = {}
        self._changes: list[AppChanges] = []
        self._shown: World | None = None
        self._shown_number = -1
        self._keep()
        self._changes[0] = NO_CHANGES

    def __len__(self) -> int:
        """How many states there are, the morning's included."""
        return len(self._pages)

    def follow(self, entry: LogEntry) -> None:
        """Repeat the next action and keep the state after it; nothing once `diverged`."""
        if self.diverged:
            return
        try:
            complete(replay_log(self._world, [entry]))
        except ReplayDiverged as difference:
            self.diverged = f"Replaying this day stopped: {difference}"
            return
        self.log.append(entry)
        self._keep()

    def read(self, number: int, query: Callable[[Transaction], T]) -> T:
        """The result of *query* in state *number*, as the employee sees it. Raises NoSuchState."""
        if not 0 <= number < len(self):
            raise NoSuchState(self.diverged or f"This day has {len(self) - 1} steps so far.")
        if self._shown is None:
            self._shown = World.deserialize_inline(b"".join(self._pages[number]))
        elif self._shown_number != number:
            complete(self._shown.close())
            self._shown = World.deserialize_inline(b"".join(self._pages[number]))
        self._shown_number = number
        return complete(self._shown.read(query, self.employee))

    def content(self, number: int) -> bytes:
        """State *number* as the content of a database. Raises NoSuchState."""
        if not 0 <= number < len(self):
            raise NoSuchState(self.diverged or f"This day has {len(self) - 1} steps so far.")
        return b"".join(self._pages[number])

    def changes(self, number: int) -> AppChanges:
        """What action *number* changed. Raises NoSuchState."""
        if not 0 <= number < len(self):
            raise NoSuchState(self.diverged or f"This day has {len(self) - 1} steps so far.")
        return self._changes[number]

    def origin(self, app: str, item: str, before: int) -> int | None:
        """The last action, up to *before*, that changed *item* of *app*; None if it was there in
        the morning."""
        for number in range(min(before, len(self) - 1), 0, -1):
            if item in self._changes[number].get(app, {}):
                return number
        return None

    def kept_bytes(self) -> int:
        """How much memory the pages take."""
        return sum(map(len, {id(page): page for state in self._pages for page in state}.values()))

    def close(self) -> None:
        """Close the worlds; the states are gone."""
        complete(self._world.close())
        if self._shown is not None:
            complete(self._shown.close())

    def _keep(self) -> None:
        """Keep the present state, and what differs in it from the one before."""
        content = complete(self._world.serialize())
        before = self._pages[-1] if self._pages else ()
        pages = []
        for number, start in enumerate(range(0, len(content), _PAGE)):
            page = content[start : start + _PAGE]
            kept = number < len(before) and before[number] == page
            pages.append(before[number] if kept else page)
        self._pages.append(tuple(pages))
        marks = complete(self._world.read(_all_marks, self.employee))
        self._changes.append(_differences(self._marks, marks))
        self._marks = marks


def _all_marks(tx: Transaction) -> dict[str, Marks]:
    return {app: view.marks(tx) for app, view in APP_VIEWS.items()}


def _differences(before: Mapping[str, Marks], after: Mapping[str, Marks]) -> AppChanges:
    found: dict[str, dict[str, ItemChange]] = {}
    for app, marks in after.items():
        old = before.get(app, {})
        if old == marks:
            continue
        changes = {id: ItemChange.REMOVED for id in old if id not in marks}
        for id, mark in marks.items():
            if id not in old:
                changes[id] = ItemChange.ADDED
            elif old[id] != mark:
                changes[id] = ItemChange.CHANGED
        found[app] = changes
    return found
