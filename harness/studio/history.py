"""An episode's actions and states, also while it is being worked.

    world file ──log──► entries ──replayed, when asked for──► DayStates
         └──WorldFollower, while the episode runs──► further entries

Actions are read on the event loop, which takes microseconds when there are none; states are
computed on a thread of their own, a moment at a time, so that nobody waits for all of them. They
are computed while somebody asks for a step, and no further: a page asks for the timeline, which is
drawn from the last one, and whoever leaves the page asks no longer.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.studio.opened_run import EpisodeState, ShownEpisode
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.states import AppChanges, DayStates, NoSuchState
from trainee_bench.harness.studio.thoughts import AgentThought, LiveThoughts, read_thoughts
from trainee_bench.mcp_servers.verifier import recompose_day
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.connection import damaged
from trainee_bench.world.recorded_reads import WorldFollower
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

T = TypeVar("T")

_AT_ONCE_SECONDS = 0.03
"""How long actions are replayed before others may ask, too."""
_UNUSED_SECONDS = 5.0
"""After how long without a question an episode that runs is followed no longer."""
_FORGOTTEN_SECONDS = 600.0
"""After how long without a question a finished episode is not kept in memory any more."""
_KEPT = 5
"""How many finished episodes are kept in memory."""
_KEPT_BYTES = 60_000_000
"""How much memory they may take together, if they are more than the two that are compared."""


class EpisodeHistory:
    """The actions and states of *episode*. Make one with `open`, use it on one event loop.

    ``entries`` grows with `catch_up`; ``composition`` is the day as it was composed, ``day`` the
    one that its agent works (the first of a week), ``employee`` its id.
    """

    def __init__(
        self, episode: ShownEpisode, entries: list[LogEntry], employee: str, day: ComposedDay
    ):
        self.episode = episode
        self.entries = entries
        self.employee = employee
        self.composition = day
        self.day = day.day
        self.used = monotonic()
        self._file = _identity(episode.world)
        self._file_bytes = _size(episode.world)
        self._follower: WorldFollower | None = None
        self._states: DayStates | None = None
        self._thoughts: Mapping[int, AgentThought] | None = None
        self._live_thoughts = LiveThoughts(lambda: episode.turns)
        self._closed = False
        self._lock = anyio.Lock()
        self._working = Lock()

    @classmethod
    async def open(cls, episode: ShownEpisode) -> EpisodeHistory:
        """The history of *episode*. Raises WorldFileError if it has no world that can be read."""
        follower = None
        if episode.state is EpisodeState.RUNNING:
            follower = WorldFollower(episode.world)
        try:
            entries, employee, day = await run_sync(
                lambda: anyio.run(_read_beginning, episode.world)
            )
        except BaseException:
            if follower is not None:
                follower.close()
            raise
        history = cls(episode, entries, employee, day)
        history._follower = follower
        return history

    def catch_up(self) -> list[LogEntry]:
        """The actions that have been committed since this was last asked."""
        if self._follower is None:
            return []
        news = list(self._follower.news(len(self.entries)))
        self.entries += news
        return news

    @property
    def replaced(self) -> bool:
        """Whether the episode began anew: its world was removed, or another is in its place."""
        return _identity(self.episode.world) != self._file

    def settle(self) -> None:
        """Read the last actions of an episode that is over, and follow it no longer."""
        if self._follower is not None:
            self.catch_up()
            self._follower.close()
            self._follower = None
            self._file_bytes = _size(self.episode.world)

    async def thoughts(self) -> Mapping[int, AgentThought]:
        """What the agent thought before each action, as far as that is recorded."""
        trajectory, spec = self.episode.trajectory, self.episode.spec
        if self._thoughts is not None:
            return self._thoughts
        forked = spec.forked_from if spec is not None else None
        log = tuple(self.entries[forked.step if forked else 0 :])
        if trajectory is None:
            return self._live_thoughts.read(log, self.employee)
        self._thoughts = await run_sync(read_thoughts, trajectory, log, self.employee)
        return self._thoughts

    def thinks(self) -> str:
        """What the agent has said with the turn at hand, whose calls may wait; "" if nothing."""
        self._live_thoughts.read((), self.employee)
        latest = self._live_thoughts.latest
        return latest.message or latest.reasoning if latest is not None else ""

    def entry(self, step: int) -> LogEntry:
        """Action number *step*. Raises NoSuchState."""
        if not 1 <= step <= len(self.entries):
            raise NoSuchState(f"This day has {pluralize(len(self.entries), 'step')} so far.")
        return self.entries[step - 1]

    async def read(self, step: int, query: Callable[[Transaction], T]) -> T:
        """The result of *query* in the state after *step*, 0 for the morning; raises NoSuchState,
        and WorldFileError as `recompose_day` does."""
        return await self._with_states(step, lambda states: states.read(step, query))

    async def changes(self, step: int) -> AppChanges:
        """What *step* changed. Raises as `read` does."""
        return await self._with_states(step, lambda states: states.changes(step))

    async def all_changes(self) -> Sequence[AppChanges]:
        """What each step changed, by its number, as far as its states can be computed. Raises
        WorldFileError."""
        return await self._with_states(len(self.entries), DayStates.all_changes)

    async def content(self, step: int) -> bytes:
        """The state after *step* as the content of a database. Raises as `read` does."""
        return await self._with_states(step, lambda states: states.content(step))

    async def origin(self, app: str, item: str, before: int) -> int | None:
        """The last step, up to *before*, that changed *item* of *app*. Raises as `read` does."""
        return await self._with_states(before, lambda states: states.origin(app, item, before))

    async def _with_states(self, step: int, ask: Callable[[DayStates], T]) -> T:
        if not 0 <= step <= len(self.entries):
            raise NoSuchState(f"This day has {pluralize(len(self.entries), 'step')} so far.")
        while True:
            async with self._lock:
                answer = await run_sync(self._work, step, ask)
            if answer is not None:
                return answer[0]

    def _work(self, step: int, ask: Callable[[DayStates], T]) -> tuple[T] | None:
        """The answer of *ask*, None as long as states up to *step* are missing.

        It runs on a thread, which goes on if a studio that closes cancels whoever asked. So what it
        works on is freed by `close` if nothing runs, else at the end of what runs.
        """
        try:
            with self._working:
                if self._states is None:
                    self._states = DayStates(self.composition)
                while len(self._states) <= step and not self._states.diverged:
                    _follow(self._states, self.entries, step)
                    if not self._closed:  # else all is freed, and would begin anew
                        return None
                return (ask(self._states),)
        finally:
            if self._closed:
                self._free_states()

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes: its states, and the log, which most of the file is."""
        states = self._states.kept_bytes() if self._states is not None else 0
        return states + self._file_bytes

    def close(self) -> None:
        """Free what it holds. Whoever holds it still can read what is known of it already."""
        if self._follower is not None:
            self._follower.close()
            self._follower = None
        self._closed = True
        self._free_states()

    def _free_states(self) -> None:
        if not self._working.acquire(blocking=False):
            return
        try:
            if self._states is not None:
                self._states.close()
                self._states = None
        finally:
            self._working.release()


