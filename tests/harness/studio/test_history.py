"""The states of an episode stay whole while anybody works on them, also when a studio closes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import anyio
from anyio.to_thread import run_sync

from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.world.transaction import Transaction

HANGS = 60


async def history_of(run: Path, place: int) -> EpisodeHistory:
    return await EpisodeHistory.open(ShownRuns([run]).episode(f"0-{place}"))


async def test_a_question_whose_asker_is_gone_is_answered_before_the_states_are_freed(
    ran: Path,
) -> None:
    history = await history_of(ran, 0)
    begun, closed, answered = Event(), Event(), Event()

    def slow(tx: Transaction) -> None:
        begun.set()
        closed.wait(HANGS)
        tx.rows("SELECT * FROM fact")
        answered.set()

    asking = asyncio.create_task(history.read(0, slow))
    await run_sync(begun.wait, HANGS)
    asking.cancel()  # as a server does that closes
    await asyncio.wait([asking])
    history.close()
    closed.set()
    assert await run_sync(answered.wait, HANGS)


async def test_whoever_holds_a_closed_history_reads_any_step_of_it(ran: Path) -> None:
    history = await history_of(ran, 1)
    history.close()
    with anyio.fail_after(HANGS):
        assert await history.read(50, lambda tx: tx.now) == history.entry(50).until
