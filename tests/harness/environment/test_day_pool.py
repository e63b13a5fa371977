"""A pool works days in several processes as one process does, and loses none of them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from threading import Thread
from typing import Any

import pytest

from tests.harness.environment.test_day import SCENARIO, WAIT, begun, calls, oracle
from trainee_bench.harness.environment.day import Day, DayNotBegun, InvalidSnapshot
from trainee_bench.harness.environment.pool.day_pool import (
    DayPool,
    PoolClosed,
    PooledDay,
    WorkerLost,
)
from trainee_bench.harness.environment.pool.day_worker import DayWorker
from trainee_bench.harness.environment.pool.requests import PackedAnswer, PackedRequest
from trainee_bench.harness.environment.pool.worker import Death
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError

pytestmark = pytest.mark.timeout(120)

IMPOSSIBLE = Scenario(
    name="impossible",
    company_size=10,
    days=(DaySpec(tasks=tuple(TaskSpec(rule="meeting_book.manager.c1") for _ in range(30))),),
)


@pytest.fixture(scope="module")
def pool() -> Iterator[DayPool]:
    with DayPool(2) as made:
        yield made


def worker_of(day: PooledDay) -> int:
    pid: int = day.worker.pid  # type: ignore[attr-defined]
    return pid


def test_days_of_a_pool_give_what_a_day_on_the_callers_thread_gives(pool: DayPool) -> None:
    made = calls(oracle().log)
    alone = begun(rewards=True)
    days = pool.reset_many([SCENARIO, SCENARIO, SCENARIO])
    assert {day.start.prompt for day in days} == {alone.start().prompt}
    assert len({worker_of(day) for day in days}) == 2
    for call in made:
        expected = alone.step([call])
        assert pool.step_many([(day, [call]) for day in days]) == [expected] * 3
    assert pool.grade_many(days) == [alone.grade()] * 3
    assert pool.digest_many(days) == [alone.digest()] * 3
    pool.close_many(days)


def test_turns_have_the_order_of_their_steps_whichever_worker_is_faster(pool: DayPool) -> None:
    scenarios = load_shipped_benchmark("core-50").scenarios[:4]
    days = pool.reset_many(scenarios)
    look = ToolCall("desk_tasks", {})
    turns = pool.step_many([(day, [look]) for day in days])
    alone = [begun(scenario, rewards=True).step([look]) for scenario in scenarios]
    assert turns == alone
    pool.close_many(days)


@pytest.mark.parametrize("saved", [False, True], ids=["by its calls", "from a snapshot"])
def test_a_day_whose_worker_is_killed_goes_on_without_losing_a_step(
    pool: DayPool, saved: bool
) -> None:
    made = calls(oracle().log)
    alone = begun(rewards=True)
    (day,) = pool.reset_many([SCENARIO])
    for number, call in enumerate(made):
        if number == 10 and saved:
            pool.snapshot_many([day])
        if number in (20, 30):
            os.kill(worker_of(day), signal.SIGKILL)
        assert pool.step_many([(day, [call])]) == [alone.step([call])]
    assert pool.digest_many([day]) == [alone.digest()]
    assert pool.grade_many([day]) == [oracle().grade]
    pool.close_many([day])


def test_a_snapshot_goes_on_in_another_pool() -> None:
    made = calls(oracle().log)
    with DayPool(1) as first, DayPool(1) as second:
        (day,) = first.reset_many([SCENARIO])
        first.step_many([(day, made[:30])])
        (again,) = second.restore_many(first.snapshot_many([day]))
        assert again.start.tools == day.start.tools
        second.step_many([(again, made[30:])])
        assert second.grade_many([again]) == [oracle().grade]
        with pytest.raises(InvalidSnapshot):
            second.restore_many([b"nothing"])


def test_a_full_pool_makes_callers_wait_until_a_day_is_closed() -> None:
    with DayPool(1, most_open=2) as pool:
        days = pool.reset_many([SCENARIO, SCENARIO])
        later: list[PooledDay] = []
        waiting = Thread(target=lambda: later.extend(pool.reset_many([SCENARIO])))
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive() and not later
        pool.close_many(days[:1])
        waiting.join(60)
        assert len(later) == 1
        with pytest.raises(ValueError, match="3 days at once, but at most 2"):
            pool.reset_many([SCENARIO] * 3)


def test_a_day_that_cannot_be_composed_is_said_and_takes_no_room() -> None:
    with DayPool(1, most_open=2) as pool:
        for _ in range(3):
            with pytest.raises(CompositionError):
                pool.reset_many([SCENARIO, IMPOSSIBLE])
        assert len(pool.reset_many([SCENARIO, SCENARIO])) == 2


def test_open_days_go_on_while_others_are_composed() -> None:
    async def work() -> None:
        with DayPool(1) as pool:
            (day,) = await pool.reset_many_async([SCENARIO])
            heavy = load_shipped_benchmark("expert-50").scenarios[:6]
            begins = asyncio.create_task(pool.reset_many_async(heavy))
            await asyncio.sleep(0.1)
            for _ in range(5):
                await pool.step_many_async([(day, [WAIT])])
            assert not begins.done()
            assert len(await begins) == 6

    asyncio.run(work())


def test_hundreds_of_tasks_of_an_event_loop_step_a_day_each(pool: DayPool) -> None:
    made = calls(oracle().log)[:5]

    async def one() -> float:
        (day,) = await pool.reset_many_async([SCENARIO])
        for call in made:
            await pool.step_many_async([(day, [call])])
        (grade,) = await pool.grade_many_async([day])
        await pool.close_many_async([day])
        return grade.score or 0.0

    async def all_of_them() -> list[float]:
        return await asyncio.gather(*(one() for _ in range(200)))

    alone = begun()
    alone.step(made)
    assert asyncio.run(all_of_them()) == [alone.grade().score or 0.0] * 200


def test_a_cancelled_step_leaves_the_worker_and_its_days_at_work() -> None:
    async def work() -> None:
        with DayPool(1) as pool:
            day, other = await pool.reset_many_async([SCENARIO, SCENARIO])
            step = asyncio.create_task(pool.step_many_async([(day, [WAIT])]))
            await asyncio.sleep(0)  # until it is sent
            step.cancel()
            with pytest.raises(asyncio.CancelledError):
                await step
            for asked in (other, day):
                await asyncio.wait_for(pool.step_many_async([(asked, [WAIT])]), 30)

    asyncio.run(work())


def test_a_closed_day_and_a_closed_pool_say_so() -> None:
    with DayPool(1) as pool:
        (day,) = pool.reset_many([SCENARIO])
        pool.close_many([day, day])
        pool.close_many([day])
        with pytest.raises(DayNotBegun, match="was closed"):
            pool.step_many([(day, [WAIT])])
    with pytest.raises(PoolClosed):
        pool.reset_many([SCENARIO])


class Stillborn:
    """A worker that dies as soon as something is asked of it."""

    pid = None
    started = True

    def __init__(
        self, answered: Callable[[Sequence[PackedAnswer]], None], died: Callable[[Any], None]
    ):
        self._died = died

    def send(self, requests: Sequence[PackedRequest]) -> None:
        Thread(target=self._died, args=(self,)).start()

    def close(self) -> None:
        pass


class OnNode:
    """A worker in this process on a *node*, which `lose` takes away with all others there."""

    started = True
    nodes = ["one"] * 5 + ["two"]
    made: list[OnNode] = []

    def __init__(self, answered: Callable[[list[PackedAnswer]], None], died: Callable[..., None]):
        self.node = self.nodes[len(self.made)] if len(self.made) < len(self.nodes) else "two"
        self.worker, self.died, self.lost = DayWorker(answered), died, False
        self.made.append(self)

    def send(self, requests: Sequence[PackedRequest]) -> None:
        if not self.lost:
            self.worker.work(requests)

    def close(self) -> None:
        self.worker.close()

    @classmethod
    def lose(cls, node: str) -> None:
        gone = [worker for worker in cls.made if worker.node == node and not worker.lost]
        for worker in gone:
            worker.lost = True
        for worker in gone:
            worker.died(worker, Death(node))


def test_a_node_takes_all_its_workers_and_no_day_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(OnNode, "made", [])
    look = ToolCall("desk_tasks", {})
    with DayPool(6, start_worker=OnNode, snapshot_every=2) as pool:
        days = pool.reset_many([SCENARIO] * 6)
        for count in range(5):
            pool.step_many([(day, [look]) for day in days])
            assert {len(day.calls) for day in days} == {(count + 1) % 2}
        OnNode.lose("one")
        alone = begun(rewards=True)
        alone.step([look] * 5)
        assert pool.digest_many(days) == [alone.digest()] * 6
        assert {day.worker.node for day in days} == {"two"}  # type: ignore[attr-defined]
        assert len(pool._dispatcher._open) == 6


def test_a_day_is_saved_after_so_many_steps_and_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="snapshot_every=0"):
        DayPool(1, snapshot_every=0)


def test_workers_that_cannot_start_are_an_error_and_no_endless_wait() -> None:
    with DayPool(1, start_worker=Stillborn) as pool, pytest.raises(WorkerLost, match="__name__"):
        pool.reset_many([SCENARIO])


def test_answers_belong_to_the_days_that_were_asked_for(pool: DayPool) -> None:
    other = find_scenario("core-50-01")
    first, second = pool.reset_many([SCENARIO, other])
    assert pool.digest_many([second, first]) == [begun(other).digest(), begun(SCENARIO).digest()]
    assert isinstance(Day.from_snapshot(pool.snapshot_many([first])[0]), Day)
    pool.close_many([first, second])