class EpisodeHistories:
    """The histories of the episodes that were asked for last, and of all that are running."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, EpisodeHistory] = OrderedDict()
        self._opening: dict[str, anyio.Lock] = {}

    async def shown_in(self, runs: ShownRuns, episode: ShownEpisode) -> EpisodeHistory:
        """The history of *episode*, which somebody is shown now in the studio of *runs*. Raises
        NoWorldYet and WorldFileError, as `ShownRuns.look_into` does."""
        await runs.look_into(episode)
        return await self.of(episode)

    async def of(self, episode: ShownEpisode) -> EpisodeHistory:
        """The history of *episode*, with all actions up to now. Raises WorldFileError."""
        async with self._turn(episode.key):
            found = self._open.get(episode.key)
            if found is not None and found.replaced:
                self._drop(episode.key)
                found = None
            if found is None:
                found = await EpisodeHistory.open(episode)
                self._open[episode.key] = found
            self._open.move_to_end(episode.key)
            self._drop_oldest()
            found.used = monotonic()
            found.episode = episode
            if episode.state is EpisodeState.RUNNING:
                found.catch_up()
            else:
                found.settle()
            return found

    @property
    def open_keys(self) -> tuple[str, ...]:
        """The keys of the episodes that are open, the one that was asked for last at the end."""
        return tuple(self._open)

    @asynccontextmanager
    async def _turn(self, key: str) -> AsyncIterator[None]:
        """Within the block nobody else opens the episode; nobody waits while another is opened."""
        lock = self._opening.setdefault(key, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.statistics().tasks_waiting and not lock.locked():
                self._opening.pop(key, None)

    async def release_unused(self) -> None:
        """Close the episodes that nobody watches any more. Of those that run the world files are
        open meanwhile, and those who work them cannot tidy them up; the others take memory."""
        while True:
            await anyio.sleep(_UNUSED_SECONDS / 2)
            for key, history in list(self._open.items()):
                running = history.episode.state is EpisodeState.RUNNING
                patience = _UNUSED_SECONDS if running else _FORGOTTEN_SECONDS
                if monotonic() - history.used > patience:
                    self._drop(key)

    def close(self) -> None:
        """Close all."""
        for key in list(self._open):
            self._drop(key)

    def _drop_oldest(self) -> None:
        """Drop finished episodes that are too many, or take too much memory."""
        over = [
            history
            for history in self._open.values()
            if history.episode.state is not EpisodeState.RUNNING
        ]
        while len(over) > _KEPT or (
            len(over) > 2 and sum(history.held_bytes for history in over) > _KEPT_BYTES
        ):
            self._drop(over.pop(0).episode.key)

    def _drop(self, key: str) -> None:
        self._open.pop(key).close()


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells the file at *path* from one that takes its place; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _size(path: Path) -> int:
    """How many bytes the file at *path* has; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def warm_up() -> None:
    """Import what the first day that is opened would otherwise wait for: all families."""
    all_rules()


async def _read_beginning(path: Path) -> tuple[list[LogEntry], str, ComposedDay]:
    """The actions so far in the world at *path*, its employee and day."""
    async with await World.open(path) as world:
        entries = await world.log()
        employee = await world.read(lambda tx: tx.employee)
        try:
            return entries, employee, await recompose_day(world)
        except (ValueError, LookupError, TypeError) as error:
            raise damaged(path.name, f"{type(error).__name__}: {error}") from error


def _follow(states: DayStates, entries: list[LogEntry], step: int) -> None:
    """Compute the next states for a moment, at most up to *step*."""
    until = monotonic() + _AT_ONCE_SECONDS
    for entry in entries[len(states) - 1 : step]:
        states.follow(entry)
        if monotonic() > until:
            return
