"""The overview of a run in a browser, flags on steps, documents, and opened folders."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import (
    Windows,
    each_page_holds,
    fits,
    keys_suffice,
    windows_on,
)
from tests.harness.studio.hostile import SCRIPT

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
OVERVIEW, DAY = "#/overview/0", "#/episode/0-1?step=5"


@pytest.fixture(scope="module")
def home(all_valued: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment with one run, to write in."""
    folder = tmp_path_factory.mktemp("home") / "memory-001"
    shutil.copytree(all_valued / "a-run", folder / "a-run")
    (folder / "experiment.json").write_text("{}", encoding="utf-8")
    hostile = (
        "<title>Experiment</title><h1>The experiment</h1><script>document.title='run'</script>"
    )
    (folder / "experiment.html").write_text(hostile, encoding="utf-8")
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(home: Path) -> AsyncIterator[Windows]:
    """Yield windows on a studio of that experiment."""
    async with windows_on(home) as windows:
        yield windows


@pytest.fixture(autouse=True)
def no_flags(home: Path) -> None:
    shutil.rmtree(home / "a-run" / "flags", ignore_errors=True)


async def flag(page: Any, note: str = "") -> None:
    """Flag the shown step."""
    await page.get_by_role("button", name="Flag this step").click()
    await page.get_by_role("textbox", name="Note").fill(note)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("group", name="Flag", exact=True)).to_contain_text(
        note or "Flagged"
    )


async def at_step(page: Any, step: int) -> None:
    await expect(page.get_by_role("slider", name="Step", exact=True)).to_have_value(str(step))
    await expect(page.locator(f"[data-step='{step}']")).to_be_visible()


async def settled(page: Any) -> None:
    await expect(page.get_by_role("heading", level=1)).to_have_text("a-run")
    await expect(page.get_by_role("heading", name="Flags")).to_be_visible()
    await expect(page.get_by_text("Reading the tasks")).to_have_count(0)


async def test_the_overview_is_accessible_fits_every_width_and_needs_no_mouse(
    opened: Windows,
) -> None:
    async with opened.open(DAY) as page:
        await flag(page, "a word" * 60)
    places = {
        "complete": OVERVIEW,
        "score": f"{OVERVIEW}?by=score&agent=sprayer&family=kb_fix",
    }
    await each_page_holds(opened, places, settled)


async def test_a_cell_says_its_share_and_its_count_in_words_and_leads_to_its_tasks(
    opened: Windows,
) -> None:
    async with opened.open(OVERVIEW) as page:
        cells = page.get_by_role("group", name="Families and agents, cells")
        good = cells.get_by_role("link", name="oracle, kb fix: 100 % complete, 1 of 1")
        await expect(good).to_be_visible()
        await cells.get_by_role("link", name=re.compile("^sprayer, kb fix: 0 %")).focus()
        await page.keyboard.press("Enter")
        behind = page.get_by_role("region", name="Behind the cell")
        await expect(behind.get_by_role("heading")).to_have_text("sprayer on kb fix")
        await expect(behind.get_by_role("heading")).to_be_focused()
        row = behind.get_by_role("row").filter(has_text="kb_fix.easy")
        await expect(row).to_contain_text("checkpoint")
        await row.get_by_role("link").click()
        await expect(page).to_have_url(re.compile("#/episode/0-1"))
        await page.go_back()
        await page.get_by_role("link", name="These episodes as a table").click()
        await expect(page.get_by_role("combobox", name="Agent")).to_have_value("sprayer")
        await expect(page.get_by_role("combobox", name="Family")).to_have_value("kb_fix")
        await expect(page.locator(".episode-table tbody tr")).to_have_count(1)


async def test_the_map_shows_shares_or_scores_as_the_address_says(opened: Windows) -> None:
    async with opened.open(OVERVIEW) as page:
        cells = page.get_by_role("group", name="Families and agents, cells")
        await page.get_by_role("radio", name="score").check()
        await expect(page).to_have_url(re.compile(r"by=score"))
        good = cells.get_by_role("link", name="oracle, kb fix: 1.00 score, 1 task")
        await expect(good).to_be_visible()
        await page.reload()
        await expect(good).to_be_visible()
        await page.get_by_role("radio", name="score").press("ArrowLeft")
        await expect(
            cells.get_by_role("link", name=re.compile("^oracle, kb fix: 100 %"))
        ).to_be_visible()


async def test_the_causes_of_lost_points_are_beside_it(opened: Windows) -> None:
    async with opened.open(OVERVIEW) as page:
        table = page.get_by_role("group", name="Points lost, by cause").get_by_role("table")
        await expect(table.get_by_role("row")).to_have_count(4)
        await expect(table.get_by_role("row").filter(has_text="oracle")).to_contain_text("–")
        await expect(page.get_by_text("Mean loss of score per day")).to_be_visible()


async def test_a_step_is_flagged_with_a_note_and_the_flag_is_shown_everywhere(
    opened: Windows,
) -> None:
    async with opened.open(DAY) as page:
        await at_step(page, 5)
        await flag(page, f"{SCRIPT} here\nit begins")
        await expect(page.locator(".flag-marks .flag-sign")).to_have_count(1)
        legend = page.get_by_role("list", name="Legend")
        await expect(legend.get_by_text("flag")).to_be_visible()
        row = page.get_by_role("listbox", name="Calls").get_by_role("option").nth(4)
        await expect(row.get_by_text("flagged")).to_have_count(1)
        await fits(page, "flagged")
        await keys_suffice(page, "flagged")
        await page.reload()
        await expect(page.get_by_role("group", name="Flag", exact=True)).to_contain_text(
            "it begins"
        )
        await page.goto(opened.base + OVERVIEW)
        flags = page.get_by_role("region", name="Flags")
        await expect(flags.get_by_text(SCRIPT)).to_be_visible()
        await flags.get_by_role("link", name=re.compile("sprayer, one · day 1, step 5")).click()
        await at_step(page, 5)


