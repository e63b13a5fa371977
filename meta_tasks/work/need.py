"""Needs, and what a way to satisfy one may ask for.

A need is a frozen value. Its way, `satisfy`, is a coroutine: it awaits other needs, calls tools and
pauses, all through the `Work` that it is given, and returns the need's value.
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
    """What must be known, or be so. Subclasses are frozen dataclasses of plain data: equal needs
    are one need, and are satisfied once."""

    @abstractmethod
    async def satisfy(self, work: Work) -> T:
        """Find the value, or make it so. Raises ToolFailed where that is impossible."""


class Source(Need[T]):
    """What the office shows at one look. It stays the same until something tells otherwise."""

    told: ClassVar[frozenset[NoticeKind]] = frozenset()
    """The notices after which it may show something else."""
    untold: ClassVar[bool] = False
    """Whether it changes without any notice, even on a day that tells everything."""
    fixed: ClassVar[bool] = False
    """Whether it never changes, as far as a worker has to care."""
    lasts: ClassVar[timedelta] = LOOK_HOLDS
    """How long a look holds where nobody tells of changes."""
    settled_before: ClassVar[timedelta] = LAST_LOOK
    """How long before the deadline the last look is taken."""


class ExtensionPoint(Need[T]):
    """A need that comes to nothing by itself: habits go around it, and add what they know."""

    nothing: ClassVar[Any]
    """What it comes to without a habit."""

    async def satisfy(self, work: Work) -> T:
        """Return that."""
        return cast("T", self.nothing)


class Achievement(Need[T]):
    """Something that an act of the worker makes so. It never becomes stale by itself, and an act
    that was refused is not tried again. What it depends on is in its fields."""


class JointCall(Protocol):
    """What calls have in common that may be made as one, such as questions to several people."""


@dataclass(frozen=True)
class Call:
    """Call a tool; calls with a *joint* of the same type may be made together."""

    tool: str
    arguments: Mapping[str, JsonValue]
    joint: JointCall | None = None

    def __await__(self) -> Generator[Call, ToolResponse, ToolResponse]:
        return (yield self)


@dataclass(frozen=True)
class Pause:
    """Go on at *until*, or begin anew once something that was used has changed.

    ``every`` is how often to look meanwhile where nobody tells of changes. An *appointment* is
    kept to the minute.
    """

    until: datetime
    since: datetime
    every: timedelta | None = None
    appointment: bool = False

    def __await__(self) -> Generator[Pause, None, None]:
        yield self


@dataclass(frozen=True)
class Wanted:
    """The values of *needs*. With *tolerant*, errors are no errors: only versions matter."""

    needs: tuple[Need[Any], ...]
    tolerant: bool = False

    def __await__(self) -> Generator[Wanted, list[Any], list[Any]]:
        return (yield self)


Request = Call | Pause | Wanted


class Worker(Protocol):
    """What a way may know of whoever works: the time, and what is known without looking."""

    now: datetime
    """The present time."""
    ends: datetime
    """When the working day ends."""
    trusts_notices: bool
    """Whether the day tells everything that happens."""

    def note(self, need: Need[Any], value: Any) -> None:
        """Enter *value* as that of *need* into the ledger."""

    def wake(self, cell: Cell, time: datetime) -> None:
        """See to it that *cell* is satisfied anew at *time*."""

    def promise(self, cell: Cell, time: datetime) -> None:
        """Take what *cell* needs for as urgent as what is due at *time*."""

    def look_again(self, source: Source[Any], since: datetime) -> None:
        """Take what was seen of *source* before that time as unknown, if it may have changed
        untold."""


class Work:
    """What a way is given: ``await work(need)``, ``work.all``, ``work.call``, ``work.pause``."""

    def __init__(self, worker: Worker, cell: Cell):
        self.worker = worker
        self._cell = cell

    @property
    def now(self) -> datetime:
        """The present time. What depends on it has to pause or to be woken."""
        return self.worker.now

    @property
    def previous(self) -> Any:
        """What this source showed at the look before, None at the first."""
        return self._cell.previous

    async def __call__(self, need: Need[T]) -> T:
        """The value of *need*. Raises what its way raises."""
        (value,) = await Wanted((need,))
        return cast("T", value)

    async def all(self, needs: Iterable[Need[T]]) -> list[T]:
        """The values of all *needs*, which are satisfied side by side."""
        wanted = tuple(needs)
        return await Wanted(wanted) if wanted else []

    async def both(self, one: Need[A], other: Need[B]) -> tuple[A, B]:
        """The values of two needs, side by side."""
        first, second = await Wanted((one, other))
        return first, second

    async def three(self, one: Need[A], other: Need[B], third: Need[C]) -> tuple[A, B, C]:
        """The values of three needs, side by side."""
        first, second, last = await Wanted((one, other, third))
        return first, second, last

    async def call(
        self, tool: str, joint: JointCall | None = None, **arguments: JsonValue
    ) -> ToolResponse:
        """Call a tool. Raises ToolFailed with the tool's words."""
        return await Call(tool, arguments, joint)

    async def pause(
        self, until: datetime, every: timedelta | None = None, since: datetime | None = None
    ) -> None:
        """Wait until then; see `Pause`. *since* is when what is waited for was set off."""
        if until > self.now:
            await Pause(until, since or self.now, every)

    def promise(self, time: datetime) -> None:
        """Say that something has to be so by *time*: what it needs is as urgent."""
        self.worker.promise(self._cell, time)

    async def keep(self, appointment: datetime) -> None:
        """Wait for an *appointment*, and go first then."""
        await Pause(appointment, self.now, appointment=True)

    def note(self, need: Need[T], value: T) -> None:
        """Enter *value* as that of *need*, which is known without looking."""
        self.worker.note(need, value)

    def look_again(self, source: Source[Any], since: datetime) -> None:
        """Have *source* looked at again, unless it was seen since that time."""
        self.worker.look_again(source, since)

    def wake(self, time: datetime) -> None:
        """Have this need satisfied anew at *time*."""
        self.worker.wake(self._cell, time)


@dataclass(frozen=True)
class All(Need[list[T]]):
    """The values of all *needs*, side by side."""

    needs: tuple[Need[T], ...]

    async def satisfy(self, work: Work) -> list[T]:
        """Satisfy them."""
        return await work.all(self.needs)


TaskWork = Callable[[Work, str], Awaitable[None]]
"""How a task is worked: a function over needs, given the task's id."""


@dataclass(frozen=True)
class LastDone(Need[object]):
    """What this worker has done last about a matter, such as a path: known without looking. None
    for nothing so far."""

    matter: str

    async def satisfy(self, work: Work) -> object:
        """Nothing so far."""
        return None
