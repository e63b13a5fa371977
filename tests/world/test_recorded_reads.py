"""A query whose reads would give the same again need not be asked again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.world.office import MARA, NILS, act, office
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.apps.files import Files
from trainee_bench.world.errors import NotFound
from trainee_bench.world.transaction import Transaction

PATH = "workspace:/report.md"


def read_file(tx: Transaction) -> str | None:
    try:
        return Files(tx).text(PATH)
    except NotFound:
        return None


def read_fact(tx: Transaction) -> str:
    try:
        return tx.fact("mood")
    except KeyError:
        return ""


def nothing(tx: Transaction) -> None:
    """Let a minute pass."""


@pytest.mark.parametrize(
    ("query", "verb", "holds"),
    [
        (read_file, lambda tx: Files(tx).write_text(PATH, "new"), False),
        (read_file, lambda tx: Files(tx).write_text(PATH, "old"), True),
        (read_file, lambda tx: Files(tx).delete(PATH), False),
        (read_file, lambda tx: Files(tx).write_text("workspace:/other.md", "new"), True),
        (read_file, lambda tx: Chat(tx).send(NILS, "Hello."), True),
        (lambda tx: Chat(tx).history(), lambda tx: Chat(tx).send(NILS, "Hello."), False),
        (lambda tx: Chat(tx).history(MARA), lambda tx: Chat(tx).send(NILS, "Hello."), True),
        (read_fact, lambda tx: tx.set_fact("mood", "good"), False),
        (read_fact, lambda tx: tx.set_fact("weather", "good"), True),
        (lambda tx: tx.fact("employee"), nothing, True),
        (lambda tx: tx.now, nothing, False),
    ],
)
async def test_reads_hold_as_long_as_they_give_the_same(
    query: Callable[[Transaction], Any], verb: Callable[[Transaction], Any], holds: bool
) -> None:
    async with await office() as world:
        await act(world, lambda tx: Files(tx).write_text(PATH, "old"))
        plain = await world.read(query)
        result, reads = await world.read_recorded(query)
        assert result == plain
        world.take_changed_tables()
        await act(world, verb)
        changed = world.take_changed_tables()
        assert await world.read(lambda tx: reads.still_hold(tx, changed)) is holds
