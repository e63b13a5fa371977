"""Worlds that are opened for a test and closed after it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.world import toy
from trainee_bench.world.world import World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """A toy world in memory."""
    async with await World.create(None, toy.OPENING, toy.populate) as world:
        yield world


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[World]:
    """A toy world in a file."""
    async with await World.create(tmp_path / "toy.world", toy.OPENING, toy.populate) as world:
        yield world
