"""The states of an episode stay whole while anybody works on them, also when a studio closes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event

import anyio
import pytest
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response

from trainee_bench.harness.studio import history as history_module
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.requests import while_awaited
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


async def test_what_nobody_waits_for_any_more_is_stopped() -> None:
    messages = iter(["http.request", "http.disconnect"])
    stopped = Event()

    async def receive() -> dict[str, object]:
        return {"type": next(messages), "body": b"", "more_body": False}

    async def endless(request: Request) -> Response:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    with anyio.fail_after(HANGS):
        await while_awaited(endless)(Request({"type": "http"}, receive))
    assert stopped.is_set()


async def test_a_finished_episode_for_which_nobody_asks_is_forgotten(
    ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "_FORGOTTEN_SECONDS", 0.0)
    monkeypatch.setattr(history_module, "_UNUSED_SECONDS", 0.01)
    histories, episode = EpisodeHistories(), ShownRuns([ran]).episode("0-0")
    first = await histories.of(episode)
    assert await histories.of(episode) is first
    with anyio.move_on_after(0.2):
        await histories.release_unused()
    assert histories.open_keys == ()
    assert await histories.of(episode) is not first
    histories.close()


async def test_episodes_that_take_much_memory_are_kept_two_at_a_time(
    ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = ShownRuns([ran])
    for most, kept in ((history_module._KEPT_BYTES, 3), (1, 2)):
        monkeypatch.setattr(history_module, "_KEPT_BYTES", most)
        histories = EpisodeHistories()
        for place in range(3):
            await histories.of(runs.episode(f"0-{place}"))
        assert histories.open_keys == tuple(f"0-{place}" for place in range(3 - kept, 3))
        assert not histories._opening, "nothing is left of opening them"
        histories.close()
