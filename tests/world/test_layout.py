"""A world file and the apps of the program that opens it: the same, fewer, or other ones."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.world.office import COMPANY, OPENING, ROBIN
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.world.apps.monitor import SCHEMA
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World

TABLES = ("incident", "maintenance", "wrong_code")
"""All tables of the app monitor."""


def populate(tx: Transaction) -> None:
    Directory(tx).add([*COMPANY.people, COMPANY.trainee])


async def world_before(path: Path, *changes: str) -> str:
    """A world at *path*, changed to what an older program would have left; its digest then."""
    async with await World.create(path, OPENING, populate) as world:
        digest = await world.digest()
    with closing(sqlite3.connect(path)) as db:
        for change in changes:
            db.execute(change)
        db.commit()
    return digest


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master")}


async def test_the_test_knows_all_tables_of_the_app() -> None:
    assert SCHEMA.count("CREATE TABLE") == len(TABLES)


async def test_a_world_older_than_an_app_gets_its_tables_and_means_what_it_meant(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.world"
    digest = await world_before(path, *(f"DROP TABLE {table}" for table in TABLES))
    assert not set(TABLES) & tables(path)
    async with await World.open(path) as world, await World.open(path) as beside:
        assert await world.digest() == await beside.digest() == digest
        seat = ToolDispatcher(world, ROBIN, discover_toolboxes().values())
        assert (await seat.call("monitor_list_services", {})).error is None
    assert set(TABLES) <= tables(path)


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE wrong_code",
        "ALTER TABLE incident ADD COLUMN colour TEXT",
        "DROP INDEX message_recipient",
        "DROP TABLE fact",
    ],
)
async def test_a_world_in_which_a_table_looks_different_is_refused_in_words(
    tmp_path: Path, change: str
) -> None:
    path = tmp_path / "other.world"
    await world_before(path, change)
    with pytest.raises(WorldFileError, match=r"has other tables there \(\w+\). .* stage its day"):
        await World.open(path)


async def test_tables_that_nobody_here_knows_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.world"
    digest = await world_before(path, "CREATE TABLE unheard_of (id INTEGER) STRICT")
    async with await World.open(path) as world:
        assert await world.digest() == digest
    assert "unheard_of" in tables(path)
