"""Sessions survive their connection, their process and their server, and belong to one tenant."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.environment.test_day import WAIT, begun, calls, oracle
from tests.harness.integrations.serving.served_day import CARD, begin
from trainee_bench.harness.environment.pool.day_pool import DayPool
from trainee_bench.harness.integrations.training.serving.day_store import (
    DayStore,
    SessionTakenOver,
)
from trainee_bench.harness.integrations.training.serving.room import ServerDraining, ServerFull
from trainee_bench.harness.integrations.training.serving.saved_session import (
    UnreadableSession,
    sealed,
)
from trainee_bench.harness.integrations.training.serving.served_session import (
    NoSuchSession,
)
from trainee_bench.harness.integrations.training.serving.sessions import Sessions

pytest.importorskip("fsspec", reason="the extra serving is not installed")
pytest.importorskip("prometheus_client", reason="the extra serving is not installed")
pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def pool() -> Iterator[DayPool]:
    with DayPool(1) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def _worked() -> None:
    oracle()  # which runs an event loop of its own


@pytest.fixture
async def sessions(pool: DayPool, tmp_path: Path) -> AsyncIterator[Sessions]:
    made = serving(pool, tmp_path)
    yield made
    await close_all(made)


def serving(pool: DayPool, folder: Path, **more: Any) -> Sessions:
    return Sessions(pool, DayStore(str(folder)), **{"limit": 8, **more})


async def close_all(made: Sessions) -> None:
    for session in made:
        await made.leave(session, keep=False)


async def test_a_client_that_comes_back_with_its_token_goes_on_where_it_was(
    sessions: Sessions,
) -> None:
    made = calls(oracle().log)
    session = await begin(sessions)
    for call in made[:25]:
        await sessions.step(session, [call])
    rewards, (_, digest) = session.rewards, await sessions.grade(session)
    await sessions.leave(session, keep=True)
    again = await sessions.resume(session.token)
    assert (again.card, again.name, len(again.steps)) == (CARD, "mine", 25)
    assert again.rewards == pytest.approx(rewards)
    assert (await sessions.grade(again))[1] == digest
    for call in made[25:]:
        await sessions.step(again, [call])
    grade, _ = await sessions.grade(again)
    assert grade == oracle().grade
    assert again.rewards == pytest.approx(1.0)


async def test_another_server_goes_on_with_a_session_of_one_that_died(tmp_path: Path) -> None:
    made = calls(oracle().log)
    with DayPool(1) as first, DayPool(1) as second:
        died = serving(first, tmp_path, save_every=1)
        session = await begin(died)
        for call in made[:10]:
            await died.step(session, [call])
        first.close()
        other = serving(second, tmp_path)
        again = await other.resume(session.token)
        alone = begun()
        alone.step(made[:10])
        assert (await other.grade(again))[1] == alone.digest()


async def test_at_most_the_steps_since_the_last_save_are_lost(
    pool: DayPool, tmp_path: Path
) -> None:
    first = serving(pool, tmp_path, save_every=4)
    session = await begin(first)
    for _ in range(7):
        await first.step(session, [WAIT])
    again = await serving(pool, tmp_path).resume(session.token)
    assert len(again.steps) == 4


async def test_a_session_that_was_taken_over_is_closed_where_it_was(
    pool: DayPool, tmp_path: Path
) -> None:
    first, second = serving(pool, tmp_path, save_every=1), serving(pool, tmp_path, save_every=1)
    session = await begin(first)
    await first.step(session, [WAIT])
    again = await second.resume(session.token)
    with pytest.raises(SessionTakenOver, match="another connection"):
        await first.step(session, [WAIT])
    with pytest.raises(NoSuchSession):
        await first.step(session, [WAIT])
    assert len(first) == 0
    await second.step(again, [WAIT])
    assert len((await first.resume(session.token)).steps) == 2


async def test_two_connections_that_resume_at_once_do_not_share_a_day(sessions: Sessions) -> None:
    session = await begin(sessions)
    both = await asyncio.gather(*(sessions.resume(session.token) for _ in range(2)))
    assert len(sessions) == 1
    steps = await asyncio.gather(
        *(sessions.step(one, [WAIT]) for one in (session, *both)), return_exceptions=True
    )
    assert sum(isinstance(step, NoSuchSession) for step in steps) == 2


async def test_a_token_opens_nothing_for_another_tenant(sessions: Sessions) -> None:
    session = await begin(sessions, "one")
    await sessions.leave(session, keep=True)
    for tenant in ("two", ""):
        with pytest.raises(NoSuchSession):
            await sessions.resume(session.token, tenant)
    assert (await sessions.resume(session.token, "one")).tenant == "one"


async def test_a_tenant_cannot_take_the_room_of_others(pool: DayPool, tmp_path: Path) -> None:
    at = serving(pool, tmp_path, tenant_limit=2)
    for _ in range(2):
        await begin(at, "one")
    with pytest.raises(ServerFull, match="2 sessions of this tenant"):
        await begin(at, "one")
    await begin(at, "two")
    await close_all(at)


async def test_a_full_server_says_when_to_come_back(pool: DayPool, tmp_path: Path) -> None:
    at = serving(pool, tmp_path, limit=1, idle_seconds=30)
    session = await begin(at)
    with pytest.raises(ServerFull, match="all 1 sessions are in use") as refused:
        at.check_room()
    assert 1 <= refused.value.retry_after <= 30
    await at.leave(session, keep=False)
    at.check_room()
    assert b"trainee_bench_sessions_refused_total 1.0" in at.metrics.text()


async def test_a_session_that_nobody_uses_is_saved_and_frees_its_room(
    pool: DayPool, tmp_path: Path
) -> None:
    at = serving(pool, tmp_path, idle_seconds=0, save_every=99)
    session = await begin(at)
    await at.step(session, [WAIT])
    await at.leave_idle()
    assert len(at) == 0
    assert len((await at.resume(session.token)).steps) == 1
    await close_all(at)


async def test_a_draining_server_saves_all_and_takes_nobody(pool: DayPool, tmp_path: Path) -> None:
    at = serving(pool, tmp_path, save_every=99)
    session = await begin(at)
    await at.step(session, [WAIT])
    await at.drain()
    with pytest.raises(ServerDraining):
        await begin(at)
    assert len((await serving(pool, tmp_path).resume(session.token)).steps) == 1


async def test_a_forgotten_session_cannot_be_resumed(sessions: Sessions) -> None:
    session = await begin(sessions)
    await sessions.leave(session, keep=False)
    with pytest.raises(NoSuchSession):
        await sessions.resume(session.token)


async def test_a_session_of_another_version_is_refused(sessions: Sessions, tmp_path: Path) -> None:
    session = await begin(sessions)
    await sessions.leave(session, keep=True)
    (saved,) = (tmp_path / "sessions").glob("*/steps-1")
    day, *_ = saved.read_bytes().split(b"\n")
    saved.write_bytes(sealed([day.replace(b'"generator":', b'"generator":9', 1)]))
    with pytest.raises(UnreadableSession, match="saved this session; here they are"):
        await sessions.resume(session.token)
    saved.write_bytes(day[:50])
    with pytest.raises(UnreadableSession, match="damaged"):
        await sessions.resume(session.token)


def test_a_listing_of_the_store_tells_no_token(tmp_path: Path, pool: DayPool) -> None:
    async def tokens() -> str:
        at = serving(pool, tmp_path)
        session = await begin(at)
        await at.leave(session, keep=True)
        return session.token

    token = asyncio.run(tokens())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(token in str(path) or token in path.read_text() for path in files)
