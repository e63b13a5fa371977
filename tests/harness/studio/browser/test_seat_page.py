"""A person at work in a browser: a whole day by clicks, by keys alone, and what the page holds."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.office import OfficeHands
from tests.harness.studio.browser.window import Windows, fits, keys_suffice, violations, windows_on
from tests.harness.studio.hostile import LONG, SCRIPT
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.batch.verified_run import verify_lines
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.world.action_log import LogEntry

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

DAY = "a_slow_morning"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for people's runs."""
    return tmp_path_factory.mktemp("seats")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(home: Path) -> AsyncIterator[Windows]:
    """Yield windows of a browser on a studio without a run."""
    async with windows_on(home) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def oracle_log() -> Sequence[LogEntry]:
    """Return the oracle's actions on the day."""
    done = await run_in_process("oracle", compose_day(find_scenario(DAY), 0))
    assert done.grade.score == 1.0
    return [entry for entry in done.log if entry.actor]


async def sit_down(page: Any, day: str = "first_day") -> OfficeHands:
    """Take the seat on a *day* of the quickstart."""
    await page.get_by_role("button", name=re.compile(f"^{day}")).click()
    await expect(page.get_by_role("button", name="List tasks")).to_be_visible()
    return OfficeHands(page)


async def test_a_whole_day_worked_by_clicks_scores_full_and_replays_bit_by_bit(
    office: Windows, oracle_log: Sequence[LogEntry], home: Path
) -> None:
    async with office.open("#/seat") as page:
        hands = await sit_down(page, DAY)
        for entry in oracle_log:
            await hands.make(entry.tool, entry.arguments)
        assert await page.get_by_text("score", exact=False).count() == 0
        await page.get_by_role("button", name="Finish the day").click()
        await page.get_by_role("dialog").get_by_role("button", name="Finish the day").click()
        await page.get_by_label("Which aids").fill("the oracle's log")
        assert await violations(page) == []
        await page.get_by_role("button", name="Show my score").click()
        await expect(page.get_by_role("region", name="Result")).to_contain_text("Your score: 1.00")
        await page.get_by_role("link", name="See the day step by step").click()
        await expect(page.get_by_role("heading", level=1, name="person")).to_be_visible()
        await expect(page.get_by_text("2 of 2 tasks complete")).to_be_visible()
    folder = RunFolder.open(home / "quickstart-person-001")
    days = [day async for day in verify_lines(folder, folder.plan())]
    assert [(day.actions, day.problems) for day in days] == [(len(oracle_log) + 1, ())]


async def test_a_table_is_typed_pasted_and_written_by_one_call_and_mail_is_sent(
    office: Windows,
) -> None:
    async with office.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.tab("sheets")
        await hands.unfold("New table")
        await hands.press("Make")
        await page.get_by_role("gridcell").first.click()
        await page.keyboard.type("Name")
        await page.keyboard.press("Enter")
        await page.keyboard.type("=2*21")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("group", name="Pending cells")).to_contain_text("2 cells")
        assert await hands.steps_left() == 149
        await hands.press("Write 2 cells")
        await expect(page.get_by_role("group", name="Pending cells")).not_to_contain_text("2 cells")
        await hands.press("Read again")
        await expect(page.get_by_role("grid")).to_contain_text("42")
        assert await hands.steps_left() == 147
        assert await violations(page) == []
        await hands.tab("mail")
        await hands.unfold("New mail")
        form = page.get_by_role("form", name="Send")
        await form.get_by_label("to", exact=False).first.fill("robin.hale")
        await form.get_by_label("subject").fill("To myself")
        await form.get_by_label("body").fill(LONG)
        await expect(form.get_by_role("button")).to_contain_text("5 min")
        await form.get_by_role("button").click()
        await hands.press("List inbox")
        await page.get_by_role("button", name=re.compile("To myself")).first.click()
        await expect(page.get_by_role("article").first).to_contain_text(SCRIPT)
        assert await page.locator("#studio script, #studio img").count() == 0


async def test_the_page_shows_costs_asks_for_confirmation_and_keeps_what_was_shown(
    office: Windows,
) -> None:
    async with office.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("desk_tasks", {})
        news = page.get_by_role("region", name="News")
        await expect(news).to_contain_text("New task T1")
        wait = page.get_by_role("group", name="Wait")
        await wait.get_by_label("Wait until").fill("10:01")
        await expect(wait.get_by_role("button")).to_contain_text("≤ 2 h")
        await wait.get_by_role("button").click()
        question = page.get_by_role("dialog")
        await expect(question).to_contain_text("It takes ≤ 2 h")
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        await expect(question).to_be_hidden()
        assert await hands.steps_left() == 149
        await page.reload()
        await expect(page.get_by_role("heading", name=re.compile("^T1 · "))).to_be_visible()
        await hands.tab("files")
        await hands.make("files_read", {"path": "drive:/nothing.md"})
        await expect(page.get_by_role("article", name="Call 2")).to_contain_text("no file")


