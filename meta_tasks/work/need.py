"""Needs, and what satisfying one may ask for.

A need is a frozen value. Its way, `satisfy`, is a coroutine that returns the need's value. It
awaits other needs, calls tools and pauses, all through the `Work` that it is given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

from pydantic import JsonValue

from trainee_bench.meta_tasks.patience import LAST_LOOK, LOOK_HOLDS
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.notices import NoticeKind

if TYPE_CHECKING:
    from trainee_bench.meta_tasks.work.ledger import Cell

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


class Need(ABC, Generic[T]):
    """Something that must be known or done. Subclasses are frozen dataclasses of plain data. Equal
    needs are one need, which is satisfied once."""

    @abstractmethod
    async def satisfy(self, work: Work) -> T:
        """Find the value, or bring it about. Raises ToolFailed where that is impossible."""


class Source(Need[T]):
    """Something that the office shows at one look. It stays the same until something says
    otherwise."""

    told: ClassVar[frozenset[NoticeKind]] = frozenset()
    """The notices after which it may show something else."""
    untold: ClassVar[bool] = False
    """Whether it changes without any notice, even on a day that announces everything."""
    fixed: ClassVar[bool] = False
    """Whether it never changes, as far as a worker has to care."""
    lasts: ClassVar[timedelta] = LOOK_HOLDS
    """The time that a look stays valid where changes are not announced."""
    settled_before: ClassVar[timedelta] = LAST_LOOK
    """The time from the last look to the deadline."""


class ExtensionPoint(Need[T]):
    """A need with an empty value that habits extend with what they know."""

    nothing: ClassVar[Any]
    """Its value without a habit."""

    async def satisfy(self, work: Work) -> T:
        """Return the empty value."""
        return cast("T", self.nothing)


class Achievement(Need[T]):
    """Something that an act of the worker brings about. It never becomes stale by itself, and a
    refused act is not tried again. Its fields contain everything that it depends on."""


class JointCall(Protocol):
    """The common part of calls that may be made as one, such as questions to several people."""


@dataclass(frozen=True)
class Call:
    """A request to call a tool. Calls with a *joint* of the same type may be made together."""

    tool: str
    arguments: Mapping[str, JsonValue]
    joint: JointCall | None = None

    def __await__(self) -> Generator[Call, ToolResponse, ToolResponse]:
        return (yield self)


@dataclass(frozen=True)
class Pause:
    """A request to continue at *until*, or to begin again once something that was used has changed.

    ``every`` is the time between looks meanwhile, where changes are not announced. An *appointment*
    is kept to the minute.
    """

    until: datetime
    since: datetime
    every: timedelta | None = None
    appointment: bool = False

    def __await__(self) -> Generator[Pause, None, None]:
        yield self


@dataclass(frozen=True)
class Wanted:
    """A request for the values of *needs*. With *tolerant*, errors do not count: only versions
    matter."""

    needs: tuple[Need[Any], ...]
    tolerant: bool = False

    def __await__(self) -> Generator[Wanted, list[Any], list[Any]]:
        return (yield self)


Request = Call | Pause | Wanted


class Worker(Protocol):
    """The part of a worker that a way may use: the time, and what is known without looking."""

    now: datetime
    """The present time."""
    ends: datetime
    """When the working day ends."""
    trusts_notices: bool
    """Whether the day announces everything that happens."""

    def note(self, need: Need[Any], value: Any) -> None:
        """Enter *value* for *need* into the ledger."""

    def wake(self, cell: Cell, time: datetime) -> None:
        """Have *cell* satisfied again at *time*."""

    def promise(self, cell: Cell, time: datetime) -> None:
        """Treat what *cell* needs as if it were due at *time*."""

    def has_root(self, need: Need[Any]) -> bool:
        """Whether this *need* is one of the purposes that the worker was given."""

    def look_again(self, source: Source[Any], since: datetime) -> None:
        """Take what was seen of *source* before that time as unknown, if it may have changed
        without a notice."""


class Work:
    """The interface that a way is given: ``await work(need)``, ``work.all``, ``work.call``,
    ``work.pause``."""

    def __init__(self, worker: Worker, cell: Cell):
        self.worker = worker
        self._cell = cell

    @property
    def now(self) -> datetime:
        """The present time. A need that depends on it has to pause or to be woken."""
        return self.worker.now

    @property
    def previous(self) -> Any:
        """The value of this source at the previous look; None at the first look."""
        return self._cell.previous

    async def __call__(self, need: Need[T]) -> T:
        """Return the value of *need*. Raises what its way raises."""
        (value,) = await Wanted((need,))
        return cast("T", value)

    async def all(self, needs: Iterable[Need[T]]) -> list[T]:
        """Return the values of all *needs*, which are satisfied side by side."""
        wanted = tuple(needs)
        return await Wanted(wanted) if wanted else []

    async def both(self, one: Need[A], other: Need[B]) -> tuple[A, B]:
        """Return the values of two needs, satisfied side by side."""
        first, second = await Wanted((one, other))
        return first, second

    async def three(self, one: Need[A], other: Need[B], third: Need[C]) -> tuple[A, B, C]:
        """Return the values of three needs, satisfied side by side."""
        first, second, last = await Wanted((one, other, third))
        return first, second, last

    async def call(
        self, tool: str, joint: JointCall | None = None, **arguments: JsonValue
    ) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's text."""
        return await Call(tool, arguments, joint)

    async def pause(
        self, until: datetime, every: timedelta | None = None, since: datetime | None = None
    ) -> None:
        """Wait until then; see `Pause`. *since* is when the awaited event was set off."""
        if until > self.now:
            await Pause(until, since or self.now, every)

    def promise(self, time: datetime) -> None:
        """Promise something by *time*: what it needs becomes as urgent."""
        self.worker.promise(self._cell, time)

    async def keep(self, appointment: datetime) -> None:
        """Wait for an *appointment*, and take precedence then."""
        await Pause(appointment, self.now, appointment=True)

    def note(self, need: Need[T], value: T) -> None:
        """Enter *value* for *need*, which is known without looking."""
        self.worker.note(need, value)

    def look_again(self, source: Source[Any], since: datetime) -> None:
        """Have *source* looked at again, unless it was seen since that time."""
        self.worker.look_again(source, since)

    def wake(self, time: datetime) -> None:
        """Have this need satisfied again at *time*."""
        self.worker.wake(self._cell, time)


@dataclass(frozen=True)
class All(Need[list[T]]):
    """The values of all *needs*, satisfied side by side."""

    needs: tuple[Need[T], ...]

    async def satisfy(self, work: Work) -> list[T]:
        """Satisfy them."""
        return await work.all(self.needs)


TaskWork = Callable[[Work, str], Awaitable[None]]
"""The work on a task: a function over needs, given the task's id."""


@dataclass(frozen=True)
class LastDone(Need[object]):
    """The last thing that this worker has done about a matter, such as a path: known without
    looking. None if nothing was done."""

    matter: str

    async def satisfy(self, work: Work) -> object:
        """Return None: nothing was done so far."""
        return None
