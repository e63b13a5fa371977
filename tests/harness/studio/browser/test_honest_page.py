"""How a day can be worked, in a browser: asked for when it is opened, and in sight as a picture."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.harness.studio.browser.window import Windows, fits, keys_suffice

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def picture(page: Any) -> Any:
    return page.get_by_role("img", name=re.compile("^How the day can be worked: 2 tasks, "))


async def test_how_the_day_can_be_worked_is_worked_and_drawn_when_somebody_opens_it(
    windows: Windows,
) -> None:
    async with windows.open("#/episode/0-1?step=20") as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        summary = page.get_by_text("How this day can be worked")
        await expect(summary).to_be_visible()
        assert not [url for url in asked if url.endswith("/honest")]
        await summary.focus()
        await page.keyboard.press("Enter")
        await expect(picture(page)).to_be_visible()
        assert len([url for url in asked if url.endswith("/honest")]) == 1
        bar = picture(page).locator("rect.took.of-files").first
        assert re.match(r"\d\d:\d\d files_", await bar.locator("title").text_content())
        fill = await bar.evaluate("(bar) => getComputedStyle(bar).fill")
        assert fill not in ("rgb(0, 0, 0)", "none")
        drawn = "(bar) => [getComputedStyle(bar).height, bar.getAttribute('height') + 'px']"
        assert len(set(await bar.evaluate(drawn))) == 1, "another style of the page reaches it"
        await fits(page)
        await keys_suffice(page)
        await summary.click()
        await expect(picture(page)).to_be_hidden()
        await summary.click()
        await expect(picture(page)).to_be_visible()
        assert len([url for url in asked if url.endswith("/honest")]) == 1


async def test_a_bare_world_has_nothing_of_it(windows: Windows) -> None:
    async with windows.open("#/episode/1-0") as page:
        await expect(page.get_by_role("slider", name="Step")).to_be_visible()
        await expect(page.get_by_text("How this day can be worked")).to_have_count(0)