async def test_a_day_that_a_person_works_is_named_and_leads_nowhere(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        await sit_down(page)
        await page.goto(windows.base + "#/runs")
        scores = page.get_by_role("group", name="Scores")
        await expect(scores.get_by_title(re.compile("a person is working it"))).to_be_visible()
        await expect(scores.get_by_role("link")).to_have_count(0)
        await fits(page)
        await page.goto(windows.base + "#/compare")
        left = page.get_by_label("Left").locator("option")
        await expect(left).to_have_text(["choose an episode"])


async def test_a_person_continues_from_a_step_leaves_and_comes_back(
    ran: Path, tmp_path: Path
) -> None:
    shutil.copytree(ran, tmp_path / "a-run")
    async with windows_on(tmp_path) as windows, windows.open("#/episode/0-0?step=7") as page:
        await page.get_by_role("button", name="Go on from here").press("Enter")
        dialog = page.get_by_role("dialog", name="Go on from step 7")
        await dialog.get_by_label("I take the seat").press("Space")
        await dialog.get_by_label("Your id").fill("anna")
        assert await violations(page) == []
        await dialog.get_by_role("button", name="Go on").press("Enter")
        hands = OfficeHands(page)
        await expect(page.get_by_text("continues from step 7", exact=False)).to_be_visible()
        await expect(page.get_by_label("Simulated time")).to_contain_text("08:11")
        before = page.get_by_role("region", name="Before you")
        await before.get_by_text("7 answers before you").click()
        await before.get_by_text("08:01 desk_tasks").click()
        await expect(page.get_by_role("article", name="Earlier call 2")).to_contain_text("T1")
        await expect(page.get_by_role("heading", name=re.compile("^T1 · "))).to_be_visible()
        await hands.make("files_read", {"path": "drive:/nothing.md"})
        await fits(page)
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        left = page.get_by_role("button", name=re.compile("^Go on with one"))
        await expect(left).to_contain_text("person-anna · 08:12 · 1 call")
        assert await violations(page) == []
        await left.press("Enter")
        await expect(page.get_by_role("article", name="Call 1", exact=True)).to_contain_text(
            "no file"
        )
        await expect(page.get_by_label("Simulated time")).to_contain_text("08:12")
        assert await OfficeHands(page).steps_left() == 149


async def test_every_app_is_accessible_and_fits_every_width(office: Windows) -> None:
    async with office.open("#/seat") as page:
        await expect(page.get_by_role("heading", name="Choose a day")).to_be_visible()
        hands = await sit_down(page, "minutes_and_links")
        for app in ("desk", "mail", "calendar", "chat", "files", "sheets", "monitor"):
            await hands.tab(app)
            await fits(page, app)
            await keys_suffice(page, app)


async def test_keys_alone_take_a_seat_and_make_calls(office: Windows) -> None:
    async with office.open("#/seat") as page:
        await expect(page.get_by_role("heading", name="Choose a day")).to_be_visible()
        await reach(page, "document.activeElement.matches('button.day-choice')")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="List tasks")).to_be_visible()
        await reach(page, "document.activeElement.innerText.startsWith('List tasks')")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name=re.compile("^T1 · "))).to_be_visible()
        await expect(page.get_by_role("button", name="List tasks")).to_be_focused()
        await page.keyboard.press("Shift+Tab")
        await reach(page, "document.activeElement.role === 'tab'", "Shift+Tab")
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", name="Monitor")).to_be_focused()
        await reach(page, "document.activeElement.innerText.startsWith('Alerts')")
        await page.keyboard.press("Space")
        await expect(page.get_by_role("article", name="Call 2")).to_contain_text("monitor_list")
        await reach(page, "document.activeElement.innerText.startsWith('Finish')", "Shift+Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog")).to_be_visible()
        await expect(page.get_by_role("button", name="Back")).to_be_focused()
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="The day is over")).to_be_visible()


async def reach(page: Any, here: str, key: str = "Tab") -> None:
    """Press *key* until the wanted element has the focus."""
    for _ in range(60):
        if await page.evaluate(here):
            return
        await page.keyboard.press(key)
    raise AssertionError(f"{key} never leads to where {here}")
