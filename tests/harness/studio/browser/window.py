"""Windows of a browser on the studio, and what must hold in each: nothing fails, nothing leaves."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.studio.application import StudioServer
from trainee_bench.harness.studio.runs import ShownRuns

_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HERE = Path(__file__).parent
_HANGS = 20_000
"""Milliseconds after which waiting is useless, even on a busy machine."""
_VIOLATIONS = """async () => (await axe.run(document, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
})).violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html)}`)"""
_COVERED = """() => {
  const dialog = document.querySelector("dialog[open]");
  const clipped = (x, y, one) => {
    for (let at = one.parentElement; at; at = at.parentElement) {
      const box = at.getBoundingClientRect();
      const cuts = getComputedStyle(at).overflow !== "visible";
      if (cuts && (x < box.left || x > box.right || y < box.top || y > box.bottom)) return true;
    }
    return x < 0 || y < 0 || x > innerWidth || y > innerHeight;
  };
  const kinds = "a, button, input, select, textarea, summary, h1, h2, h3";
  return [...(dialog ?? document).querySelectorAll(kinds)]
    .filter((one) => {
      if (!one.checkVisibility({ visibilityProperty: true })) return false;
      // a dot on a line may lie on its neighbour; it stands elsewhere in words
      if (one.closest("[aria-hidden=true]")) return false;
      const box = one.getBoundingClientRect();
      const x = box.left + box.width / 2, y = box.top + box.height / 2;
      if (box.width < 2 || box.height < 2 || clipped(x, y, one)) return false;
      const top = document.elementFromPoint(x, y);
      return top && !one.contains(top) && !top.contains(one);
    }).map((one) => `covered: ${one.outerHTML.slice(0, 120)}`);
}"""
"""Returns elements covered by others: all controls and headings in sight."""
_TABBED = """() => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true });
  const kinds = "a[href], button, input, select, textarea, summary, [tabindex]";
  const can = [...document.querySelectorAll(kinds)]
    .filter((one) => shown(one) && !one.disabled && one.tabIndex >= 0);
  const groups = new Set();
  return can.filter((one) => {
    if (one.type !== "radio") return true;
    if (groups.has(one.name)) return false;
    return groups.add(one.name);
  }).map((one) => one.type === "radio" ? one.name
    : (one.dataset.tabbed ??= String(Math.random())));
}"""
_FOCUSED = """() => {
  const one = document.activeElement;
  return one.type === "radio" ? one.name : one.dataset.tabbed ?? "";
}"""
_NAMED = '(name) => document.querySelector(`[data-tabbed="${name}"]`)?.outerHTML.slice(0, 120)'
_MOUSE_ONLY = """() => {
  const clicked = (one) => Object.keys(one.__e ?? {}).some((kind) => /^onclick/i.test(kind));
  const handled = "a, button, input, select, textarea, summary, [role=option], [role=grid]";
  const all = [...document.querySelectorAll("#studio *")].filter(clicked);
  if (!all.length) return ["Preact keeps what listens to clicks elsewhere than in .__e"];
  return all.filter((one) => !one.closest(handled)).map((one) => one.outerHTML.slice(0, 120));
}"""
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
        """Yield a window at *place* (``#/runs``) that has entered the studio.

        At the end, the test fails if the console has an error or a warning, if anything was raised,
        or if another address was requested.
        """
        async with self._watched(self._ours, width, height, scheme) as page:
            await page.goto(self.studio.address)
            await page.goto(self.base + place)
            yield page

    @asynccontextmanager
    async def open_file(
        self, file: Path, place: str = "", *, width: int = 1440, scheme: str = "light"
    ) -> AsyncIterator[Any]:
        """Yield a window at *place* of the page in *file*, without a network. The same must
        hold."""
        own = file.as_uri()
        async with self._watched(
            lambda url: url.partition("#")[0] == own or url.startswith("data:"),
            width,
            900,
            scheme,
            offline=True,
        ) as page:
            await page.goto(own + place)
            yield page

    @asynccontextmanager
    async def open_site(
        self, root: str, place: str, *, scheme: str = "light"
    ) -> AsyncIterator[Any]:
        """Yield a window at *place* of the site whose addresses begin with *root*. The same must
        hold."""
        async with self._watched(
            lambda url: url.startswith((root, "data:")), 1440, 900, scheme
        ) as page:
            await page.goto(root + place)
            yield page

    @asynccontextmanager
    async def _watched(
        self,
        ours: Callable[[str], bool],
        width: int,
        height: int,
        scheme: str,
        *,
        offline: bool = False,
    ) -> AsyncIterator[Any]:
        context = await self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, offline=offline
        )
        page = await context.new_page()
        page.set_default_timeout(_HANGS)
        wrong: list[str] = []
        page.on("console", lambda said: wrong.append(said.text) if self._counts(said) else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda asked: None if ours(asked.url) else wrong.append(asked.url))
        try:
            yield page
        finally:
            await context.close()
        assert not wrong, wrong

    def _counts(self, said: Any) -> bool:
        return said.type != "log" and f"status of {self.expected} " not in said.text

    def _ours(self, url: str) -> bool:
        return url.startswith((self.base, "data:"))


@cache
def _axe() -> str:
    return (HERE / "axe.min.js").read_text(encoding="utf-8")


async def violations(page: Any) -> list[str]:
    """Return axe's findings against the accessibility of the current page."""
    await page.evaluate(_axe())  # through the debugger, so that the page's own policy still holds
    found: list[str] = await page.evaluate(_VIOLATIONS)
    return found


async def overflow(page: Any) -> int:
    """Return by how many pixels the page is wider than its window."""
    wide: int = await page.evaluate(_OVERFLOW)
    return wide


async def fits(page: Any, name: str = "") -> None:
    """Check that the current page is accessible in light and dark, fits every window width, and has
    nothing covering other elements. Afterwards it is light and 1440 pixels wide."""
    found: dict[object, object] = {}
    for width in (1920, 768, 360, 1440):
        await page.set_viewport_size({"width": width, "height": 900})
        found[width] = (await overflow(page), await page.evaluate(_COVERED))
        if width == 360:
            await page.emulate_media(color_scheme="dark")
            found["dark"] = await violations(page)
            await page.emulate_media(color_scheme="light")
    found["light"] = await violations(page)
    flaws = {at: flaw for at, flaw in found.items() if flaw not in ([], (0, []))}
    assert not flaws, (name, flaws)


async def keys_suffice(page: Any, name: str = "") -> None:
    """Check that Tab reaches every control of the current page, and nothing needs the mouse."""
    mouse_only = await page.evaluate(_MOUSE_ONLY)
    assert not mouse_only, (name, mouse_only)
    left = set(await page.evaluate(_TABBED))
    for _ in range(2 * len(left) + 10):
        if not left:
            break
        await page.keyboard.press("Tab")
        left.discard(await page.evaluate(_FOCUSED))
    never = [await page.evaluate(_NAMED, id) for id in left]
    assert not never, (name, never)


async def each_page_holds(
    windows: Windows, places: Mapping[str, str], ready: Callable[[Any], Awaitable[None]]
) -> None:
    """Check that all pages of *places*, by name, fit every window and need no mouse, once *ready*
    says that they are complete."""
    async with windows.open("") as page:
        for name, place in places.items():
            await page.goto(windows.base + place)
            await ready(page)
            await fits(page, name)
            await keys_suffice(page, name)


async def choose_first_day(page: Any, *ticks: str) -> None:
    """Fill in the form for the quickstart's day, worked by the oracle, with *ticks* set."""
    scenario = page.get_by_role("combobox", name=re.compile("^Scenario"))
    await scenario.select_option("first_day")
    for tick in ticks:
        await page.get_by_label(tick).check()


@asynccontextmanager
async def windows_on(*runs: Path, own: Sequence[Path] = ()) -> AsyncIterator[Windows]:
    """Yield windows of a browser on a studio of *runs*, in which people may take seats on the days
    of the benchmarks in *own*; skip the test if there is no browser."""
    playwright = pytest.importorskip("playwright.async_api")
    playwright.expect.set_options(timeout=_HANGS)
    if _CHROMIUM is None:
        pytest.skip("there is no chromium here; apt-get install chromium")
    given = [load_benchmark(file, None) for file in own]
    async with (
        StudioServer(ShownRuns(runs), own=given) as studio,
        playwright.async_playwright() as engine,
    ):
        browser = await engine.chromium.launch(executable_path=_CHROMIUM)
        yield Windows(browser, studio)
        await browser.close()
