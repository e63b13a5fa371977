"""An episode's actions and states, also while an agent is working it.

    world file ──log──► entries ──replayed on demand──► DayStates
         └──WorldFollower, while the episode runs──► further entries

Actions are read on the event loop; without new ones that takes microseconds. States are computed on
a separate thread in short slices, so that no request waits for all of them. They are computed only
while a page asks for a step. A page asks for the timeline, which needs the last state. When the
user leaves the page, it stops asking.
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
"""The seconds that actions are replayed before other requests get a turn."""
_UNUSED_SECONDS = 5.0
"""A running episode is no longer followed after this time without a request."""
_FORGOTTEN_SECONDS = 600.0
"""A finished episode is no longer kept in memory after this time without a request."""
_KEPT = 5
"""The number of finished episodes that are kept in memory."""
_KEPT_BYTES = 60_000_000
"""The bytes that they may take together, if there are more than the two that can be compared."""


class EpisodeHistory:
    """The actions and states of *episode*. Make one with `open`, use it on one event loop.

    ``entries`` grows with `catch_up`. ``composition`` is the composed day, ``day`` the one that its
    agent works (the first of a week), ``employee`` the id of its employee.
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
        """Open the history of *episode*. Raises WorldFileError if it has no readable world."""
        follower = None
        if episode.state is EpisodeState.RUNNING:
            follower = WorldFollower(episode.world)
        try:
            staged = episode.run.staged
            known = staged.composition if staged is not None else None
            entries, employee, day = await run_sync(
                lambda: anyio.run(_read_beginning, episode.world, known)
            )
        except BaseException:
            if follower is not None:
                follower.close()
            raise
        history = cls(episode, entries, employee, day)
        history._follower = follower
        return history

    def catch_up(self) -> list[LogEntry]:
        """Return the actions that were committed since the last call."""
        if self._follower is None:
            return []
        news = list(self._follower.news(len(self.entries)))
        self.entries += news
        return news

    @property
    def replaced(self) -> bool:
        """Whether the episode began again: its world was removed or replaced."""
        return _identity(self.episode.world) != self._file

    def settle(self) -> None:
        """Read the last actions of an episode that is over, and stop following it."""
        if self._follower is not None:
            self.catch_up()
            self._follower.close()
            self._follower = None
            self._file_bytes = _size(self.episode.world)

    async def thoughts(self) -> Mapping[int, AgentThought]:
        """Return the agent's thought before each action, as far as recorded."""
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
        """Return the agent's text in the current turn, whose calls may be waiting; "" if none."""
        self._live_thoughts.read((), self.employee)
        latest = self._live_thoughts.latest
        return latest.message or latest.reasoning if latest is not None else ""

    def entry(self, step: int) -> LogEntry:
        """Return action number *step*. Raises NoSuchState."""
        if not 1 <= step <= len(self.entries):
            raise NoSuchState(f"This day has {pluralize(len(self.entries), 'step')} so far.")
        return self.entries[step - 1]

    async def read(self, step: int, query: Callable[[Transaction], T]) -> T:
        """Return the result of *query* in the state after *step* (0 is the morning). Raises
        NoSuchState, and WorldFileError as `recompose_day` does."""
        return await self._with_states(step, lambda states: states.read(step, query))

    async def changes(self, step: int) -> AppChanges:
        """Return the changes of *step*. Raises the errors of `read`."""
        return await self._with_states(step, lambda states: states.changes(step))

    async def all_changes(self) -> Sequence[AppChanges]:
        """Return the changes of each step, by its number, as far as its states can be computed.
        Raises WorldFileError."""
        return await self._with_states(len(self.entries), DayStates.all_changes)

    async def content(self, step: int) -> bytes:
        """Return the state after *step* as the content of a database. Raises the errors of
        `read`."""
        return await self._with_states(step, lambda states: states.content(step))

    async def origin(self, app: str, item: str, before: int) -> int | None:
        """Return the last step, up to *before*, that changed *item* of *app*. Raises the errors of
        `read`."""
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
        """Return the answer of *ask*, None as long as states up to *step* are missing.

        This runs on a thread that continues even if a closing studio cancels the caller. So `close`
        frees the states at once if nothing runs; otherwise the running call frees them at its end.
        """
        try:
            with self._working:
                if self._states is None:
                    self._states = DayStates(self.composition)
                while len(self._states) <= step and not self._states.diverged:
                    _follow(self._states, self.entries, step)
                    if (
                        not self._closed
                    ):  # if closed, the states are freed and would be computed again
                        return None
                return (ask(self._states),)
        finally:
            if self._closed:
                self._free_states()

    @property
    def held_bytes(self) -> int:
        """The approximate memory in bytes: its states, and the log, which is most of the file."""
        states = self._states.kept_bytes() if self._states is not None else 0
        return states + self._file_bytes

    def close(self) -> None:
        """Free the states. The entries and thoughts that were read remain readable."""
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
    """The histories of the most recently requested episodes and of all running ones."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, EpisodeHistory] = OrderedDict()
        self._opening: dict[str, anyio.Lock] = {}

    async def shown_in(self, runs: ShownRuns, episode: ShownEpisode) -> EpisodeHistory:
        """Return the history of *episode*, which the studio of *runs* is about to show. Raises
        NoWorldYet and WorldFileError, as `ShownRuns.look_into` does."""
        await runs.look_into(episode)
        return await self.of(episode)

    async def of(self, episode: ShownEpisode) -> EpisodeHistory:
        """Return the history of *episode*, with all actions up to now. Raises WorldFileError."""
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
        """The keys of the open episodes, the most recently requested one last."""
        return tuple(self._open)

    @asynccontextmanager
    async def _turn(self, key: str) -> AsyncIterator[None]:
        """While the block runs, make other requests for this episode wait, but not those for
        others."""
        lock = self._opening.setdefault(key, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.statistics().tasks_waiting and not lock.locked():
                self._opening.pop(key, None)

    async def release_unused(self) -> None:
        """Close the episodes that nobody watches any more. An open running episode keeps its world
        file open, so its worker cannot clean it up; a finished one takes memory."""
        while True:
            await anyio.sleep(_UNUSED_SECONDS / 2)
            for key, history in list(self._open.items()):
                running = history.episode.state is EpisodeState.RUNNING
                patience = _UNUSED_SECONDS if running else _FORGOTTEN_SECONDS
                if monotonic() - history.used > patience:
                    self._drop(key)

    def close(self) -> None:
        """Close all histories."""
        for key in list(self._open):
            self._drop(key)

    def _drop_oldest(self) -> None:
        """Drop the oldest finished episodes while they are too many or take too much memory."""
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
    """Return an identity that tells the file at *path* from a replacement; None if it is
    missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _size(path: Path) -> int:
    """Return the size of the file at *path* in bytes; 0 if it is missing."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def warm_up() -> None:
    """Import all task families in advance, so that the first opened day does not wait for them."""
    all_rules()


async def _read_beginning(
    path: Path, known: ComposedDay | None
) -> tuple[list[LogEntry], str, ComposedDay]:
    """Return the actions so far in the world at *path*, its employee and its day, which is composed
    again unless it is *known*."""
    async with await World.open(path) as world:
        entries = await world.log()
        employee = await world.read(lambda tx: tx.employee)
        try:
            return entries, employee, known or await recompose_day(world)
        except (ValueError, LookupError, TypeError) as error:
            raise damaged(path.name, f"{type(error).__name__}: {error}") from error


def _follow(states: DayStates, entries: list[LogEntry], step: int) -> None:
    """Compute further states for a moment, at most up to *step*."""
    until = monotonic() + _AT_ONCE_SECONDS
    for entry in entries[len(states) - 1 : step]:
        states.follow(entry)
        if monotonic() > until:
            return
