"""A real browser, one for each module of tests. Every test here is marked ``browser``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.harness.studio.browser.window import Windows, windows_on


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(all_valued: Path, hostile_world: Path) -> AsyncIterator[Windows]:
    """Yield windows of a browser that has entered a studio of the run "0" and the hostile world
    "1"."""
    async with windows_on(all_valued / "a-run", hostile_world) as opened:
        yield opened
