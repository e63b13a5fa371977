"""An actor is waited for as long as there is a node for it; Ray itself is not needed here."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from harness.execution import on_ray
from harness.execution.staff import CannotBegin


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
    monkeypatch.setattr(on_ray, "_LOOK", 0.01)


async def test_an_actor_that_is_slow_to_begin_is_waited_for() -> None:
    answer = asyncio.get_running_loop().create_future()
    looks = []

    def nodes() -> list[dict[str, bool]]:
        looks.append(1)
        if len(looks) == 3:
            answer.set_result(None)
        return [{"Alive": False}, {"Alive": True}]

    await on_ray.begun(SimpleNamespace(nodes=nodes), actor(answer))
    assert len(looks) == 3


async def test_an_actor_without_a_node_is_not_waited_for() -> None:
    never = asyncio.get_running_loop().create_future()
    ray = SimpleNamespace(nodes=lambda: [{"Alive": False}])
    with pytest.raises(CannotBegin, match="no node"):
        await asyncio.wait_for(on_ray.begun(ray, actor(never)), 30)
