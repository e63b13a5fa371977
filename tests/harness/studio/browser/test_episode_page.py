"""An episode in a browser: the axis, the missed checkpoints, playing, jumping, searching."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows, fits, keys_suffice, windows_on
from trainee_bench.harness.analysis.report.store_worths import store_worths
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import EpisodeWorth

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

MARKED = 'CSS.highlights.get("found")?.size ?? 0'


@pytest.fixture(scope="module")
def told(modelled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a model, with the worth of its steps."""
    folder = tmp_path_factory.mktemp("told") / "a-run"
    shutil.copytree(modelled, folder)
    list(store_worths(RunFolder.open(folder), None, 1))
    return folder


@pytest.fixture(scope="module")
def worth(told: Path) -> EpisodeWorth:
    folder = RunFolder.open(told)
    (result,) = folder.ledger.read()
    stored = folder.worths.check(result)
    assert stored is not None
    return stored


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(told: Path, hostile_world: Path) -> AsyncIterator[Windows]:
    async with windows_on(told, hostile_world) as opened:
        yield opened


def slider(page: Any) -> Any:
    return page.get_by_role("slider", name="Step")


def missed(page: Any) -> Any:
    return page.get_by_role("region", name="Missed checkpoints")


async def marked(page: Any, wanted: bool) -> None:
    """Wait until words are marked, or none are. The page's policy forbids waiting inside it."""
    for _ in range(200):
        if bool(await page.evaluate(MARKED)) is wanted:
            return
        await page.wait_for_timeout(100)
    raise AssertionError(f"words are marked: {not wanted}")


async def test_an_episode_opens_at_its_costliest_step_with_its_missed_checkpoints(
    windows: Windows, worth: EpisodeWorth
) -> None:
    costliest = max(worth.losses, key=lambda loss: loss.lost)
    async with windows.open("#/episode/0-0") as page:
        await expect(slider(page)).to_have_value(str(costliest.step))
        await expect(missed(page).get_by_role("heading", level=2)).to_have_text(
            re.compile(r"^\d+ missed checkpoint")
        )
        await fits(page, "told")
        await keys_suffice(page, "told")


async def test_a_missed_checkpoint_leads_to_where_it_was_decided_and_to_its_hand_in(
    windows: Windows, worth: EpisodeWorth
) -> None:
    later = (decision for decision in worth.decisions if decision.step != decision.handed_in)
    decided = next(later)
    async with windows.open("#/episode/0-0") as page:
        item = missed(page).get_by_role("listitem").filter(has_text=decided.checkpoint)
        await expect(item).to_contain_text("decided at")
        await item.get_by_role("link", name=decided.did).click()
        await expect(slider(page)).to_have_value(str(decided.step))
        call = page.get_by_role("region", name="Call", exact=True)
        await expect(call).to_contain_text("Decided here")
        await expect(call).to_contain_text(decided.checkpoint)
        await item.get_by_role("link", name="handed in so").click()
        await expect(slider(page)).to_have_value(str(decided.handed_in))


async def test_the_axis_is_the_time_of_day_or_the_calls(windows: Windows) -> None:
    async with windows.open("#/episode/0-0?step=10") as page:
        hours = page.locator(".hours span")
        await expect(hours.first).to_be_visible()
        by_time = await hours.all_inner_texts()
        assert [hour.strip() for hour in by_time[:2]] == ["08:00", "09:00"]
        assert by_time[-1].strip() == "20:00"  # the day goes on after the last call
        cursor = page.locator(".track .cursor")
        before = await cursor.evaluate("cursor => parseFloat(cursor.style.left)")
        await page.get_by_role("radio", name="by call").check()
        after = await cursor.evaluate("cursor => parseFloat(cursor.style.left)")
        assert after > 3 * before  # the tenth of some thirty calls lies in the first hour
        await page.get_by_role("radio", name="by time").check()
        track = await page.locator(".track .ticks").bounding_box()
        evening = track["x"] + track["width"] * 0.99, track["y"] + track["height"] / 2
        await page.mouse.click(*evening)
        last = await slider(page).get_attribute("max")
        await expect(slider(page)).to_have_value(last or "")
        await page.keyboard.press("Home")
        await expect(slider(page)).to_have_value("0")


async def test_the_timeline_has_whole_titles_a_heading_for_deadlines_and_a_legend(
    windows: Windows,
) -> None:
    async with windows.open("#/episode/0-0?step=10", width=1920) as page:
        legend = page.get_by_role("list", name="Legend")
        for words in ("still possible", "cost something", "given to due", "handed in", "Chat"):
            await expect(legend).to_contain_text(words)
        await expect(legend).not_to_contain_text("meeting attended")
        await expect(page.locator(".lane-head")).to_contain_text("Due")
        cut = await page.locator(".lane-label span").evaluate_all(
            "all => all.filter((label) => label.scrollWidth > label.clientWidth).length"
        )
        assert cut == 0


