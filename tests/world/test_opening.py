"""What is known from the action before holds in the next one, whoever has written in between."""

from __future__ import annotations

import sqlite3
from functools import partial

import pytest

from tests.world.toy import (
    OPENING,
    ROBIN,
    Shelf,
    ThingAppears,
    populate,
    put,
    put_and_refuse,
    shelf,
)
from trainee_bench.world.connection import InlineConnection
from trainee_bench.world.transaction import NoticeKind, Result, Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World


def look(tx: Transaction) -> Result[Shelf]:
    """The shelf, and the mood, which is a fact."""
    return Result(tx.fact("mood"), shelf(tx))


def cheer(tx: Transaction) -> Result[Shelf]:
    """A fact, a notice and an event that others have to hear of."""
    tx.set_fact("mood", "good")
    tx.notify(ROBIN, NoticeKind.MAIL, "Cheer up")
    tx.enqueue(tx.now, ThingAppears(thing="flowers"))
    return Result("cheered", shelf(tx))


def cheer_and_break(tx: Transaction) -> Result[Shelf]:
    """What must not stay, for the reason of a bug."""
    cheer(tx)
    raise ZeroDivisionError("a bug")


async def test_what_another_handle_has_written_holds_in_the_next_action(kept: World) -> None:
    assert kept.path is not None
    await kept.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    async with await World.open(kept.path) as other:
        await other.execute("anna", "cheer", {}, cheer)
    done = await kept.execute(ROBIN, "look", {}, look)
    assert done.result is not None
    assert (done.result.text, done.result.data.things) == ("good", ("cup", "flowers"))
    assert [notice.text for notice in done.notices] == ["Cheer up"]


async def test_nothing_that_an_action_wrote_before_it_broke_is_kept(world: World) -> None:
    await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    with pytest.raises(ZeroDivisionError):
        await world.execute(ROBIN, "cheer", {}, cheer_and_break)
    with pytest.raises(KeyError, match="mood"):
        await world.execute(ROBIN, "look", {}, look)
    done = await world.execute(ROBIN, "put", {}, partial(put, thing="plate"))
    assert done.result is not None
    assert (done.result.data.things, done.notices) == (("cup", "plate"), ())


async def test_nothing_that_a_refused_verb_wrote_is_kept(world: World) -> None:
    await world.execute(ROBIN, "put", {}, put_and_refuse)
    done = await world.execute(ROBIN, "put", {}, partial(put, thing="cup"))
    assert done.result is not None
    assert done.result.data.things == ("cup",)
    assert done.at.date() == OPENING.starts.date()


async def test_what_a_query_wrote_is_neither_kept_nor_missed(world: World) -> None:
    await world.execute(ROBIN, "cheer", {}, cheer)
    await world.read(lambda tx: tx.set_fact("mood", "bad"))
    done = await world.execute(ROBIN, "look", {}, look)
    assert done.result is not None
    assert done.result.text == "good"


def test_an_action_asks_only_once_for_what_nobody_else_has_changed() -> None:
    world = complete(World.create_inline(OPENING, populate))
    assert isinstance(world._connection, InlineConnection)
    database: sqlite3.Connection = world._connection._db
    asked: list[str] = []
    database.set_trace_callback(asked.append)
    for _ in range(2):
        asked.clear()
        complete(world.execute(ROBIN, "shelf", {}, lambda tx: Result("", shelf(tx))))
    known = ("FROM fact", "FROM event", "FROM notice", "SAVEPOINT")
    assert [statement for statement in asked if any(one in statement for one in known)] == []
    complete(world.close())
