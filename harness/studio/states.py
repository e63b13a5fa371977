"""The states of a day: its world after each action.

    composition ──stage──► state 0 ──action 1──► state 1 ──► … ──► state N
                              └─ kept               some are kept ─┘

The actions are repeated once. On the way, a state is kept as soon as repeating the actions since
the last kept one would take a moment. Any other state is rebuilt from the kept one before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from time import thread_time
from typing import TypeVar

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.studio.views import APP_VIEWS
from trainee_bench.harness.studio.views.app_view import Marks
from trainee_bench.mcp_servers.serving.log_replay import ReplayDiverged, replay_log
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry, with_log
from trainee_bench.world.layout import PAGE_BYTES
from trainee_bench.world.recorded_reads import RecordedReads
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World


class KeptStates:
    """Kept states by their numbers, in rising order."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._pages: list[tuple[bytes, ...]] = []
        self._bytes = 0

    def keep(self, number: int, content: bytes) -> None:
        """Keep *content* as state *number*, which must be higher than the last."""
        before = self._pages[-1] if self._pages else ()
        pages = [
            content[start : start + PAGE_BYTES] for start in range(0, len(content), PAGE_BYTES)
        ]
        for place, (old, new) in enumerate(zip(before, pages, strict=False)):
            if old == new:
                pages[place] = old
            else:
                self._bytes += PAGE_BYTES
        self._bytes += PAGE_BYTES * max(0, len(pages) - len(before))
        self._numbers.append(number)
        self._pages.append(tuple(pages))

    def latest(self, number: int) -> int:
        """Return the number of the last kept state up to *number*, which must not be lower than the
        first."""
        return self._numbers[bisect_right(self._numbers, number) - 1]

    def content(self, number: int) -> bytes:
        """Return the content of the state that was kept as *number*."""
        return b"".join(self._pages[bisect_right(self._numbers, number) - 1])

    def held_bytes(self) -> int:
        """Return the memory that the pages take, each page counted once."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._numbers)


T = TypeVar("T")

_MOST_REPEATED = 16
"""A state is kept after this many actions."""
_LONGEST_REPEATED = 0.03
"""A state is kept after actions that took this many seconds together, so that no request has to
repeat a slow one."""


class ItemChange(StrEnum):
    """The effect of a step on an item of an app."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


AppChanges = Mapping[str, Mapping[str, ItemChange]]
"""The changes of a step: for each app, the items by id."""
NO_CHANGES: AppChanges = {}
_NOTHING: tuple[Marks, None] = ({}, None)


class NoSuchState(LookupError):
    """Raised if the day has no state with this number, or it cannot be shown; the message says
    why."""


