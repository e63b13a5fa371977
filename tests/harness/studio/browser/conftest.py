"""A real browser, one for each module of tests. Every test here is marked ``browser``."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.server import StudioServer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(ran: Path, hostile_world: Path) -> AsyncIterator[Windows]:
    """Windows of a browser that has entered a studio of the run "0" and the hostile world "1"."""
    playwright = pytest.importorskip("playwright.async_api")
    if CHROMIUM is None:
        pytest.skip("there is no chromium here; apt-get install chromium")
    async with (
        StudioServer(ShownRuns([ran, hostile_world])) as studio,
        playwright.async_playwright() as engine,
    ):
        browser = await engine.chromium.launch(executable_path=CHROMIUM)
        yield Windows(browser, studio)
        await browser.close()
