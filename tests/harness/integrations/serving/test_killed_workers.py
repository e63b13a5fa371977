"""Two processes serve sessions of one store. One is killed, and the other goes on."""

from __future__ import annotations

import asyncio
import multiprocessing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.harness.environment.test_day import WAIT, begun, calls, oracle
from tests.harness.integrations.serving.served_day import begin
from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.training.serving.day_store import DayStore
from trainee_bench.harness.integrations.training.serving.sessions import Sessions

pytest.importorskip("fsspec", reason="the extra serving is not installed")
pytest.importorskip("prometheus_client", reason="the extra serving is not installed")
pytestmark = [pytest.mark.sweep, pytest.mark.timeout(300)]

SPAWN = multiprocessing.get_context("spawn")


def serve_until_killed(folder: str, save_every: int, sessions: int, pipe: Connection) -> None:
    """Begin *sessions*, tell their tokens, and tell each step once it was answered."""

    async def work() -> None:
        with DayPool(1) as pool:
            at = Sessions(pool, DayStore(folder), limit=sessions, save_every=save_every)
            open_ones = [await begin(at) for _ in range(sessions)]
            pipe.send([session.token for session in open_ones])
            while True:
                for session in open_ones:
                    await at.step(session, [WAIT])
                    pipe.send(session.token)

    asyncio.run(work())


@pytest.mark.parametrize("save_every", [1, 4])
def test_a_killed_worker_loses_no_more_answered_steps_than_stated(
    tmp_path: Path, save_every: int
) -> None:
    ours, theirs = SPAWN.Pipe()
    worker = SPAWN.Process(target=serve_until_killed, args=(str(tmp_path), save_every, 2, theirs))
    worker.start()
    theirs.close()
    answered = dict.fromkeys(ours.recv(), 0)
    for _ in range(9):
        answered[ours.recv()] += 1
    worker.kill()
    worker.join()
    try:
        while True:  # what was answered until the end
            answered[ours.recv()] += 1
    except EOFError:
        pass

    async def resumed() -> dict[str, int]:
        found = {}
        with DayPool(1) as pool:
            other = Sessions(pool, DayStore(str(tmp_path)), limit=2)
            for token in answered:
                session = await other.resume(token)
                found[token] = len(session.steps)
                alone = begun()
                alone.step([WAIT] * len(session.steps))
                assert (await other.grade(session))[1] == alone.digest()
        return found

    found = asyncio.run(resumed())
    for token, steps in answered.items():
        assert steps - (save_every - 1) <= found[token] <= steps + 1  # one was in progress


def test_a_day_of_a_killed_worker_is_finished_in_the_other_with_its_full_score(
    tmp_path: Path,
) -> None:
    made = calls(oracle().log)
    ours, theirs = SPAWN.Pipe()
    worker = SPAWN.Process(target=work_half_a_day, args=(str(tmp_path), theirs))
    worker.start()
    theirs.close()
    token = ours.recv()
    worker.kill()
    worker.join()

    async def finished() -> None:
        with DayPool(1) as pool:
            other = Sessions(pool, DayStore(str(tmp_path)), limit=1)
            session = await other.resume(token)
            for call in made[len(session.steps) :]:
                await other.step(session, [call])
            assert (await other.grade(session))[0] == oracle().grade
            assert session.rewards == pytest.approx(1.0)

    asyncio.run(finished())


def work_half_a_day(folder: str, pipe: Connection) -> None:
    """Make half of the calls of a day, tell its token, and wait to be killed."""
    made = calls(oracle().log)

    async def work() -> None:
        with DayPool(1) as pool:
            at = Sessions(pool, DayStore(folder), limit=1, save_every=1)
            session = await begin(at)
            for call in made[: len(made) // 2]:
                await at.step(session, [call])
            pipe.send(session.token)
            await asyncio.Event().wait()

    asyncio.run(work())
