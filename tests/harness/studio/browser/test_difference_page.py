"""Files compared, in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows, fits, keys_suffice, windows_on

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(all_valued: Path, hostile_world: Path) -> AsyncIterator[Windows]:
    async with windows_on(all_valued / "a-run", hostile_world) as opened:
        yield opened


def title(page: Any) -> Any:
    return page.locator(".difference-title")


async def test_an_opened_table_is_compared_with_the_morning_and_with_another_step(
    windows: Windows,
) -> None:
    async with windows.open("#/episode/1-0?step=8&app=sheets&item=workspace:/table.xlsx") as page:
        await page.get_by_role("link", name="Differences").click()
        cells = page.get_by_role("group", name="Cells that differ")
        await expect(cells).to_contain_text("A2")
        await expect(cells).to_contain_text("A1")
        await expect(title(page)).to_contain_text("in the morning")
        await page.get_by_label("After step").last.fill("7")
        await page.get_by_label("After step").last.press("Tab")
        await expect(cells).not_to_contain_text("A1")
        await expect(cells).to_contain_text("A2")
        assert await page.locator("#studio script, #studio img").count() == 0


async def test_what_was_made_is_compared_with_its_source_and_with_another_agents(
    windows: Windows,
) -> None:
    async with windows.open("#/difference/0-0?against=source") as page:
        files = page.get_by_label("File", exact=False).first
        made = page.get_by_role("option").filter(has_text="_fixed.md").first
        await files.select_option(label=await made.inner_text())
        lines = page.get_by_role("group", name="Lines that differ")
        await expect(lines.locator(".removed").first).to_be_visible()
        await expect(lines.locator(".added").first).to_be_visible()
        await expect(title(page)).to_contain_text("drive:/")
        await fits(page, "difference")
        await keys_suffice(page, "difference")
        await page.get_by_label("Compared with").select_option("agent")
        await page.get_by_label("Agent").last.select_option(label="sprayer")
        await expect(title(page)).to_contain_text("sprayer")
        await expect(lines.locator(".added").first).to_be_visible()
