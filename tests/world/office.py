"""A company at work: a world with all its people and whatever events a test gives it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel

from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import create_company
from trainee_bench.world.transaction import Event, Result, Transaction
from trainee_bench.world.world import ActionResult, World, WorldConfig

DAY = datetime(2025, 10, 1)
COMPANY = create_company("tests")
ROBIN = COMPANY.trainee.id
OPENING = WorldConfig(employee=ROBIN, starts=DAY.replace(hour=8), ends=DAY.replace(hour=20))
MARA, NILS, OLGA, PAUL = (person.id for person in COMPANY.staff("Marketing")[:4])
"""Four colleagues, by the parts they play in a test."""

T = TypeVar("T")


class Nothing(BaseModel):
    """No data."""


def at(hour: int, minute: int = 0) -> datetime:
    """A time of the day."""
    return DAY.replace(hour=hour, minute=minute)


async def office(
    *events: Event,
    later: tuple[tuple[datetime, Event], ...] = (),
    opening: WorldConfig = OPENING,
) -> World:
    """A world in memory; *events* have happened when it opens, *later* ones are to come."""

    def stage(tx: Transaction) -> None:
        Directory(tx).add([*COMPANY.people, COMPANY.trainee])
        for event in events:
            tx.enqueue(tx.now, event)
        for due, event in later:
            tx.enqueue(due, event)

    return await World.create_inline(opening, stage)


async def act(
    world: World, verb: Callable[[Transaction], Any], actor: str = ROBIN, minutes: int = 1
) -> ActionResult[Nothing]:
    """One action, whatever came of it."""

    def wrapped(tx: Transaction) -> Result[Nothing]:
        verb(tx)
        return Result("", Nothing())

    return await world.execute(actor, "test", {}, wrapped, minutes=minutes)


async def do(
    world: World, verb: Callable[[Transaction], T], actor: str = ROBIN, minutes: int = 1
) -> T:
    """What *verb* returns; what it is refused with is raised."""
    got: list[T] = []
    done = await act(world, lambda tx: got.append(verb(tx)), actor, minutes)
    if done.error is not None:
        raise done.error
    return got[0]


async def wait_until(world: World, time: datetime) -> list[str]:
    """Let Robin wait; the texts of the notices that came meanwhile."""
    done = await act(world, lambda tx: tx.extend_until(time))
    assert done.now == time
    return [notice.text for notice in done.notices]


async def at_ten(*events: Event) -> World:
    """The same world at ten, when everybody is there."""
    world = await office(*events)
    await wait_until(world, at(10))
    return world


def website_clue(holder: str, payload: str) -> Clue:
    """Who looks after the website, which *holder* knows."""
    return Clue(
        id="T1/owner",
        holder=holder,
        payload=payload,
        asks=(
            "Who is responsible for the company website today?",
            "Which engineer is in charge of the company website?",
            "Who looks after the website at the moment?",
            "Whom should I contact about a problem with the website?",
            "Who takes care of the company's site these days?",
        ),
    )
