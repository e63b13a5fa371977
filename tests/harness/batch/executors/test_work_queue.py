"""Who works what next, under any order of deaths, and how long an actor on Ray is waited for."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import builders
from trainee_bench.harness.batch.executors import ray_executor
from trainee_bench.harness.batch.executors.sequence_runner import RememberedDay, remembered_days
from trainee_bench.harness.batch.executors.worker_pool import (
    MAX_WORKER_LOSSES,
    SequenceJob,
    WorkerStartFailed,
    WorkQueue,
    slots_per_worker,
)
from trainee_bench.harness.records.plan import EpisodeSpec


def sequence(name: str, days: int) -> tuple[EpisodeSpec, ...]:
    (order,) = builders.plan(name).episode_specs()
    scenario = order.scenario
    whole = scenario.model_copy(
        update={
            "days": tuple(
                scenario.days[0].model_copy(update={"name": f"day_{n}"}) for n in range(days)
            )
        }
    )
    return tuple(order.model_copy(update={"scenario": whole, "day": n}) for n in range(days))


@given(
    days=st.lists(st.integers(1, 3), min_size=1, max_size=6),
    poisoned=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=3),
    slots=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    data=st.data(),
)
def test_every_episode_has_one_result_and_only_poison_is_given_up(
    days: list[int], poisoned: set[tuple[int, int]], slots: list[int], data: st.DataObject
) -> None:
    sequences = [sequence(f"s{number}", count) for number, count in enumerate(days)]
    poison = {
        sequences[n][d].id for n, d in poisoned if n < len(sequences) and d < len(sequences[n])
    }
    queue = WorkQueue(sequences)
    hands: list[list[SequenceJob]] = [[] for _ in slots]
    done: list[tuple[str, int]] = []
    given_up: list[str] = []
    while True:
        for hand, room in zip(hands, slots, strict=True):
            while assignment := queue.next(hand, room):
                hand.append(assignment)
        busy = [hand for hand in hands if hand]
        if not busy:
            break
        hand = data.draw(st.sampled_from(busy))
        assignment = data.draw(st.sampled_from(hand))
        first = assignment.episodes[0]
        if first.id in poison:
            dead, hand[:] = hand[:], []
            given_up += [order.id for one in dead if (order := queue.lost(one, "it was killed"))]
        else:
            tries = assignment.losses + 1
            result = queue.done(assignment, builders.episode("a", "s", episode=first.id))
            assert result.tries == tries <= MAX_WORKER_LOSSES
            done.append((first.id, tries))
            if not assignment.episodes:
                hand.remove(assignment)
    assert sorted(given_up) == sorted(poison)
    everything = {order.id for orders in sequences for order in orders}
    assert sorted([*given_up, *(id for id, _ in done)]) == sorted(everything)


def test_an_episode_lost_with_others_runs_alone() -> None:
    queue = WorkQueue([sequence("a", 1), sequence("b", 1), sequence("c", 1)])
    hand: list[SequenceJob] = []
    while assignment := queue.next(hand, 2):
        hand.append(assignment)
    assert len(hand) == 2
    for lost in hand:
        assert queue.lost(lost, "it was killed") is None
    suspect = queue.next([], 2)
    assert suspect in hand
    assert queue.next([suspect], 2) is None
    other = queue.next([], 2)
    assert other in hand and other is not suspect


def test_a_result_of_another_episode_is_refused() -> None:
    queue = WorkQueue([sequence("a", 1)])
    assignment = queue.next([], 1)
    assert assignment is not None
    with pytest.raises(ValueError, match="expected the result of"):
        queue.done(assignment, builders.episode("a", "s", episode="another"))


@given(st.integers(1, 300), st.integers(1, 70), st.integers(1, 500))
def test_workers_share_what_is_done_at_a_time_evenly(
    concurrency: int, workers: int, sequences: int
) -> None:
    slots = slots_per_worker(concurrency, workers, sequences)
    assert sum(slots) == min(concurrency, sequences)
    assert len(slots) <= workers
    assert max(slots) - min(slots) <= 1 <= min(slots)


def test_a_worker_gets_no_day_that_an_agent_may_remember_there() -> None:
    made = builders.plan("one", "two", agents=("nothing", "my.module:Agent"), epochs=2)
    queue = WorkQueue(list(made.day_sequences()))
    workers: list[list[EpisodeSpec]] = []
    while True:
        remembered: set[RememberedDay] = set()
        workers.append([])
        while job := queue.next([], 1, remembered):
            remembered |= remembered_days(job.episodes)
            workers[-1] += job.episodes
        if not queue.needs_new_worker(remembered):
            break
    assert sorted(spec.id for worker in workers for spec in worker) == sorted(
        spec.id for spec in made.episode_specs()
    )
    assert [sum(spec.agent == "my.module:Agent" for spec in one) for one in workers] == [2, 2]
    assert all(
        len({(spec.scenario.name, spec.agent) for spec in own}) == len(own)
        for own in ([spec for spec in one if spec.agent != "nothing"] for one in workers)
    )


class Reference:
    """Can be awaited anew after its wait was given up, as Ray's references can."""

    def __init__(self, answer: asyncio.Future[None]):
        self._answer = answer

    def __await__(self) -> Any:
        return asyncio.shield(self._answer).__await__()


def actor(answer: asyncio.Future[None]) -> Any:
    return SimpleNamespace(begin=SimpleNamespace(remote=lambda: Reference(answer)))


@pytest.fixture
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "_NODE_CHECK_SECONDS", 0.01)


@pytest.mark.usefixtures("_looks_often")
async def test_an_actor_that_is_slow_to_begin_is_waited_for() -> None:
    answer = asyncio.get_running_loop().create_future()
    looks = []

    def nodes() -> list[dict[str, bool]]:
        looks.append(1)
        if len(looks) == 3:
            answer.set_result(None)
        return [{"Alive": False, "NodeID": "a"}, {"Alive": True, "NodeID": "b"}]

    await ray_executor.wait_until_ready(SimpleNamespace(nodes=nodes), actor(answer), ["a", "b"])
    assert len(looks) == 3


@pytest.mark.usefixtures("_looks_often")
async def test_an_actor_without_a_node_is_not_waited_for() -> None:
    never = asyncio.get_running_loop().create_future()
    nodes = [{"Alive": False, "NodeID": "a"}, {"Alive": True, "NodeID": "left out"}]
    ray = SimpleNamespace(nodes=lambda: nodes)
    with pytest.raises(WorkerStartFailed, match="no node"):
        await asyncio.wait_for(ray_executor.wait_until_ready(ray, actor(never), ["a"]), 30)
