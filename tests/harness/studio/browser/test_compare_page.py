"""Comparing and reading beside a day, in a browser: days, files, a model's conversation."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows, fits, keys_suffice, windows_on
from tests.harness.studio.talkative import MALFORMED
from tests.harness.studio.test_comparison import guide_first
from trainee_bench.harness.studio import conversations, derived_endpoints

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(
    ran: Path, short: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Windows]:
    """Yield windows on a studio of three runs: "0", "1" with other tasks, and "2", which is "0"
    with a guided oracle."""
    guided = shutil.copytree(ran, tmp_path_factory.mktemp("guided") / "guided-run")
    guide_first(guided)
    async with windows_on(ran, short, guided) as opened:
        yield opened


def line_of(page: Any) -> Any:
    return page.get_by_role("slider", name="Line")


async def test_compare_starts_from_the_episode_and_step_that_the_user_came_from(
    windows: Windows,
) -> None:
    async with windows.open("#/episode/0-1?step=20") as page:
        await expect(page.get_by_role("heading", level=1, name="sprayer")).to_be_visible()
        await (
            page.get_by_role("navigation", name="Places")
            .get_by_role("link", name="Compare")
            .click()
        )
        await expect(page.get_by_role("combobox", name="Left")).to_have_value("0-1")
        others = page.get_by_role("region", name="Others on the same day")
        await fits(page, "suggestions")
        await keys_suffice(page, "suggestions")
        await page.locator(".suggested").get_by_role("link", name="oracle").first.press("Enter")
        await expect(page.get_by_role("combobox", name="Right")).to_have_value("0-0")
        chosen = page.get_by_role("option", selected=True).locator(".half").first
        await expect(chosen).to_contain_text("20")
        assert await others.count() == 0


async def test_stepping_through_differences_begins_with_those_that_changed_something(
    windows: Windows,
) -> None:
    async with windows.open("#/compare?a=0-0&b=0-1") as page:
        steps = page.get_by_role("group", name="Differences")
        await expect(steps).to_contain_text("Difference 1 of")
        await expect(steps).to_contain_text("changed ")
        await expect(steps).not_to_contain_text("changed nothing")
        first = await line_of(page).input_value()
        await page.keyboard.press("n")
        await expect(steps).to_contain_text("Difference 2 of")
        await expect(line_of(page)).not_to_have_value(first)
        await steps.get_by_role("button", name="Previous").click()
        await expect(line_of(page)).to_have_value(first)
        await page.keyboard.press("p")
        await expect(line_of(page)).to_have_value(first)
        for _ in range(400):
            if "changed nothing" in await steps.inner_text():
                break
            await page.keyboard.press("n")
        await expect(steps).to_contain_text("changed nothing")


async def test_different_days_are_said_to_be_different_and_no_task_is_joined(
    windows: Windows,
) -> None:
    async with windows.open("#/compare?a=0-0&b=1-0") as page:
        await expect(page.get_by_role("note")).to_contain_text("Different days")
        scores = page.get_by_role("group", name="Scores by checkpoint")
        await expect(scores).to_contain_text("no task is joined")
        await expect(scores.get_by_role("rowheader", name="T1 · kb fix")).to_have_count(2)
        same = page.get_by_role("combobox", name="Right").locator("optgroup").first
        assert "0-1" in await same.inner_html() and '"1-1"' not in await same.inner_html()
        await fits(page, "different days")


async def test_a_guided_score_is_marked_wherever_it_is_shown(windows: Windows) -> None:
    async with windows.open("#/runs/2") as page:
        scores = page.get_by_role("group", name="Scores")
        cell = scores.get_by_role("link", name="oracle, one, day_1: 1.00, guided")
        await expect(cell).to_contain_text("guided")
        await expect(scores.locator("tfoot")).to_contain_text("guided")
        await fits(page, "runs")
        await cell.click()
        head = page.locator(".episode-head")
        await expect(head.get_by_text("guided", exact=True)).to_be_visible()
        await page.goto(windows.base + "#/compare?a=2-0&b=0-0")
        await expect(page.get_by_role("region", name="Left", exact=True)).to_contain_text("guided")
        right = page.get_by_role("region", name="Right", exact=True)
        await expect(right).not_to_contain_text("guided")
        await expect(page.get_by_role("columnheader", name="oracle guided")).to_be_visible()
        await expect(
            page.get_by_role("combobox", name="Left").locator("option:checked")
        ).to_contain_text("1.00, guided")
        await fits(page, "compared")


async def test_after_a_jump_old_panes_are_dimmed_and_busy_until_the_new_state_is_there(
    windows: Windows,
) -> None:
    async with windows.open("#/episode/0-1?step=1&app=desk") as page:
        panel = page.get_by_role("tabpanel")
        details = page.get_by_role("group", name="Call, details")
        await expect(panel).to_have_attribute("aria-busy", "false")
        go_on, gone = asyncio.Event(), asyncio.Event()

        async def hold(route: Any) -> None:
            await go_on.wait()
            await route.continue_()

        await page.route("**/state/40/**", hold)
        await page.route("**/steps/40", hold)
        page.on("requestfailed", lambda asked: gone.set() if "/state/41/" in asked.url else None)
        step = page.get_by_role("slider", name="Step")
        await step.fill("40")
        for pane in (panel, details):
            await expect(pane).to_have_attribute("aria-busy", "true")
            await expect(pane).to_have_css("opacity", "0.38")
        go_on.set()
        for pane in (panel, details):
            await expect(pane).to_have_attribute("aria-busy", "false")
            await expect(pane).to_have_css("opacity", "1")
        await expect(details).to_contain_text("Step 40")

        async def never(route: Any) -> None:
            await asyncio.sleep(0)

        await page.route("**/state/41/**", never)
        await step.fill("41")
        await expect(panel).to_have_attribute("aria-busy", "true")
        await step.fill("42")
        await asyncio.wait_for(gone.wait(), 20)
        await expect(panel).to_have_attribute("aria-busy", "false")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def talk_windows(talked: Path, modelled: Path) -> AsyncIterator[Windows]:
    async with windows_on(talked, modelled) as opened:
        yield opened


def messages(page: Any) -> Any:
    return page.get_by_role("list", name="Messages").get_by_role("listitem")


async def test_the_conversation_is_read_from_the_prompt_to_raw_json_and_back_to_a_step(
    talk_windows: Windows,
) -> None:
    async with talk_windows.open("#/conversation/0-0") as page:
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
        answer = await page.request.get(
            talk_windows.base + (await request.get_attribute("href"))[1:]
        )
        assert (await answer.json())["messages"][0]["role"] == "system"
        await turn.get_by_role("link", name="Step 2").click()
        await expect(page.get_by_role("slider", name="Step")).to_have_value("2")


async def test_a_call_leads_to_its_turn_and_long_conversations_are_turned_over(
    talk_windows: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (conversations, derived_endpoints):
        monkeypatch.setattr(module, "AT_ONCE", 20)
    async with talk_windows.open("#/episode/1-0?step=29") as page:
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
        await page.goto(talk_windows.base + "#/episode/1-0?step=3")
        await page.get_by_role("link", name="Conversation").click()
        await expect(page.locator(".said.chosen")).to_be_visible()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def valued_windows(all_valued: Path, hostile_world: Path) -> AsyncIterator[Windows]:
    async with windows_on(all_valued / "a-run", hostile_world) as opened:
        yield opened


def title(page: Any) -> Any:
    return page.locator(".difference-title")


async def test_an_opened_table_is_compared_with_the_morning_and_with_another_step(
    valued_windows: Windows,
) -> None:
    async with valued_windows.open(
        "#/episode/1-0?step=8&app=sheets&item=workspace:/table.xlsx"
    ) as page:
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


async def test_a_produced_file_is_compared_with_its_source_and_with_another_agents(
    valued_windows: Windows,
) -> None:
    async with valued_windows.open("#/difference/0-0?against=source") as page:
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
