"""An actor is waited for as long as there is a node for it; Ray itself is not needed here."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from trainee_bench.harness.batch.executors import ray_executor
from trainee_bench.harness.batch.executors.worker_pool import WorkerStartFailed


class Reference:
    """Can be awaited anew after its wait was given up, as Ray's references can."""

    def __init__(self, answer: asyncio.Future[None]):
        self._answer = answer

    def __await__(self) -> Any:
        return asyncio.shield(self._answer).__await__()


def actor(answer: asyncio.Future[None]) -> Any:
    return SimpleNamespace(begin=SimpleNamespace(remote=lambda: Reference(answer)))


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_executor, "_NODE_CHECK_SECONDS", 0.01)


async def test_an_actor_that_is_slow_to_begin_is_waited_for() -> None:
    answer = asyncio.get_running_loop().create_future()
    looks = []

    def nodes() -> list[dict[str, bool]]:
        looks.append(1)
        if len(looks) == 3:
            answer.set_result(None)
        return [{"Alive": False}, {"Alive": True}]

    await ray_executor.wait_until_ready(SimpleNamespace(nodes=nodes), actor(answer))
    assert len(looks) == 3


async def test_an_actor_without_a_node_is_not_waited_for() -> None:
    never = asyncio.get_running_loop().create_future()
    ray = SimpleNamespace(nodes=lambda: [{"Alive": False}])
    with pytest.raises(WorkerStartFailed, match="no node"):
        await asyncio.wait_for(ray_executor.wait_until_ready(ray, actor(never)), 30)
