"""The conversation with a model, in a browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows, fits, keys_suffice, windows_on
from tests.harness.studio.talkative import MALFORMED
from trainee_bench.harness.studio import conversations, reading_endpoints

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(talked: Path, modelled: Path) -> AsyncIterator[Windows]:
    async with windows_on(talked, modelled) as opened:
        yield opened


def messages(page: Any) -> Any:
    return page.get_by_role("list", name="Messages").get_by_role("listitem")


async def test_the_conversation_is_read_from_the_prompt_to_raw_json_and_back_to_a_step(
    windows: Windows,
) -> None:
    async with windows.open("#/conversation/0-0") as page:
        await expect(messages(page).first).to_contain_text("System prompt")
        empty = messages(page).filter(has_text="empty reply")
        await expect(empty).to_contain_text("1,100 tokens read · 1 written")
        await expect(messages(page).filter(has_text=MALFORMED).first).to_be_visible()
        turn = messages(page).filter(has_text="Turn 4")
        await turn.get_by_text("Raw JSON").click()
        await expect(turn).to_contain_text('"tool_calls": [')
        await fits(page, "conversation")
        await keys_suffice(page, "conversation")
        request = turn.get_by_role("link", name="The request as JSON")
        answer = await page.request.get(windows.base + (await request.get_attribute("href"))[1:])
        assert (await answer.json())["messages"][0]["role"] == "system"
        await turn.get_by_role("link", name="Step 2").click()
        await expect(page.get_by_role("slider", name="Step")).to_have_value("2")


async def test_a_call_leads_to_its_turn_and_long_conversations_are_turned_over(
    windows: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (conversations, reading_endpoints):
        monkeypatch.setattr(module, "AT_ONCE", 20)
    async with windows.open("#/episode/1-0?step=29") as page:
        call = page.get_by_role("region", name="Call", exact=True)
        link = call.get_by_role("link", name=re.compile(r"^turn \d+$"))
        turn = (await link.inner_text()).partition(" ")[2]
        await link.click()
        chosen = page.locator(".said.chosen")
        await expect(chosen.get_by_role("heading")).to_contain_text(f"Turn {turn}")
        await expect(chosen).to_be_in_viewport()
        first = await messages(page).first.get_by_role("heading").inner_text()
        await page.get_by_role("button", name="Earlier messages").first.click()
        await expect(messages(page).first).to_contain_text("System prompt")
        await page.get_by_role("button", name="Later messages").first.click()
        await expect(messages(page).first.get_by_role("heading")).to_have_text(first)
        await page.goto(windows.base + "#/episode/1-0?step=3")
        await page.get_by_role("link", name="Conversation").click()
        await expect(page.locator(".said.chosen")).to_be_visible()