async def test_a_day_is_played_until_somebody_moves(windows: Windows) -> None:
    async with windows.open("#/episode/0-0?step=3") as page:
        await expect(page.get_by_role("region", name="Call", exact=True)).to_contain_text(
            "Step 3 ·"
        )
        speed = page.get_by_role("button", name="Speed")
        await speed.click()
        await speed.click()
        await expect(speed).to_have_accessible_name("Speed: 4 times")
        await page.get_by_role("button", name="Play").click()
        await expect(slider(page)).to_have_value("6")
        await page.keyboard.press("ArrowLeft")
        await expect(page.get_by_role("button", name="Play")).to_be_visible()
        stays = await slider(page).input_value()
        await page.wait_for_timeout(1000)
        await expect(slider(page)).to_have_value(stays)
        await page.keyboard.press("End")
        last = await slider(page).input_value()
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("p")
        await expect(slider(page)).to_have_value(last)
        await expect(page.get_by_role("button", name="Play")).to_be_visible()


async def test_jumps_lead_to_the_next_failed_and_the_next_costly_call_and_back(
    windows: Windows, worth: EpisodeWorth
) -> None:
    costly = [loss.step for loss in worth.losses if loss.step is not None]
    async with windows.open("#/episode/0-0?step=0") as page:
        await page.get_by_role("button", name="Next costly").click()
        await expect(slider(page)).to_have_value(str(costly[0]))
        await page.goto(windows.base + "#/episode/1-0?step=0")
        call = page.get_by_role("region", name="Call", exact=True)
        await page.get_by_role("button", name="Next failed").click()
        await expect(call.locator("p").first).to_contain_text("failed")
        first = await slider(page).input_value()
        await page.keyboard.press("Home")
        await page.keyboard.press("f")
        await expect(slider(page)).to_have_value(first)
        await page.keyboard.press("End")
        await page.keyboard.press("Shift+F")
        await expect(call.locator("p").first).to_contain_text("failed")
        await expect(page.get_by_role("button", name="Next costly")).to_be_disabled()


async def test_a_search_jumps_from_hit_to_hit_and_marks_its_words(windows: Windows) -> None:
    async with windows.open("#/episode/0-0?step=0") as page:
        await expect(page.get_by_role("listbox", name="Calls")).to_be_visible()
        assert await page.evaluate(MARKED) == 0
        await page.keyboard.press("/")
        await page.get_by_role("searchbox").fill(
            "chart"
        )  # at once, so that there is only one request
        await expect(page.get_by_role("searchbox")).to_be_focused()
        hits = page.get_by_role("listbox", name="Calls").get_by_role("option")
        await expect(page.get_by_role("button", name="Next call found")).to_be_visible()
        numbers = [await hit.locator(".number").inner_text() for hit in await hits.all()]
        assert len(numbers) > 1
        await page.keyboard.press("Enter")
        await expect(slider(page)).to_have_value(numbers[0])
        await marked(page, True)
        await page.keyboard.press("Enter")
        await expect(slider(page)).to_have_value(numbers[1])
        await page.keyboard.press("Shift+Enter")
        await expect(slider(page)).to_have_value(numbers[0])
        await page.get_by_role("button", name="Next call found").click()
        await expect(slider(page)).to_have_value(numbers[1])
        await page.keyboard.press("Shift+N")
        await expect(slider(page)).to_have_value(numbers[0])
        await page.keyboard.press("/")
        await page.keyboard.press("Escape")
        await marked(page, False)


async def test_an_address_that_changed_before_the_page_heard_of_it_is_not_written_over(
    windows: Windows,
) -> None:
    """The page records a step in the address after a pause, in which the user may follow a link."""
    async with windows.open("#/episode/0-0?step=3") as page:
        await expect(slider(page)).to_have_value("3")
        await page.wait_for_timeout(400)
        await page.keyboard.press("ArrowRight")
        await expect(slider(page)).to_have_value("4")
        await page.wait_for_url(re.compile("step=4"))
        kept = await page.evaluate(
            """async () => {
              const key = new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true });
              document.body.dispatchEvent(key);
              await new Promise((done) => setTimeout(done, 60));
              history.pushState(null, "", "#/episode/0-0?step=9");  // tells nobody yet
              await new Promise((done) => setTimeout(done, 400));
              return location.hash;
            }"""
        )
        assert kept == "#/episode/0-0?step=9"
        await page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        await expect(slider(page)).to_have_value("9")
