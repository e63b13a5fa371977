"""No answered step is lost while the store fails, clients break off, or others take over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.environment.test_day import WAIT, begun, oracle
from tests.harness.integrations.serving.served_day import CARD, GIVEN, begin
from trainee_bench.harness.environment.pool.day_pool import DayPool, WorkerLost
from trainee_bench.harness.integrations.training.serving.day_store import (
    DayStore,
    SessionTakenOver,
)
from trainee_bench.harness.integrations.training.serving.open_sessions import StoreFailed
from trainee_bench.harness.integrations.training.serving.room import ServerFull
from trainee_bench.harness.integrations.training.serving.saved_session import NotSavable
from trainee_bench.harness.integrations.training.serving.served_session import (
    NoSuchSession,
    SessionFull,
)
from trainee_bench.harness.integrations.training.serving.sessions import Sessions
from trainee_bench.harness.integrations.training.serving.store_files import StoreFiles
from trainee_bench.harness.session.turns import ToolCall

pytest.importorskip("fsspec", reason="the extra serving is not installed")
pytest.importorskip("prometheus_client", reason="the extra serving is not installed")
pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def pool() -> Iterator[DayPool]:
    oracle()  # which runs an event loop of its own
    with DayPool(1) as made:
        yield made


class Disk:
    """Switches the writes of all stores off and on; those below *only* can be chosen."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.full, self.only = False, ""
        replace = StoreFiles.replace

        def replacing(files: StoreFiles, path: str, content: bytes) -> None:
            if self.full and self.only in path:
                raise OSError("No space left on device")
            replace(files, path, content)

        monkeypatch.setattr(StoreFiles, "replace", replacing)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture
def serving(pool: DayPool, tmp_path: Path) -> Any:
    """Makes the sessions of one more worker of the same store."""
    return lambda **more: Sessions(
        pool, DayStore(str(tmp_path)), **{"limit": 8, "save_every": 1, **more}
    )


def figure(at: Sessions, name: str) -> float:
    lines = at.metrics.text().decode().splitlines()
    return float(next(one for one in lines if one.startswith(f"trainee_bench_{name} ")).split()[1])


class TestRefusedBeforeTheStep:
    @pytest.mark.parametrize(
        "call",
        [
            ToolCall("chat_send_message", {"text": "\ud800"}),
            ToolCall("lone \udfff"),
            ToolCall("desk_tasks", {"x": float("nan")}),
            ToolCall("desk_tasks", {"x": 10**5_000}),
        ],
        ids=["argument", "name", "nan", "number"],
    )
    async def test_a_call_that_cannot_be_saved_is_not_made_and_the_session_goes_on(
        self, serving: Any, call: ToolCall
    ) -> None:
        at = serving()
        session = await begin(at)
        with pytest.raises(NotSavable, match="was not made"):
            await at.step(session, [WAIT, call])
        await at.step(session, [WAIT])
        alone = begun()
        alone.step([WAIT])
        assert (await at.grade(session))[1] == alone.digest()
        again = await serving().resume(session.token)
        assert again.steps == [(WAIT,)]

    async def test_a_name_that_cannot_be_saved_begins_nothing(self, serving: Any) -> None:
        at = serving()
        with pytest.raises(NotSavable, match="episode_id"):
            await at.begin(GIVEN, CARD, "\ud800")
        assert (len(at), len(at.room)) == (0, 0)

    @pytest.mark.parametrize(
        ("limit", "what"), [({"session_steps": 2}, "2 steps"), ({"session_bytes": 6_000}, "bytes")]
    )
    async def test_a_full_session_takes_no_step_but_can_be_graded_and_resumed(
        self, serving: Any, limit: dict[str, int], what: str
    ) -> None:
        at = serving(**limit)
        session = await begin(at)
        long = ToolCall("desk_tasks", {"x": "y" * 3_000})
        for _ in range(2 if "session_steps" in limit else 1):
            await at.step(session, [WAIT if "session_steps" in limit else long])
        done = len(session.steps)
        with pytest.raises(SessionFull, match=what):
            await at.step(session, [long])
        await at.grade(session)
        assert len((await serving().resume(session.token)).steps) == done


