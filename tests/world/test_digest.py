"""The digest says what a world means: every value counts, nothing else does."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.world import toy
from tests.world.toy import OPENING, ROBIN, put
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

FILLED = "INSERT INTO shelf (thing) VALUES ('plate')"
CHANGES = [
    "INSERT INTO shelf (thing) VALUES ('cup')",
    "INSERT INTO fact VALUES ('colour', 'blue')",
    "INSERT INTO event (due, kind, body) VALUES ('2025-10-01T09:00:00', 'ThingAppears', '{}')",
    "INSERT INTO notice (at, person, kind, text) VALUES ('2025-10-01T08:00:00', 'r', 'mail', 'x')",
    "UPDATE fact SET value = value || ' ' WHERE name = 'scenario'",
    "CREATE TABLE another (a TEXT) STRICT; INSERT INTO another VALUES (NULL)",
    "ALTER TABLE shelf ADD COLUMN colour TEXT",
    "DELETE FROM shelf",
]


def run(sql: str, tx: Transaction) -> Result[toy.Shelf]:
    for statement in sql.split(";"):
        tx.run(statement)
    return toy.nothing(tx)


async def changed(world: World, sql: str) -> str:
    """The digest after *sql*, in a fork of *world*."""
    async with await world.fork() as fork:
        await fork.execute(ROBIN, "run", {}, partial(run, sql), minutes=0)
        return await fork.digest()


@pytest.mark.parametrize("sql", CHANGES)
async def test_every_table_and_column_with_rows_counts(world: World, sql: str) -> None:
    assert await changed(world, f"{FILLED}; {sql}") != await changed(world, FILLED)


async def test_an_empty_table_counts_as_absent(world: World) -> None:
    """Else every new app would change the digest of every world without it."""
    assert await changed(world, "CREATE TABLE another (a TEXT) STRICT") == await world.digest()
    assert await changed(world, "DROP TABLE note") == await world.digest()


async def test_every_value_and_its_kind_count(world: World) -> None:
    values = ["1", "'1'", "1.0", "x'31'", "NULL", "''", "x''", "'null'"]
    make = "CREATE TABLE any (a ANY) STRICT; INSERT INTO any VALUES ({})"
    digests = [await changed(world, make.format(value)) for value in values]
    assert len(set(digests)) == len(values)


async def test_rows_and_columns_cannot_be_mistaken_for_each_other(world: World) -> None:
    make = "CREATE TABLE pair (a TEXT, b TEXT) STRICT; INSERT INTO pair VALUES {}"
    rows = ["('x', 'yz')", "('xy', 'z')", "('x', 'y'), ('z', '')", "('x\",\"yz', '')"]
    digests = [await changed(world, make.format(values)) for values in rows]
    assert len(set(digests)) == len(rows)


async def test_the_order_of_writing_does_not_count_where_it_means_nothing(world: World) -> None:
    make = "CREATE TABLE bag (a TEXT PRIMARY KEY) STRICT; "
    one = await changed(world, make + "INSERT INTO bag VALUES ('b'); INSERT INTO bag VALUES ('a')")
    two = await changed(world, make + "INSERT INTO bag VALUES ('a'); INSERT INTO bag VALUES ('b')")
    three = await changed(
        world,
        make + "INSERT INTO bag VALUES ('a'); INSERT INTO bag VALUES ('c');"
        "INSERT INTO bag VALUES ('b'); DELETE FROM bag WHERE a = 'c'",
    )
    assert one == two == three


async def test_the_log_does_not_count(world: World) -> None:
    before = await world.digest()
    await world.execute(ROBIN, "nothing", {"a": 1}, toy.nothing, minutes=0)
    assert len(await world.log()) == 1
    assert await world.digest() == before


async def test_a_search_index_does_not_count_but_what_it_indexes_does(world: World) -> None:
    index = "CREATE VIRTUAL TABLE shelf_words USING fts5(thing)"
    filled = f"{index}; INSERT INTO shelf_words (thing) VALUES ('cup')"
    assert await changed(world, index) == await world.digest()
    assert await changed(world, filled) == await world.digest()


async def test_container_bytes_do_not_count(tmp_path: Path, world: World) -> None:
    async with await World.create(tmp_path / "w", OPENING, toy.populate) as kept:
        assert await kept.digest() == await world.digest()
        await kept.execute(ROBIN, "put", {}, partial(put, thing="cup"))
        before = await kept.digest()
        kept_path = kept.path
    assert kept_path is not None
    async with await World.open(kept_path) as again:
        assert await again.digest() == before
