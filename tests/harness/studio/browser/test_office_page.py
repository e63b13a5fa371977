"""The page "Office" in a browser: what an author reads, and where the broken claim leads."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows, each_page_holds, fits, windows_on
from tests.harness.studio.own_office import broken_office, office_run
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.timeout(300),
]
PLACES = {
    "company": "#/office",
    "table": "#/office/harbour?part=drive&app=sheets&item=drive:/finance/expenses_2026-02.csv",
    "broken task": "#/office/harbour?task=travel_expenses",
    "other seed": "#/office/harbour?task=customer_reply&seed=7",
    "badges": "#/overview/0",
}


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An office with a broken certificate, and the folder of a run in it."""
    folder = tmp_path_factory.mktemp("offices")
    before = os.environ.get(VARIABLE, "")
    office = broken_office(folder)
    run = office_run(office, folder)
    os.environ[VARIABLE] = before
    return office, run


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(certified: tuple[Path, Path]) -> AsyncIterator[Windows]:
    office, run = certified
    before = os.environ.get(VARIABLE, "")
    open_office(office)
    async with windows_on(run) as windows:
        yield windows
    os.environ[VARIABLE] = before


async def ready(page: Any) -> None:
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.get_by_role("status").filter(has_text=" …")).to_have_count(0)


async def test_each_part_is_accessible_fits_every_width_and_needs_no_mouse(
    opened: Windows,
) -> None:
    await each_page_holds(opened, PLACES, ready)


async def test_an_author_goes_from_the_broken_claim_to_its_world_and_back(
    opened: Windows,
) -> None:
    async with opened.open("#/runs") as page:
        await page.get_by_role("link", name="Office", exact=True).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Harbour")
        row = page.get_by_role("row").filter(has_text="Nora Weiss").filter(has_text="60 min")
        await expect(row).to_contain_text("Head of Service")
        task = page.get_by_role("row", name=re.compile("^Travel expenses"))
        await expect(task).to_contain_text("broken: live policy")
        await task.get_by_role("link").click()
        await expect(page.get_by_text("policy.meal_limit: the texts say 32")).to_be_visible()
        picture = page.get_by_role("img", name=re.compile("^How the day can be worked"))
        await expect(picture).to_be_visible()
        await page.get_by_role("button", name=re.compile("^Open this world: seed 0")).click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("meal_limit 32 → 16")
        await expect(page.get_by_text(re.compile("^live policy broke: "))).to_be_visible()
        await page.get_by_role("tab", name="Files").click()
        await page.get_by_role("button", name=re.compile("^travel_policy.md")).click()
        await expect(page.get_by_text("A meal is paid up to 16 euros.")).to_be_visible()
        await fits(page, "world")
        await page.get_by_role("link", name="Office Harbour").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(
            "Travel expenses of February"
        )


async def test_a_file_of_a_task_opens_on_the_drive_and_another_one_after_it(
    opened: Windows,
) -> None:
    async with opened.open(PLACES["broken task"]) as page:
        await page.get_by_role("link", name=re.compile("expenses_2026-02.csv$")).click()
        await expect(page.get_by_role("gridcell", name="X-1001")).to_be_visible()
        await page.go_back()
        await page.get_by_role("link", name=re.compile("travel_policy.md$")).click()
        await expect(page.get_by_text("A meal is paid up to 32 euros.")).to_be_visible()


async def test_another_seed_has_another_day(opened: Windows) -> None:
    async with opened.open(PLACES["broken task"]) as page:
        told = page.get_by_text("The currency surcharge this month is")
        before = await told.inner_text()
        await page.get_by_role("spinbutton", name="Day of seed").fill("4")
        await page.get_by_role("button", name="Show", exact=True).click()
        await expect(page.get_by_role("heading", name="Honest work at seed 4")).to_be_visible()
        assert await told.inner_text() != before


async def test_without_an_office_the_page_says_how_to_open_one(
    opened: Windows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "")
    async with opened.open("#/office") as page:
        await expect(page.get_by_text("trainee-bench studio --office FOLDER")).to_be_visible()
        await expect(page.get_by_role("link", name="Office", exact=True)).to_have_count(0)
