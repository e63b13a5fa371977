"""What goes wrong in a pool ends for its caller with an error, and costs nobody else a step."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from tests.harness.environment.dying_workers import DEADLY, MortalWorker
from tests.harness.environment.test_day import SCENARIO, WAIT, begun
from tests.harness.environment.test_day_pool import Stillborn, worker_of
from trainee_bench.harness.environment.day import DayNotBegun
from trainee_bench.harness.environment.pool.day_pool import (
    DayPool,
    NotTransferable,
    PooledDay,
    PoolOfAnotherProcess,
    WorkerLost,
)
from trainee_bench.harness.environment.pool.day_worker import DayWorker
from trainee_bench.harness.environment.pool.requests import (
    BeginDay,
    CloseDay,
    DayAnswer,
    PackedAnswer,
    pack_answer,
    unpack_answer,
)
from trainee_bench.harness.session.turns import ToolCall

pytestmark = pytest.mark.timeout(120)

LOOK = ToolCall("desk_tasks", {})
KILL = ToolCall(DEADLY, {})


@pytest.fixture(scope="module")
def pool() -> Iterator[DayPool]:
    with DayPool(1) as made:
        yield made


def digest_after(*calls: ToolCall) -> str:
    alone = begun(rewards=True)
    alone.step(calls)
    return alone.digest()


async def cancelled(work: asyncio.Task[object]) -> None:
    await asyncio.sleep(0)  # until it is sent
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work


def test_a_cancelled_step_is_repeated_if_its_worker_is_killed_later(pool: DayPool) -> None:
    async def work() -> list[str]:
        (day,) = await pool.reset_many_async([SCENARIO])
        await cancelled(asyncio.create_task(pool.step_many_async([(day, [WAIT])])))
        await pool.grade_many_async([day])
        os.kill(worker_of(day), signal.SIGKILL)
        digests = await pool.digest_many_async([day])
        await pool.close_many_async([day])
        return digests

    assert asyncio.run(work()) == [digest_after(WAIT)]


def test_what_a_caller_changes_in_its_arguments_later_changes_no_record(pool: DayPool) -> None:
    (day,) = pool.reset_many([SCENARIO])
    arguments = {"minutes": 60}
    pool.step_many([(day, [ToolCall("desk_wait", arguments)])])
    arguments["minutes"] = 5
    os.kill(worker_of(day), signal.SIGKILL)
    assert pool.digest_many([day]) == [digest_after(WAIT)]
    pool.close_many([day])


def test_a_cancelled_reset_keeps_no_room() -> None:
    async def work() -> None:
        with DayPool(1, most_open=1, start_worker=MortalWorker) as pool:
            await cancelled(asyncio.create_task(pool.reset_many_async([SCENARIO])))
            (day,) = await asyncio.wait_for(pool.reset_many_async([SCENARIO]), 60)
            await cancelled(asyncio.create_task(pool.reset_many_async([SCENARIO])))  # it waits
            await pool.close_many_async([day])
            await asyncio.wait_for(pool.reset_many_async([SCENARIO]), 60)

    asyncio.run(work())


@pytest.mark.parametrize("every", [None, 1], ids=["by its calls", "from snapshots"])
def test_a_step_that_kills_its_workers_fails_and_its_day_goes_on_from_before_it(
    every: int | None,
) -> None:
    with DayPool(2, start_worker=MortalWorker, snapshot_every=every) as pool:
        day, other = pool.reset_many([SCENARIO, SCENARIO])
        pool.step_many([(day, [WAIT]), (other, [LOOK])])
        for _ in range(2):
            with pytest.raises(WorkerLost, match="goes on from before it"):
                pool.step_many([(day, [KILL])])
        assert pool.digest_many([day, other]) == [digest_after(WAIT), digest_after(LOOK)]
        pool.step_many([(day, [LOOK])])
        assert pool.digest_many([day]) == [digest_after(WAIT, LOOK)]


def test_a_step_beside_one_that_kills_its_workers_is_made_once() -> None:
    with DayPool(1, start_worker=MortalWorker) as pool:
        first, killed, last = pool.reset_many([SCENARIO] * 3)
        with pytest.raises(WorkerLost):
            pool.step_many([(first, [WAIT]), (killed, [KILL]), (last, [WAIT])])
        expected = [digest_after(WAIT), digest_after(), digest_after(WAIT)]
        assert pool.digest_many([first, killed, last]) == expected


def test_a_day_whose_beginning_kills_its_workers_is_given_up() -> None:
    deadly = partial(MortalWorker, is_deadly=lambda request: isinstance(request, BeginDay))
    with DayPool(1, start_worker=deadly) as pool, pytest.raises(WorkerLost):
        pool.reset_many([SCENARIO])


def test_a_day_is_closed_if_its_worker_dies_meanwhile() -> None:
    deadly = partial(MortalWorker, is_deadly=lambda request: isinstance(request, CloseDay))
    with DayPool(1, start_worker=deadly, most_open=1) as pool:
        pool.close_many(pool.reset_many([SCENARIO]))
        assert len(pool.reset_many([SCENARIO])) == 1


@pytest.mark.parametrize("value", [threading.Lock(), lambda: None, {1, 2}, b"bytes"])
def test_arguments_that_cannot_be_sent_fail_at_once_and_nothing_of_the_call_happens(
    pool: DayPool, value: object
) -> None:
    day, other = pool.reset_many([SCENARIO, SCENARIO])
    bad = ToolCall("desk_wait", {"minutes": value})  # type: ignore[dict-item]
    with pytest.raises(NotTransferable, match="desk_wait are no JSON"):
        pool.step_many([(other, [WAIT]), (day, [bad])])
    assert pool.digest_many([day, other]) == [digest_after()] * 2
    pool.close_many([day, other])


class Unreadable(Exception):
    """An error that can be written, but not read again."""

    def __init__(self, first: str, second: str):
        super().__init__(first)


@pytest.mark.parametrize(
    "answer",
    [DayAnswer(1, value=lambda: None), DayAnswer(1, error=Unreadable("one", "two"))],
    ids=["a value", "an error"],
)
def test_an_answer_that_cannot_be_sent_is_an_error_for_its_caller(answer: DayAnswer) -> None:
    told = unpack_answer(pack_answer(answer))
    assert told.number == 1
    assert isinstance(told.error, NotTransferable)


def test_bytes_that_cannot_be_read_are_an_error_for_their_caller_alone() -> None:
    answers: list[PackedAnswer] = []
    worker = DayWorker(answers.extend)
    worker.work([(1, b"nonsense"), (2, b"more")])
    worker.close()
    errors = [unpack_answer(answer).error for answer in answers]
    assert [type(error) for error in errors] == [NotTransferable] * 2
    assert isinstance(unpack_answer((3, b"nonsense")).error, NotTransferable)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_cannot_use_the_pool_and_its_parent_still_can(pool: DayPool) -> None:
    (day,) = pool.reset_many([SCENARIO])
    child = os.fork()
    if not child:
        refused = 0
        for use in (
            lambda: pool.step_many([(day, [WAIT])]),
            lambda: pool.reset_many([SCENARIO]),
            lambda: pool.close_many([day]),
        ):
            try:
                use()
            except PoolOfAnotherProcess:
                refused += 1
        pool.close()
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    pool.step_many([(day, [WAIT])])
    assert pool.digest_many([day]) == [digest_after(WAIT)]
    pool.close_many([day])


def test_a_pool_without_any_worker_left_says_so() -> None:
    with DayPool(1, start_worker=Stillborn) as pool:
        with pytest.raises(WorkerLost):
            pool.reset_many([SCENARIO])
        with pytest.raises(WorkerLost, match="make another"):
            pool.reset_many([SCENARIO])


@pytest.mark.parametrize("count", [0, -1])
def test_a_pool_without_processes_or_room_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=f"processes={count}: give 1 or more"):
        DayPool(count)
    with pytest.raises(ValueError, match=f"workers={count}: give 1 or more"):
        DayPool.on_ray(workers=count)
    with pytest.raises(ValueError, match=f"most_open={count}: give 1 or more"):
        DayPool(1, most_open=count)


def test_a_day_of_another_pool_is_refused_and_unharmed(pool: DayPool) -> None:
    (day,) = pool.reset_many([SCENARIO])
    with DayPool(1, start_worker=MortalWorker) as other:
        for use in (other.digest_many, other.close_many, other.snapshot_many):
            with pytest.raises(ValueError, match="another pool"):
                use([day])
    assert pool.digest_many([day]) == [digest_after()]
    pool.close_many([day])
    with pytest.raises(DayNotBegun, match="was closed"):
        pool.digest_many([day])


def test_workers_outlive_the_thread_that_made_the_pool() -> None:
    made = list[DayPool]()
    begun_there = list[PooledDay]()

    def make() -> None:
        made.append(DayPool(1))
        begun_there.extend(made[0].reset_many([SCENARIO]))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    with made[0] as pool:
        first = worker_of(begun_there[0])
        pool.step_many([(begun_there[0], [WAIT])])
        assert worker_of(begun_there[0]) == first