async def test_a_note_is_changed_given_up_and_deleted(opened: Windows) -> None:
    async with opened.open(DAY) as page:
        await flag(page, "first")
        group = page.get_by_role("group", name="Flag", exact=True)
        await group.get_by_role("button", name="Edit note").click()
        await group.get_by_role("textbox").fill("never kept")
        await page.keyboard.press("Escape")
        await expect(group).to_contain_text("first")
        await group.get_by_role("button", name="Edit note").click()
        await group.get_by_role("textbox").fill("second")
        await page.keyboard.press("Control+Enter")
        await expect(group).to_contain_text("second")
        await group.get_by_role("button", name="Delete flag").click()
        await expect(group.get_by_role("button", name="Flag this step")).to_be_visible()
        await expect(page.locator(".flag-sign")).to_have_count(0)
        await page.goto(opened.base + OVERVIEW)
        await expect(page.get_by_role("region", name="Flags")).to_contain_text("None.")


async def test_buttons_and_keys_lead_from_flag_to_flag(opened: Windows) -> None:
    async with opened.open(DAY) as page:
        await at_step(page, 5)
        await expect(page.get_by_role("button", name="Next flag")).to_have_count(0)
        await flag(page)
        await page.goto(opened.base + "#/episode/0-1?step=9")
        await at_step(page, 9)
        await flag(page)
        await page.get_by_role("button", name="Next flag").click()
        await at_step(page, 5)
        await page.keyboard.press("g")
        await at_step(page, 9)
        await page.keyboard.press("Shift+G")
        await at_step(page, 5)


async def test_flags_of_a_longer_attempt_lead_to_no_other_step(opened: Windows, home: Path) -> None:
    (home / "a-run" / "flags").mkdir()
    late = {"tool": "mail_send", "at": "2025-10-01T09:00:00"}
    flags = [{"step": step, **late} for step in (3, 7, 5000)]
    name = home / "a-run" / "flags" / "one.day_1.sprayer.1.json"
    name.write_text(json.dumps(flags), encoding="utf-8")
    async with opened.open(DAY) as page:
        await expect(page.locator(".flag-marks i")).to_have_count(2)
        for step in (7, 3, 7):
            await page.keyboard.press("g")
            await at_step(page, step)


async def test_the_reason_why_a_flag_cannot_be_saved_is_beside_it_and_the_note_stays(
    opened: Windows, home: Path
) -> None:
    async with opened.open(DAY) as page:
        opened.expected = 409
        await at_step(page, 5)
        await page.get_by_role("button", name="Flag this step").click()
        await page.get_by_role("textbox", name="Note").fill("a long thought")
        (home / "a-run" / "flags").write_text("in the way", encoding="utf-8")
        await page.get_by_role("button", name="Save").click()
        group = page.get_by_role("group", name="Flag", exact=True)
        await expect(group.get_by_role("alert")).to_contain_text("Flags cannot be written in")
        await expect(group.get_by_role("textbox")).to_have_value("a long thought")
        (home / "a-run" / "flags").unlink()
        await group.get_by_role("button", name="Save").click()
        await expect(group).to_contain_text("a long thought")


async def test_report_and_experiment_open_in_new_tabs_without_scripts(
    opened: Windows,
) -> None:
    async with opened.open("#/runs/0") as page:
        for place in ("#/runs/0", OVERVIEW):
            await page.goto(opened.base + place)
            async with page.expect_popup() as popup:
                await page.get_by_role("link", name=re.compile("^Report")).click()
            report = await popup.value
            await expect(report.get_by_role("heading", name="Days", exact=True)).to_be_visible()
            command = "trainee-bench studio . --episode one.day_1.sprayer.1"
            await expect(report.get_by_text(command).first).to_be_attached()
            await report.close()
        async with page.expect_popup() as popup:
            await page.get_by_role("link", name=re.compile("^Experiment")).click()
        experiment = await popup.value
        await expect(experiment.get_by_role("heading", name="The experiment")).to_be_visible()
        await expect(experiment).to_have_title("Experiment")  # its script did not run


async def test_a_printed_address_with_a_place_opens_there(opened: Windows) -> None:
    async with opened.open("") as page:
        await page.goto("about:blank")
        await page.goto(f"{opened.studio.address}#/episode/0-1")
        await expect(page).to_have_url(re.compile(rf"^{opened.base}#/episode/0-1"))
        await expect(page.get_by_role("heading", level=1)).to_contain_text("sprayer")


async def test_a_folder_is_opened_and_rescanned_from_the_page(
    opened: Windows, home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "others"
    shutil.copytree(home / "a-run", other / "b-run")
    async with opened.open("#/runs") as page:
        opened.expected = 400
        field = page.get_by_role("textbox", name="Open a folder of runs")
        await field.fill(str(tmp_path / "nowhere"))
        await field.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("There is no folder")
        await fits(page, "refused")
        await field.fill(str(other))
        await page.get_by_role("button", name="Open", exact=True).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("b-run")
        await expect(page.get_by_role("alert")).to_have_count(0)
        await expect(page.get_by_role("group", name="Scores")).to_be_visible()
        shutil.copytree(home / "a-run", other / "c-run")
        await page.get_by_role("button", name="Rescan").click()
        await expect(page.get_by_role("status")).to_have_text("1 new run.")
        await page.get_by_role("link", name=re.compile("^c-run")).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("c-run")
        await page.get_by_role("button", name="Rescan").click()
        await expect(page.get_by_role("status")).to_have_text("No new runs; 3 runs in total.")
