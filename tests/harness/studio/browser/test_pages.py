"""Every page works in a browser: what a person sees and does, by mouse and by keys."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.harness.studio.browser.window import (
    Windows,
    each_page_holds,
    fits,
    keys_suffice,
    windows_on,
)
from tests.harness.studio.hostile import HOSTILE, LONG, PICTURE, SCRIPT, make_hostile
from tests.harness.studio.shown import unfinished
from trainee_bench.harness.studio.application import StudioServer
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.views import APP_VIEWS
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import create_world

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PLACES = {
    "runs": "#/runs/0",
    "episode": "#/episode/0-1?step=20",
    "morning": "#/episode/0-2",
    "live": "#/live",
    "compare": "#/compare?a=0-0&b=0-1&line=3",
    "nothing compared": "#/compare",
    "start": "#/start",
    "seat": "#/seat",
    "colleague": "#/colleague/0-0",
    "no page": "#/constructor",
}
"""The pages that no other module of tests looks at in the same way."""


def step_of(page: Any) -> Any:
    return page.get_by_role("slider", name="Step")


def call(page: Any) -> Any:
    return page.get_by_role("region", name="Call", exact=True)


async def settled(page: Any, words: str = "") -> None:
    """Wait until nothing is loading any more."""
    await expect(page.get_by_role("main")).not_to_be_empty()
    await expect(page.get_by_role("status").filter(has_text=" …")).to_have_count(0)
    if words:
        await expect(page.get_by_text(words).first).to_be_visible()


async def test_every_page_is_accessible_fits_every_width_and_needs_no_mouse(
    windows: Windows,
) -> None:
    await each_page_holds(windows, PLACES, settled)


async def test_a_cell_of_the_table_opens_its_episode_and_filters_narrow_the_table(
    windows: Windows,
) -> None:
    async with windows.open("#/runs") as page:
        table = page.get_by_role("group", name="Scores")
        oracle = table.get_by_role("link", name=re.compile("^oracle, one, day_1: 1.00"))
        await expect(oracle).to_be_visible()
        await page.get_by_label("Family").select_option("sales")
        await expect(oracle).to_be_visible()
        checkpoints = await page.get_by_label("Checkpoint").locator("option").all_inner_texts()
        await page.get_by_label("Checkpoint").select_option(label=checkpoints[1])
        await expect(
            table.get_by_role("link", name=re.compile("^nothing, .*: 0.00"))
        ).to_be_visible()
        await page.get_by_label("Ending").select_option(index=1)
        await oracle.click()
        await expect(page.get_by_role("heading", level=1, name="oracle")).to_be_visible()
        await expect(step_of(page)).to_have_value("1")


async def test_the_slider_the_keys_and_the_list_go_through_the_day(windows: Windows) -> None:
    async with windows.open("#/episode/0-1?step=5") as page:
        await expect(step_of(page)).to_have_value("5")
        await expect(call(page)).to_contain_text("Step 5 ·")
        await page.keyboard.press("ArrowRight")
        await expect(call(page)).to_contain_text("Step 6 ·")
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("ArrowLeft")
        await expect(call(page)).to_contain_text("Step 4 ·")
        await page.keyboard.press("End")
        last = int(await step_of(page).get_attribute("max"))
        await expect(step_of(page)).to_have_value(str(last))
        await page.keyboard.press("Home")
        await expect(call(page)).to_contain_text("Morning")
        await page.keyboard.press("ArrowRight")
        await expect(call(page)).to_contain_text("Step 1 ·")
        tool = await call(page).get_by_role("heading", level=2).inner_text()
        await page.keyboard.press("Shift+ArrowRight")
        await expect(call(page).get_by_role("heading", level=2)).to_contain_text(
            tool.partition("_")[0]
        )
        await step_of(page).fill("7")
        await expect(call(page)).to_contain_text("Step 7 ·")
        await page.get_by_role("listbox", name="Calls").get_by_role("option").nth(1).click()
        await expect(call(page)).to_contain_text("Step 2 ·")
        await page.get_by_role("listbox", name="Calls").press("ArrowDown")
        await expect(call(page)).to_contain_text("Step 3 ·")
        await page.get_by_role("button", name="Step forward").click()
        await expect(call(page)).to_contain_text("Step 4 ·")


async def test_without_a_failed_call_nothing_leads_to_the_next_failed_one(windows: Windows) -> None:
    async with windows.open("#/episode/0-0?step=0") as page:
        await expect(page.get_by_role("heading", level=1, name="oracle")).to_be_visible()
        await expect(page.get_by_role("button", name="Next failed")).to_be_disabled()


async def test_a_link_leads_to_a_step_an_app_and_an_item(windows: Windows) -> None:
    async with windows.open("#/episode/1-0?step=8&app=sheets&item=workspace:/table.xlsx") as page:
        await expect(page.get_by_role("tab", name="Sheets")).to_have_attribute(
            "aria-selected", "true"
        )
        await expect(page.get_by_role("grid")).to_contain_text(SCRIPT)
        await page.keyboard.press("Home")
        await page.wait_for_url(re.compile("step=0"))
        await page.goto(windows.base + "#/episode/1-0?step=9&app=desk")
        await expect(call(page)).to_contain_text("Step 9 ·")
        await expect(page.get_by_role("tab", name="Desk")).to_have_attribute(
            "aria-selected", "true"
        )


async def test_a_link_with_an_unknown_app_follows_the_calls(windows: Windows) -> None:
    async with windows.open("#/episode/0-0?step=6&app=zzz&item=1") as page:
        await settled(page)
        await expect(page.get_by_role("tab", selected=True)).to_have_attribute("tabindex", "0")


async def test_a_studio_without_any_run_is_shown_and_starts_one(tmp_path: Path) -> None:
    async with windows_on(tmp_path / "runs") as empty:
        await each_page_holds(empty, {"runs": "#/runs", "start": "#/start"}, settled)


async def test_a_steps_changes_are_highlighted_and_lead_back_to_their_cause(
    windows: Windows,
) -> None:
    async with windows.open("#/episode/1-0?step=11&app=sheets&item=workspace:/table.xlsx") as page:
        grid = page.get_by_role("grid")
        await expect(grid.locator(".changed")).to_have_count(0)
        await page.get_by_role("button", name="What changed this table").click()
        await expect(call(page)).to_contain_text("Step 8 ·")
        await expect(grid.locator(".changed")).to_have_count(2)
        await grid.get_by_role("gridcell", name=HOSTILE).click()
        await page.get_by_role("button", name="What changed this cell").click()
        await expect(call(page)).to_contain_text("Step 7 ·")
        await page.get_by_role("tab", name="Mail").click()
        await page.get_by_role("button", name=re.compile("script")).first.click()
        await page.keyboard.press("b")
        await expect(call(page)).to_contain_text("Step 1 ·")
        await call(page).get_by_role("button", name="mail 1 added").click()
        await expect(page.get_by_role("article")).to_contain_text(HOSTILE)


async def test_search_finds_calls_and_escape_leaves_it(windows: Windows) -> None:
    async with windows.open("#/episode/1-0") as page:
        await settled(page, "11 calls")
        await page.keyboard.press("/")
        await page.keyboard.type("table.xlsx")
        await expect(page.get_by_text("2 of 11 calls")).to_be_visible()
        found = page.get_by_role("listbox", name="Calls").get_by_role("option")
        await expect(found).to_have_count(2)
        await page.keyboard.press("Escape")
        await expect(page.get_by_text("11 calls", exact=True)).to_be_visible()
        await page.get_by_label("Calls of").select_option("files")
        await expect(page.get_by_text("2 of 11 calls")).to_be_visible()


async def test_a_world_full_of_scripts_is_shown_as_text_and_runs_none(windows: Windows) -> None:
    async with windows.open("#/episode/1-0?step=11") as page:
        await settled(page, "11 calls")
        shown = {
            ("mail", "1"): LONG,
            ("calendar", "1"): HOSTILE,
            ("chat", "G1"): LONG,
            ("files", "workspace:/page.html"): LONG.split("\n")[0],
            ("files", "workspace:/drawing.svg"): f"<svg>{SCRIPT}</svg>",
            ("sheets", "workspace:/table.xlsx"): PICTURE,
            ("desk", "T1"): LONG,
        }
        for (app, item), text in shown.items():
            await page.goto(f"{windows.base}#/episode/1-0?step=11&app={app}&item={item}")
            panel = page.get_by_role("tabpanel")
            await expect(panel).to_contain_text(text)
            assert await panel.locator("script, img, iframe, object, embed").count() == 0
        for step in range(1, 12):
            await page.goto(f"{windows.base}#/episode/1-0?step={step}")
            await expect(call(page)).to_contain_text(f"Step {step} ·")
        assert await page.locator("#studio script, #studio img").count() == 0


async def test_a_run_full_of_scripts_is_shown_as_text_and_runs_none(
    windows: Windows, ran: Path, tmp_path: Path
) -> None:
    hostile = make_hostile(ran, tmp_path)
    async with StudioServer(ShownRuns([hostile])) as studio:
        here = Windows(windows._browser, studio)
        async with here.open("#/runs") as page:
            await expect(page.get_by_role("heading", level=1)).to_have_text(hostile.name)
            await expect(page.get_by_role("region", name=hostile.name)).to_contain_text(SCRIPT)
            await page.get_by_label("Family").select_option(label=HOSTILE.replace("_", " "))
            await page.goto(here.base + "#/episode/0-0?step=1")
            await expect(call(page)).to_contain_text(HOSTILE)
            await page.get_by_text("Tasks and checkpoints").click()
            await expect(page.get_by_role("article").last).to_contain_text(HOSTILE)
            await fits(page)
            for place in ("#/compare?a=0-0&b=0-1", "#/live", "#/start", "#/seat"):
                await page.goto(here.base + place)
                await settled(page)
                assert (
                    await page.locator("#studio script, #studio img, #studio iframe").count() == 0
                )


async def test_every_app_is_accessible_and_fits_when_something_is_open_in_it(
    windows: Windows,
) -> None:
    items = {"mail": "1", "calendar": "1", "chat": "1", "desk": "T1", "monitor": "/blog"}
    items |= {"files": "workspace:/page.html", "sheets": "workspace:/table.xlsx"}
    assert items.keys() == APP_VIEWS.keys()
    async with windows.open("#/episode/1-0?step=8") as page:
        await settled(page, "As of")
        for app, item in items.items():
            await page.goto(f"{windows.base}#/episode/1-0?step=8&app={app}&item={item}")
            chosen = page.get_by_role("tab", name=re.compile(f"^{app}", re.IGNORECASE))
            await expect(chosen).to_have_attribute("aria-selected", "true")
            await settled(page, "As of")
            await fits(page, app)
            await keys_suffice(page, app)


async def test_two_episodes_are_compared_side_by_side(windows: Windows) -> None:
    async with windows.open("#/compare") as page:
        await page.get_by_label("Left").select_option("0-0")
        await page.get_by_label("Right").select_option("0-1")
        lines = page.get_by_role("listbox", name="Aligned calls")
        await expect(lines).to_be_visible()
        await page.get_by_role("slider", name="Line").fill("12")
        await expect(lines.get_by_role("option", selected=True)).to_have_id("line-12")
        await page.get_by_role("button", name="Next difference").click()
        left = page.get_by_role("region", name="Left", exact=True)
        await expect(left.get_by_role("tab", selected=True)).to_be_visible()
        await expect(page.get_by_role("group", name="Scores by checkpoint")).to_contain_text(
            "missed"
        )
        await lines.press("ArrowDown")
        await left.get_by_role("link", name="Open alone").click()
        await expect(page.get_by_role("heading", level=1, name="oracle")).to_be_visible()


async def test_an_episode_is_watched_as_it_happens_and_can_be_looked_back_on(
    windows: Windows, tmp_path: Path
) -> None:
    path = tmp_path / "day.world"
    async with await create_world(path, find_scenario()) as world:
        me = await world.read(lambda tx: tx.employee)
        calls = ToolDispatcher(world, me, default_toolboxes().values())
        await calls.call("desk_tasks", {})
        async with StudioServer(ShownRuns([path])) as studio:
            here = Windows(windows._browser, studio)
            async with here.open("#/live") as page:
                tile = page.get_by_role("listitem").filter(has_text="1 step")
                await expect(tile).to_contain_text("desk_tasks")
                await calls.call("desk_write_note", {"text": "written just now"})
                tile = page.get_by_role("listitem").filter(has_text="2 steps")
                await expect(tile).to_contain_text("desk_write_note")
                await tile.get_by_role("link").click()
                await expect(step_of(page)).to_have_value("2")
                await expect(page.get_by_role("tabpanel")).to_contain_text("written just now")
                await calls.call("desk_write_note", {"text": "and this after it"})
                await expect(step_of(page)).to_have_value("3")
                await expect(page.get_by_role("tabpanel")).to_contain_text("and this after it")
                await page.keyboard.press("ArrowLeft")
                await calls.call("desk_now", {})
                await expect(page.get_by_text("4 calls")).to_be_visible()
                await expect(step_of(page)).to_have_value("2")
                await page.get_by_label("Follow live").check()
                await expect(step_of(page)).to_have_value("4")


async def test_an_episode_that_ends_while_it_is_watched_shows_its_result(
    windows: Windows, ran: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(ran, folder)
    finish = unfinished(folder)
    async with StudioServer(ShownRuns([folder])) as studio:
        here = Windows(windows._browser, studio)
        async with here.open("#/episode/0-0") as page:
            await expect(page.get_by_text("live", exact=True)).to_be_visible()
            finish()
            await expect(page.get_by_text("2 of 2 tasks complete")).to_be_visible()


async def test_keys_alone_reach_everything_from_the_list_of_runs_on(windows: Windows) -> None:
    async with windows.open("#/runs") as page:
        await settled(page, "All complete")
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="To the content")).to_be_focused()
        await page.keyboard.press("Enter")
        for _ in range(20):
            await page.keyboard.press("Tab")
            if "oracle, one" in (
                await page.evaluate("document.activeElement.getAttribute('aria-label')") or ""
            ):
                break
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1, name="oracle")).to_be_visible()
        for _ in range(40):
            await page.keyboard.press("Tab")
            if await page.evaluate("document.activeElement.getAttribute('role')") == "tab":
                break
        before = await page.get_by_role("tab", selected=True).inner_text()
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", selected=True)).not_to_have_text(before)
        await expect(page.get_by_role("tab", selected=True)).to_be_focused()
