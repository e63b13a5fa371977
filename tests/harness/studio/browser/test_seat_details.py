"""The dialogue with a person at a seat: waiting, attending, readings, questions, the end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.harness.studio.browser.office import OfficeHands
from tests.harness.studio.browser.test_seat_page import sit_down
from tests.harness.studio.browser.window import fits, keys_suffice, windows_on

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def no_question(page: Any, hands: OfficeHands, left: int) -> None:
    """Check that the call is made without a question."""
    await expect(page.get_by_text(f"{left} of 150 steps left")).to_be_visible()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert await hands.steps_left() == left


async def test_people_wait_for_news_or_until_a_time_that_is_still_to_come(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await expect(page.get_by_role("tabpanel")).not_to_contain_text("desk_finish_day")
        wait = page.get_by_role("group", name="Wait")
        time, button = wait.get_by_label("Wait until"), wait.get_by_role("button")
        await expect(button).to_have_text("Wait for news ≤ 12 h")
        for typed, why in (
            ("759", "07:59 has passed."),
            ("8:00", "08:00 has passed."),
            ("20:01", "The day ends at 20:00."),
            ("noon", "Write the time like 09:30."),
        ):
            await time.fill(typed)
            await expect(wait).to_contain_text(why)
            await expect(button).to_have_attribute("aria-disabled", "true")
        await fits(page)
        await button.click(force=True)
        assert await hands.steps_left() == 150
        await time.fill("807")
        await expect(button).to_have_text("Wait until 08:07 ≤ 7 min")
        await button.press("Enter")
        await no_question(page, hands, 149)
        await expect(page.get_by_label("Simulated time")).to_contain_text("08:07")
        await expect(time).to_have_value("")
        await button.click()
        question = page.get_by_role("dialog", name="Wait for news?")
        await expect(question).to_contain_text("Time that has passed does not come back.")
        await question.get_by_role("button", name="Wait for news").click()
        answer = page.get_by_role("article", name="Call 2")
        await expect(answer).to_contain_text(re.compile(r"Waited \d+ min"))


async def test_a_meeting_can_be_attended_in_time_and_its_words_keep_their_lines(
    tmp_path: Path,
) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("calendar_list", {})
        await hands.panel.locator(".day-column").get_by_role("button").first.click()
        attend = hands.panel.get_by_role("button", name=re.compile("^Attend"))
        await expect(hands.panel).to_contain_text("Can be attended from 09:25 on.")
        await expect(attend).to_have_count(0)
        await expect(hands.panel.get_by_role("button", name="Wait until 09:25")).to_be_visible()
        await hands.make("desk_wait", {"until": "09:24", "wake": False})
        await expect(attend).to_have_count(0)
        await hands.make("desk_wait", {"until": "09:25", "wake": False})
        await attend.click()
        await page.get_by_role("dialog").get_by_role("button", name="Attend").click()
        meeting = hands.panel.get_by_role("article")
        await expect(meeting).to_contain_text("attended, you came at 09:25, on time")
        announced = await meeting.locator(".bullets li").first.inner_text()
        answer = await page.get_by_role("article", name=re.compile("^Call ")).inner_text()
        assert announced.count("\n  - `") > 3 and announced in answer
        await expect(attend).to_have_count(0)
        await fits(page)
        await hands.make("desk_tasks", {})
        heard = await hands.panel.locator(".bullets li").first.inner_text()
        assert heard == announced


async def test_a_reading_says_when_it_was_made_and_a_card_says_all_that_was_told(
    tmp_path: Path,
) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("chat_list_people", {"query": "Carla Novaro"})
        card = hands.panel.get_by_role("button", name=re.compile("^Carla Novaro"))
        await expect(card).to_contain_text("carla.novaro")
        await expect(card).to_contain_text("at work 08:30-")
        await card.click()
        await expect(hands.panel).to_contain_text("People as of 08:01")
        await hands.make("monitor_list_services", {})
        await hands.make("monitor_check_health", {"server": "web-01"})
        await hands.make("monitor_get_summary", {"window": "1h"})
        await hands.make("desk_wait", {"until": "08:40", "wake": False})
        await hands.make("monitor_check_health", {"server": "web-02"})
        await hands.tab("monitor")
        servers = hands.panel.get_by_role("table", name="Servers")
        await expect(
            servers.get_by_role("row", name=re.compile("^web-01.* 08:03$"))
        ).to_be_visible()
        await expect(
            servers.get_by_role("row", name=re.compile("^web-02.* 08:41$"))
        ).to_be_visible()
        pages = hands.panel.get_by_role("table", name=re.compile("^Pages, last 1h, read 08:04$"))
        await expect(pages).to_be_visible()
        await fits(page)
        await hands.make("files_read", {"path": "drive:/kb/keeping_articles_current.md"})
        await hands.make("desk_wait", {"until": "09:00", "wake": False})
        await hands.tab("files")
        await expect(hands.panel.get_by_text("Read 08:42")).to_be_visible()


async def test_only_calls_that_cannot_be_undone_must_be_confirmed(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        question = page.get_by_role("dialog")
        await hands.tab("files")
        await hands._write({"path": "workspace:/a.md", "text": "one"})
        await no_question(page, hands, 149)
        await hands.unfold("Edit")
        edit = hands.panel.get_by_role("form", name="Edit workspace:/a.md")
        await edit.get_by_role("textbox").fill("two")
        await edit.get_by_role("button").click()
        await no_question(page, hands, 148)
        await hands.unfold("Copy, move, delete")
        await hands.press("Delete")
        await expect(question).to_contain_text("A deleted file cannot be restored.")
        await page.keyboard.press("Escape")
        await hands._write({"path": "drive:/kb/keeping_articles_current.md", "text": "mine"})
        await expect(question).to_contain_text("You have not listed that folder")
        await expect(question.get_by_role("button", name="Back")).to_be_focused()
        await fits(page)
        await page.keyboard.press("Enter")
        await hands.make("files_read", {"path": "drive:/kb/keeping_articles_current.md"})
        await hands._write({"path": "drive:/kb/keeping_articles_current.md", "text": "mine"})
        await expect(question).to_contain_text("It replaces a file on the drive")
        await page.keyboard.press("Enter")
        await hands.tab("monitor")
        await hands.make("monitor_list_services", {})
        await hands._server({"server": "web-01"})
        left = await hands.steps_left()
        await hands.press("Start maintenance")
        await expect(question).to_contain_text("counts as a wrong attempt")
        await page.keyboard.press("Escape")
        await hands._maintenance({"server": "web-01", "code": "ABCD-1234"})
        await no_question(page, hands, left - 1)


async def test_a_text_that_was_read_is_written_elsewhere_with_changes_by_one_call(
    tmp_path: Path,
) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("desk_tasks", {})
        await hands.tab("files")
        paths = page.locator("#known-paths option")
        article = "drive:/kb/articles/onboarding_guide.md"
        assert article in [await option.get_attribute("value") for option in await paths.all()]
        await hands.make("files_read", {"path": article})
        await hands.unfold("Write a changed copy")
        form = hands.panel.get_by_role("form", name=f"Changed copy of {article}")
        await expect(form.get_by_label("Path")).to_have_value("workspace:/onboarding_guide.md")
        text = form.get_by_label("Its whole text")
        await text.fill((await text.input_value()).replace("new colleague", "newcomer"))
        await fits(page)
        await form.get_by_role("button").click()
        await no_question(page, hands, 147)
        copy = hands.panel.get_by_role("article")
        await expect(copy).to_contain_text("workspace:/onboarding_guide.md")
        await expect(copy).to_contain_text("The first four weeks of a newcomer")


async def test_a_person_who_reloads_the_page_finds_the_last_app_and_the_news(
    tmp_path: Path,
) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("desk_tasks", {})
        await hands.make("calendar_list", {})
        await hands.make("chat_list_people", {"query": "Carla"})
        tabs = page.get_by_role("tablist", name="Office")
        marks = await tabs.inner_text()
        await page.reload()
        await expect(page.get_by_role("tab", name="Chat")).to_have_attribute(
            "aria-selected", "true"
        )
        assert await tabs.inner_text() == marks and "new" not in marks
        news = page.get_by_role("region", name="News")
        await expect(news.get_by_role("listitem")).to_have_count(0)
        await news.get_by_text("4 earlier").click()
        await expect(news.get_by_role("listitem")).to_have_count(4)


async def test_the_last_page_shows_checkpoints_and_how_agents_did_on_the_day(
    tmp_path: Path,
) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("desk_tasks", {})
        await page.get_by_role("button", name="Finish the day").click()
        question = page.get_by_role("dialog", name="Finish the day?")
        await expect(question).to_contain_text("Not handed in: T1, T2, T3.")
        await question.get_by_role("button", name="Finish the day").click()
        await page.get_by_role("button", name="Show my score").click()
        result = page.get_by_role("region", name="Result")
        await expect(result).to_contain_text("0 of 3 tasks complete. Your score: 0.00")
        first = result.get_by_role("article").first
        await expect(first).to_contain_text(re.compile("^T1 · kb fix"))
        await expect(first.get_by_role("listitem").first).to_contain_text("missed: ")
        await expect(result).to_contain_text("No run in this studio has this day.")
        await result.get_by_role("button", name="Let oracle, in_order and sprayer work it").click()
        table = result.get_by_role("table")
        await expect(table.get_by_role("row", name=re.compile("^oracle yes 1.00"))).to_be_visible()
        await expect(
            table.get_by_role("row", name=re.compile("^person .you. no 0.00"))
        ).to_be_visible()
        await expect(result.get_by_role("button", name=re.compile("^Let "))).to_have_count(0)
        await fits(page)
        await keys_suffice(page)
        await result.get_by_role("link", name="Compare with oracle of quickstart-001").click()
        await expect(page.get_by_label("Right")).to_be_visible()


async def test_a_day_that_was_left_counts_as_left_and_leads_back_to_its_seat(
    tmp_path: Path,
) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/seat") as page:
        hands = await sit_down(page)
        await hands.make("desk_tasks", {})
    async with windows_on(tmp_path) as windows, windows.open("#/runs") as page:
        runs = page.get_by_role("navigation", name="Runs")
        await expect(runs).to_contain_text("1 left")
        await expect(runs).not_to_contain_text("running")
        await fits(page)
        await page.get_by_role("link", name=re.compile("go on with it$")).press("Enter")
        await expect(page.get_by_role("button", name=re.compile("^Go on with"))).to_be_visible()
