"""A toy world for tests: one shelf of things, verbs on it, and events that put things there."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import BaseModel

from trainee_bench.world.errors import Refused
from trainee_bench.world.transaction import Event, NoticeKind, Result, Transaction
from trainee_bench.world.world import WorldConfig

MORNING = datetime(2025, 10, 1, 8)
EVENING = datetime(2025, 10, 1, 18)
ROBIN = "robin"
OPENING = WorldConfig(employee=ROBIN, starts=MORNING, ends=EVENING)


class Shelf(BaseModel, frozen=True):
    """The things on the shelf, oldest first."""

    things: tuple[str, ...]


class ThingAppears(Event):
    """A thing is put on the shelf, and Robin hears of it if *loud*."""

    thing: str
    loud: bool = False

    def fire(self, tx: Transaction) -> None:
        put(tx, self.thing)
        if self.loud:
            tx.notify(ROBIN, NoticeKind.MAIL, f"{self.thing} has appeared")


class ThingReturns(Event):
    """A thing appears every *minutes* minutes, *times* times."""

    thing: str
    minutes: int
    times: int

    def fire(self, tx: Transaction) -> None:
        put(tx, f"{self.thing} at {tx.now:%H:%M}")
        if self.times > 1:
            later = self.model_copy(update={"times": self.times - 1})
            tx.enqueue(tx.now + timedelta(minutes=self.minutes), later)


class ShelfBreaks(Event):
    """A bug of ours."""

    def fire(self, tx: Transaction) -> None:
        put(tx, "half of something")
        raise ZeroDivisionError("the shelf broke")


def populate(tx: Transaction) -> None:
    """An empty shelf."""
    tx.run("CREATE TABLE shelf (id INTEGER PRIMARY KEY, thing TEXT NOT NULL, at TEXT) STRICT")


def put(tx: Transaction, thing: str) -> Result[Shelf]:
    tx.run("INSERT INTO shelf (thing, at) VALUES (?, ?)", thing, tx.now.isoformat())
    return Result(f"put {thing}", shelf(tx))


def put_and_refuse(tx: Transaction) -> Result[Shelf]:
    put(tx, "what must not stay")
    tx.set_fact("now", "1999-01-01T00:00:00")
    tx.extend_until(EVENING)
    raise Refused("The shelf is full; take something away first.")


def put_and_break(tx: Transaction) -> Result[Shelf]:
    put(tx, "what must not stay")
    raise ZeroDivisionError("a bug")


def nothing(tx: Transaction) -> Result[Shelf]:
    return Result("nothing done", shelf(tx))


def shelf(tx: Transaction) -> Shelf:
    return Shelf(things=tuple(row["thing"] for row in tx.rows("SELECT * FROM shelf ORDER BY id")))


def at(hour: int, minute: int = 0) -> datetime:
    """A time of the toy day."""
    return MORNING.replace(hour=hour, minute=minute)
