"""Windows of a browser on the studio, and what must hold in each: nothing fails, nothing leaves."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.server import StudioServer

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HERE = Path(__file__).parent
_VIOLATIONS = """async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})).violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html)}`)"""
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Windows:
    """Opens windows of *browser* on *studio*."""

    def __init__(self, browser: Any, studio: StudioServer):
        self._browser = browser
        self.studio = studio
        self.expected = 0
        """The status of answers that a test provokes, which the browser writes to its console."""
        self.base = f"http://127.0.0.1:{studio.key.port}/"

    @asynccontextmanager
    async def open(
        self, place: str, *, width: int = 1440, height: int = 900, scheme: str = "light"
    ) -> AsyncIterator[Any]:
        """A window at *place* (``#/runs``), which has entered the studio.

        At the end the test fails if anything was written to the console as an error or warning,
        was raised, or was asked of another address.
        """
        context = await self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        page = await context.new_page()
        page.set_default_timeout(20_000)
        wrong: list[str] = []
        page.on("console", lambda said: wrong.append(said.text) if self._counts(said) else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        page.on(
            "request", lambda asked: wrong.append(asked.url) if not self._ours(asked.url) else 0
        )
        await page.goto(self.studio.address)
        await page.goto(self.base + place)
        try:
            yield page
        finally:
            await context.close()
        assert wrong == []

    def _counts(self, said: Any) -> bool:
        return said.type != "log" and f"status of {self.expected} " not in said.text

    def _ours(self, url: str) -> bool:
        return url.startswith((self.base, "data:"))


@cache
def _axe() -> str:
    return (HERE / "axe.min.js").read_text(encoding="utf-8")


async def violations(page: Any) -> list[str]:
    """What axe finds against the accessibility of the page as it is now."""
    await page.evaluate(_axe())  # over the debugger, so that the page's own policy stands
    found: list[str] = await page.evaluate(_VIOLATIONS)
    return found


async def overflow(page: Any) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = await page.evaluate(_OVERFLOW)
    return wide


@asynccontextmanager
async def windows_on(*runs: Path) -> AsyncIterator[Windows]:
    """Windows of a browser on a studio of *runs*; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.async_api")
    if _CHROMIUM is None:
        pytest.skip("there is no chromium here; apt-get install chromium")
    async with StudioServer(ShownRuns(runs)) as studio, playwright.async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=_CHROMIUM)
        yield Windows(browser, studio)
        await browser.close()