class TestFailingStore:
    async def test_a_day_whose_save_fails_when_it_is_left_is_kept_and_saved_later(
        self, serving: Any, disk: Disk
    ) -> None:
        at = serving(save_every=99)
        session = await begin(at)
        await at.step(session, [WAIT])
        disk.full = True
        await at.leave(session, keep=True)
        with pytest.raises(ExceptionGroup, match="1 sessions could not be saved"):
            await at.leave_idle()
        assert (len(at), figure(at, "sessions_unsaved")) == (1, 1)
        assert figure(at, "store_failures_total") == 2
        disk.full = False
        await at.leave_idle()  # although it is not idle for long
        assert (len(at), len(at.room), figure(at, "sessions_unsaved")) == (0, 0, 0)
        assert len((await serving().resume(session.token)).steps) == 1

    async def test_a_day_that_could_not_be_saved_goes_on_in_its_worker(
        self, serving: Any, disk: Disk
    ) -> None:
        at = serving(save_every=99)
        session = await begin(at)
        await at.step(session, [WAIT])
        disk.full = True
        await at.leave(session, keep=True)
        again = await at.resume(session.token)
        assert len(again.steps) == 1
        with pytest.raises(StoreFailed, match="not made"):
            await at.step(again, [WAIT])
        disk.full = False
        await at.step(again, [WAIT])
        await at.leave(again, keep=True)
        assert len((await serving().resume(session.token)).steps) == 2

    async def test_an_idle_day_that_cannot_be_saved_is_kept(self, serving: Any, disk: Disk) -> None:
        at = serving(save_every=99, idle_seconds=0)
        session = await begin(at)
        await at.step(session, [WAIT])
        disk.full = True
        with pytest.raises(ExceptionGroup):
            await at.leave_idle()
        assert [*at] == [session]
        disk.full = False
        await at.drain()
        assert len((await serving().resume(session.token)).steps) == 1

    async def test_after_a_failed_save_no_step_is_made_until_one_succeeds(
        self, serving: Any, disk: Disk
    ) -> None:
        at = serving()
        session = await begin(at)
        disk.full = True
        with pytest.raises(StoreFailed, match="the step was made"):
            await at.step(session, [WAIT])
        for _ in range(2):
            with pytest.raises(StoreFailed, match="this step was not made"):
                await at.step(session, [WAIT])
        assert len(session.steps) == 1
        disk.full = False
        await at.step(session, [WAIT])
        assert len((await serving().resume(session.token)).steps) == 2

    @pytest.mark.parametrize("ends", ["drain", "leave_idle"])
    async def test_one_that_fails_does_not_keep_the_others_from_being_saved(
        self, serving: Any, disk: Disk, tmp_path: Path, ends: str
    ) -> None:
        at = serving(save_every=99, idle_seconds=0)
        first = await begin(at)
        (disk.only,) = [path.name for path in (tmp_path / "sessions").iterdir()]
        sessions = [first, *[await begin(at) for _ in range(2)]]
        for session in sessions:
            await at.step(session, [WAIT])
        disk.full = True
        with pytest.raises(ExceptionGroup, match="1 sessions could not be saved") as failed:
            await getattr(at, ends)()
        assert [type(error) for error in failed.value.exceptions] == [StoreFailed]
        disk.full = False
        other = serving()
        for session in sessions[1:]:
            assert len((await other.resume(session.token)).steps) == 1
        await getattr(at, ends)()
        assert len((await other.resume(first.token)).steps) == 1

    async def test_a_failed_first_save_leaves_no_session_and_no_room_taken(
        self, serving: Any, disk: Disk
    ) -> None:
        at = serving(limit=1)
        disk.full = True
        for _ in range(3):
            with pytest.raises(StoreFailed, match="no day was begun"):
                await begin(at)
        assert (len(at), len(at.room)) == (0, 0)
        disk.full = False
        await begin(at)


class TestOneHistory:
    async def test_a_worker_answers_no_step_of_a_session_that_goes_on_elsewhere(
        self, serving: Any
    ) -> None:
        first, second = serving(save_every=5), serving(save_every=5)
        session = await begin(first)
        for _ in range(7):
            await first.step(session, [WAIT])
        again = await second.resume(session.token)
        assert len(again.steps) == 5  # at most save_every - 1 answered steps are lost
        with pytest.raises(SessionTakenOver):
            await first.step(session, [WAIT])
        assert (len(first), len(first.room)) == (0, 0)
        await second.step(again, [WAIT])
        await second.leave(again, keep=True)
        assert len((await first.resume(session.token)).steps) == 6

    async def test_leaving_late_changes_nothing_for_who_goes_on(self, serving: Any) -> None:
        first, second = serving(save_every=99), serving()
        session = await begin(first)
        await first.step(session, [WAIT])
        again = await second.resume(session.token)
        await first.leave(session, keep=True)
        await second.step(again, [WAIT])
        assert len((await serving().resume(session.token)).steps) == 1
        assert len(first) == 0

    async def test_a_client_that_comes_back_while_its_day_is_left_has_every_step(
        self, serving: Any
    ) -> None:
        at = serving(save_every=99)
        session = await begin(at)
        for left in (at.leave(session, keep=True), at.leave_idle()):
            await at.step(session, [WAIT, WAIT])
            done = len(session.steps)
            _, session = await asyncio.gather(left, at.resume(session.token))
            assert len(session.steps) == done
        alone = begun()
        alone.step([WAIT] * 4)
        assert (await at.grade(session))[1] == alone.digest()

    async def test_a_session_that_went_on_elsewhere_is_not_handed_over_here(
        self, serving: Any
    ) -> None:
        first, second = serving(save_every=99), serving()
        session = await begin(first)
        again = await second.resume(session.token)
        await second.step(again, [WAIT])
        back = await first.resume(session.token)
        assert len(back.steps) == 1
        with pytest.raises(SessionTakenOver):
            await second.step(again, [WAIT])

    async def test_a_session_in_use_is_saved_before_its_age_could_delete_it(
        self, serving: Any, tmp_path: Path
    ) -> None:
        at = serving(save_every=99, idle_seconds=0.0)
        session = await begin(at)
        session.used += 1_000  # in use
        (saved,) = (tmp_path / "sessions").glob("*/steps-1")
        before = saved.stat().st_ino
        await at.leave_idle()
        assert (len(at), saved.stat().st_ino != before) == (1, True)