class DayStates:
    """The states of the day of *composition*, which grow with `follow`.

    ``log`` has the actions so far: state ``n`` follows action ``n``. Only one thread at a time may
    use it.
    """

    def __init__(self, composition: ComposedDay):
        staging = World.create_inline(composition.world_config(), composition.populate)
        self._latest = _Position(complete(staging), 0)
        self.employee = composition.company.trainee.id
        self.log: list[LogEntry] = []
        self.diverged = ""
        """The reason why no further state can be computed, "" if there is none."""
        self._kept = KeptStates()
        self._repeated = 0
        self._took = 0.0
        self._marks: dict[str, tuple[Marks, RecordedReads]] = {}
        self._changes: list[AppChanges] = []
        self._shown: _Position | None = None
        self._keep()
        self._note_changes()
        self._changes[0] = NO_CHANGES

    def __len__(self) -> int:
        """Return the number of states, including the morning."""
        return len(self._changes)

    def follow(self, entry: LogEntry) -> None:
        """Repeat the next action to get the state after it. Do nothing once `diverged`."""
        if self.diverged:
            return
        began = thread_time()
        try:
            self._latest.go_on([entry])
        except ReplayDiverged as difference:
            self.diverged = f"Replaying this day stopped: {difference}"
            return
        self._took += thread_time() - began
        self._repeated += 1
        self.log.append(entry)
        self._note_changes()
        if self._repeated >= _MOST_REPEATED or self._took >= _LONGEST_REPEATED:
            self._keep()

    def read(self, number: int, query: Callable[[Transaction], T]) -> T:
        """Return the result of *query* in state *number*, as the employee sees it. Raises
        NoSuchState."""
        return complete(self._at(number).world.read(query, self.employee))

    def content(self, number: int) -> bytes:
        """Return state *number*, with its log, as the content of a database. Raises NoSuchState."""
        content = complete(self._at(number).world.serialize())
        return with_log(content, self.log[:number])

    def changes(self, number: int) -> AppChanges:
        """Return the changes of action *number*. Raises NoSuchState."""
        self._check(number)
        return self._changes[number]

    def all_changes(self) -> Sequence[AppChanges]:
        """Return the changes of each action so far, by its number; the morning has none."""
        return tuple(self._changes)

    def origin(self, app: str, item: str, before: int) -> int | None:
        """Return the last action, up to *before*, that changed *item* of *app*; None if it was
        there in the morning."""
        for number in range(min(before, len(self) - 1), 0, -1):
            if item in self._changes[number].get(app, {}):
                return number
        return None

    def kept_bytes(self) -> int:
        """Return the memory that the kept states take."""
        return self._kept.held_bytes()

    def close(self) -> None:
        """Close the worlds; the states are lost."""
        self._latest.close()
        if self._shown is not None:
            self._shown.close()

    def _check(self, number: int) -> None:
        if not 0 <= number < len(self):
            raise NoSuchState(
                self.diverged or f"This day has {pluralize(len(self) - 1, 'step')} so far."
            )

    def _at(self, number: int) -> _Position:
        """Return state *number* for reading. Raises NoSuchState."""
        self._check(number)
        if number == self._latest.number and not self.diverged:
            return self._latest
        kept = self._kept.latest(number)
        shown = self._shown
        if shown is None or not kept <= shown.number <= number:
            if shown is not None:
                shown.close()
            world = World.deserialize_inline(self._kept.content(kept))
            shown = self._shown = _Position(world, kept)
        shown.go_on(self.log[shown.number : number])
        return shown

    def _keep(self) -> None:
        """Keep the current state."""
        self._kept.keep(self._latest.number, complete(self._latest.world.serialize()))
        self._repeated, self._took = 0, 0.0

    def _note_changes(self) -> None:
        """Record the changes of the last action. Only apps whose view may have changed are read."""
        world = self._latest.world
        written = world.take_changed_tables()
        holding = complete(world.read(lambda tx: self._unchanged(tx, written)))
        found: dict[str, Mapping[str, ItemChange]] = {}
        for app, view in APP_VIEWS.items():
            if app in holding:
                continue
            before, _ = self._marks.get(app, _NOTHING)
            self._marks[app] = complete(world.read_recorded(view.marks, self.employee))
            changes = _differences(before, self._marks[app][0])
            if changes:
                found[app] = changes
        self._changes.append(found)

    def _unchanged(self, tx: Transaction, written: frozenset[str]) -> frozenset[str]:
        """Return the apps whose marks are unchanged although the tables *written* may have
        changed."""
        known = self._marks.items()
        return frozenset(app for app, (_, reads) in known if reads.still_hold(tx, written))


class _Position:
    """A world in state *number* of a day that can move forward. It logs nothing."""

    def __init__(self, world: World, number: int):
        self.world = world
        self.number = number
        complete(world.log_nothing())

    def go_on(self, entries: Sequence[LogEntry]) -> None:
        """Repeat the next *entries*. Raises ReplayDiverged at the first one with a different
        effect; the world is then in no state of the day."""
        complete(replay_log(self.world, entries))
        self.number += len(entries)

    def close(self) -> None:
        """Close the world."""
        complete(self.world.close())


def _differences(before: Marks, after: Marks) -> Mapping[str, ItemChange]:
    changes = {id: ItemChange.REMOVED for id in before if id not in after}
    for id, mark in after.items():
        if id not in before:
            changes[id] = ItemChange.ADDED
        elif before[id] != mark:
            changes[id] = ItemChange.CHANGED
    return changes
