"""What is the same each time: digests of worlds, and what is drawn."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world import toy
from tests.world.toy import OPENING, ROBIN, put
from trainee_bench.world.random_streams import random_stream, stable_id
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


# what is drawn ----------------------------------------------------------------------------


NAMES = st.lists(st.text() | st.integers(), min_size=1, max_size=4).map(tuple)


def first(*names: str | int) -> int:
    return random_stream(*names).getrandbits(128)


@given(NAMES)
def test_the_same_names_give_the_same_draws(names: tuple[str | int, ...]) -> None:
    assert first(*names) == first(*names)
    assert stable_id(*names) == stable_id(*names)


@given(NAMES, NAMES)
def test_different_names_give_different_draws(
    one: tuple[str | int, ...], other: tuple[str | int, ...]
) -> None:
    assert (first(*one) == first(*other)) == (one == other)
    assert (stable_id(*one) == stable_id(*other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1,), ("1",)),
        (("ab", "c"), ("a", "bc")),
        (("a", ""), ("a",)),
        (("1:", "2"), ("1", ":2")),
        (("s1:a",), ("a",)),
        ((12, 3), (1, 23)),
        ((-1,), (1,)),
    ],
)
def test_names_that_look_alike_are_kept_apart(
    one: tuple[str | int, ...], other: tuple[str | int, ...]
) -> None:
    assert first(*one) != first(*other)
    assert stable_id(*one) != stable_id(*other)


def test_a_stream_is_not_moved_by_what_others_draw() -> None:
    undisturbed = random_stream("seed", "a").random()
    random.seed(5)
    other, mine = random_stream("seed", "b"), random_stream("seed", "a")
    other.random()
    assert mine.random() == undisturbed


def test_drawing_leaves_the_global_generator_alone() -> None:
    state = random.getstate()
    random_stream("x").shuffle(list(range(10)))
    assert random.getstate() == state


@pytest.mark.parametrize("name", [True, 1.0, None, b"x", ("a",)])
def test_only_text_and_whole_numbers_are_names(name: object) -> None:
    with pytest.raises(TypeError, match="named by str and int"):
        random_stream("seed", name)  # type: ignore[arg-type]


def test_a_stream_needs_a_name() -> None:
    with pytest.raises(ValueError, match="at least one name"):
        random_stream()
    with pytest.raises(ValueError, match="at least one name"):
        stable_id()


def test_an_id_has_the_length_asked_for() -> None:
    whole = stable_id("x", length=64)
    assert len(whole) == 64
    assert stable_id("x", length=1) == whole[0]
    assert stable_id("x") == whole[:12]
    for length in (0, 65, -1):
        with pytest.raises(ValueError, match="1 to 64 digits"):
            stable_id("x", length=length)


def test_an_id_tells_nothing_about_the_stream_of_the_same_names() -> None:
    assert int(stable_id("x", length=32), 16) != first("x")


def test_the_methods_called_safe_keep_their_values() -> None:
    """Would notice a Python whose generator draws otherwise."""
    draws = random_stream("golden", 1)
    items = list("abcdefgh")
    shuffled = items.copy()
    seen = [
        draws.getrandbits(32),
        draws.randrange(10, 1000, 5),
        draws.randint(1, 6),
        draws.choice(items),
        "".join(draws.choices(items, weights=range(1, 9), k=5)),
        "".join(draws.sample(items, 4)),
        draws.random(),
        draws.uniform(2, 3),
        draws.triangular(0, 1, 0.25),
    ]
    draws.shuffle(shuffled)
    assert [*seen, "".join(shuffled), stable_id("golden", 1)] == GOLDEN


GOLDEN = [
    307285162,
    65,
    3,
    "h",
    "gfcbd",
    "fhde",
    0.9785419696711648,
    2.6999879179966113,
    0.6293411413871852,
    "chbdfeag",
    "437806ebd9d2",
]