class TestRoom:
    async def test_a_cancelled_reset_frees_its_room_and_its_day(
        self, serving: Any, tmp_path: Path
    ) -> None:
        at = serving(limit=1)
        for pause in range(3):
            beginning = asyncio.ensure_future(begin(at))
            for _ in range(pause):
                await asyncio.sleep(0)
            beginning.cancel()
            with pytest.raises(asyncio.CancelledError):
                await beginning
            await _settled(at)
        await begin(at)
        assert len(list(tmp_path.glob("sessions/*/steps-*"))) == 1

    async def test_a_cancelled_return_keeps_the_session_for_the_next(self, serving: Any) -> None:
        at = serving(limit=1)
        session = await begin(at)
        await at.step(session, [WAIT])
        await at.leave(session, keep=True)
        returning = asyncio.ensure_future(at.resume(session.token))
        await asyncio.sleep(0)
        returning.cancel()
        with pytest.raises(asyncio.CancelledError):
            await returning
        await _settled(at)
        assert len((await at.resume(session.token)).steps) == 1

    async def test_a_step_whose_client_breaks_off_is_made_and_noted(self, serving: Any) -> None:
        at = serving()
        session = await begin(at)
        stepping = asyncio.ensure_future(at.step(session, [WAIT]))
        await asyncio.sleep(0)
        stepping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stepping
        again = await at.resume(session.token)
        alone = begun()
        alone.step([WAIT])
        assert len(again.steps) == 1
        assert (await at.grade(again))[1] == alone.digest()

    async def test_a_client_of_a_full_server_can_reset_its_own_session(self, serving: Any) -> None:
        at = serving(limit=1)
        session = await begin(at)
        with pytest.raises(ServerFull):
            await begin(at)
        new = await begin(at, replacing=session)
        with pytest.raises(ServerFull):
            await begin(at, replacing=new)  # the first is still here
        await at.leave(session, keep=False)
        assert [*at] == [new]


async def test_a_step_over_which_the_pool_fails_is_not_noted_and_the_rest_goes_on(
    serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: object) -> None:
        raise WorkerLost("3 workers died")

    at = serving(save_every=99)
    session = await begin(at)
    await at.step(session, [WAIT])
    with monkeypatch.context() as failing:
        failing.setattr(DayPool, "step_many_async", lost)
        with pytest.raises(WorkerLost):
            await at.step(session, [ToolCall("desk_tasks")])
    with pytest.raises(NoSuchSession):
        await at.step(session, [WAIT])
    assert (await at.resume(session.token)).steps == [(WAIT,)]


async def test_a_grade_is_one_request_of_the_pool(
    serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trainee_bench.harness.environment.pool.local_worker import LocalWorker

    at = serving()
    session = await begin(at)
    sent = []
    send = LocalWorker.send
    monkeypatch.setattr(
        LocalWorker,
        "send",
        lambda worker, requests: (sent.extend(requests), send(worker, requests)),
    )
    grade, digest = await at.grade(session)
    assert len(sent) == 1
    alone = begun()
    assert (grade, digest) == (alone.grade(), alone.digest())


async def test_without_a_store_nothing_is_saved_and_every_call_reaches_the_office(
    pool: DayPool,
) -> None:
    at = Sessions(pool, None, limit=1)
    session = await begin(at)
    turn = await at.step(session, [ToolCall("desk_tasks", {"x": "\ud800"})])
    assert turn.answers[0].failed
    await at.leave(session, keep=True)
    with pytest.raises(NoSuchSession):
        await at.resume(session.token)
    assert len(at.room) == 0


async def _settled(at: Sessions) -> None:
    """Wait until nothing that a client has broken off takes room."""
    async for _ in _ticks():
        if not len(at.room):
            return


async def _ticks() -> AsyncIterator[None]:
    while True:
        await asyncio.sleep(0.001)
        yield
