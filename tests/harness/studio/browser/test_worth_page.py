"""The parts below an episode, in a browser: worth, delivered facts, honest work."""

from __future__ import annotations

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
from trainee_bench.harness.records.provenance_figures import FactOrigin
from trainee_bench.harness.records.run_folder import RunFolder

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PLACES = {
    "stored": "#/episode/0-1?step=20",
    "compared": "#/compare?a=0-0&b=0-1",
}
"""Pages with values; those without are checked with all the other pages."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def worth_windows(valued: Path) -> AsyncIterator[Windows]:
    async with windows_on(valued) as opened:
        yield opened


def copy_without_values(run: Path, copy: Path) -> None:
    """Copy a run without its values: other tests may have opened it in a studio, which stores
    values in it."""
    shutil.copytree(run, copy, ignore=shutil.ignore_patterns("worth"))


def steps_of(page: Any) -> Any:
    return page.get_by_role("region", name="What each step was worth")


def slider(page: Any) -> Any:
    return page.get_by_role("slider", name="Step")


async def test_values_are_accessible_fit_every_width_and_need_no_mouse(
    worth_windows: Windows,
) -> None:
    async def unfolded(page: Any) -> None:
        line = page.get_by_role("img", name=re.compile("still possible"))
        lost = page.get_by_role("region", name="Right: first loss").get_by_role("link")
        await expect(line.or_(lost).first).to_be_visible()
        for summary in await steps_of(page).locator("summary").all():
            await summary.click()

    await each_page_holds(worth_windows, PLACES, unfolded)


async def test_costly_steps_are_told_in_words_and_dots_and_words_lead_there(
    worth_windows: Windows,
) -> None:
    async with worth_windows.open("#/episode/0-1?step=1") as page:
        line = page.get_by_role("img", name="The score that was still possible: 1.00")
        await expect(line).to_be_visible()
        value = page.locator(".worth-label")
        await expect(value).to_contain_text("1.00")
        await expect(steps_of(page).get_by_role("heading", name="Costliest steps")).to_be_visible()
        costliest = steps_of(page).get_by_role("link").first
        await expect(steps_of(page)).to_contain_text("of the score lost on")
        told = await costliest.inner_text()
        await costliest.click()
        await expect(costliest).to_have_attribute("aria-current", "step")
        await expect(value).not_to_contain_text("1.00")
        cost = page.get_by_role("region", name="Call", exact=True)
        await expect(cost).to_contain_text("What it cost")
        reached = await slider(page).input_value()
        assert int(reached) > 1
        await page.keyboard.press("Home")
        await expect(slider(page)).to_have_value("0")
        await page.get_by_title(re.compile(f"^{re.escape(told)}: ")).click()
        await expect(slider(page)).to_have_value(reached)
        await steps_of(page).get_by_text(re.compile(r"^\d+ more$")).press("Enter")
        await expect(steps_of(page)).to_contain_text("harm: ")
        await page.get_by_title(re.compile("harm: ")).last.click()
        await expect(slider(page)).not_to_have_value(reached)


async def test_two_days_name_the_first_step_of_each_that_cost_something(
    worth_windows: Windows,
) -> None:
    async with worth_windows.open("#/compare?a=0-1&b=0-2") as page:
        left = page.get_by_role("region", name="Left: first loss")
        right = page.get_by_role("region", name="Right: first loss")
        await expect(right.get_by_role("button", name="Compute it")).to_be_visible()
        await expect(right).to_contain_text("--episode one.day_1.nothing.1")
        first = left.get_by_role("link")
        step = re.search(r"step=(\d+)", await first.get_attribute("href") or "")
        assert step is not None
        await left.get_by_role("button", name="go to it").click()
        lines = page.get_by_role("listbox", name="Aligned calls")
        await expect(lines.get_by_role("option", selected=True)).to_contain_text(step[1])
        await first.click()
        await expect(page.get_by_role("heading", level=1, name="sprayer")).to_be_visible()
        await expect(slider(page)).to_have_value(step[1])


async def test_values_are_computed_when_an_episode_is_opened_and_the_page_goes_to_the_costliest(
    modelled: Path, tmp_path: Path
) -> None:
    copy_without_values(modelled, tmp_path / "run")
    async with windows_on(tmp_path / "run") as here, here.open("#/episode/0-0") as page:
        progress = steps_of(page).get_by_role("progressbar")
        words = steps_of(page).get_by_role("heading", name="Costliest steps")
        await expect(progress.or_(words)).to_be_visible()
        await expect(words).to_be_visible(timeout=240_000)
        step = await steps_of(page).get_by_role("link").first.get_attribute("href")
        assert step is not None
        await expect(slider(page)).to_have_value(step.rpartition("=")[2])


async def test_a_computation_is_stopped_and_begun_again_by_hand(ran: Path, tmp_path: Path) -> None:
    copy_without_values(ran, tmp_path / "run")
    async with windows_on(tmp_path / "run") as here, here.open("#/episode/0-1?step=5") as page:
        await expect(steps_of(page).get_by_role("progressbar")).to_be_visible()
        await steps_of(page).get_by_role("button", name="Stop").click()
        await expect(steps_of(page)).to_contain_text("has not been computed yet")
        await fits(page, "stopped")
        await page.goto(here.base + "#/runs")
        await page.goto(here.base + "#/episode/0-1?step=5")
        await expect(steps_of(page)).to_contain_text("has not been computed yet")
        await steps_of(page).get_by_role("button", name="Compute it").click()
        await expect(steps_of(page).get_by_role("progressbar")).to_be_visible()
        await fits(page, "computing")
        await expect(steps_of(page)).to_contain_text("Costliest steps", timeout=240_000)
        await expect(slider(page)).to_have_value("5")  # a user who came for a step stays there


async def open_tasks(page: Any, windows: Windows, agent: str) -> str:
    """Go to the episode of *agent* with its tasks unfolded, and return the episode's key."""
    title = page.get_by_role("heading", level=1)
    for key in ("0-0", "0-1", "0-2"):
        await page.goto(f"{windows.base}#/episode/{key}?step=1")
        await page.reload()
        if (await title.inner_text()).startswith(agent):
            await page.get_by_text("Tasks and checkpoints").click()
            return key
    raise LookupError(agent)


async def test_each_fact_leads_to_the_step_that_told_it(ran: Path) -> None:
    (result,) = [result for result in RunFolder.open(ran).ledger.read() if result.agent == "oracle"]
    assert result.provenance is not None
    facts = result.provenance.facts
    assert {fact.origin for fact in facts} == {FactOrigin.SEEN}
    async with windows_on(ran) as windows, windows.open("") as page:
        key = await open_tasks(page, windows, "oracle")
        section = page.get_by_role("group", name="Facts delivered")
        listed = section.get_by_role("listitem")
        await expect(listed).to_have_count(len(facts))
        asked = f"{result.provenance.questions} questions asked"
        await expect(page.get_by_text(asked)).to_be_visible()
        await fits(page)
        await keys_suffice(page)
        first = section.get_by_role("link").first
        await expect(first).to_have_text(f"step {facts[0].told}")
        await first.click()
        await expect(page.get_by_role("slider", name="Step")).to_have_value(str(facts[0].told))
        assert f"episode/{key}?step={facts[0].told}" in page.url


async def test_facts_that_were_never_told_have_no_step(ran: Path) -> None:
    (result,) = [
        result for result in RunFolder.open(ran).ledger.read() if result.agent == "sprayer"
    ]
    assert result.provenance is not None
    origins = {fact.task: fact.origin for fact in result.provenance.facts}
    assert origins["T2"] is FactOrigin.UNSEEN
    async with windows_on(ran) as windows, windows.open("") as page:
        await open_tasks(page, windows, "sprayer")
        section = page.get_by_role("group", name="Facts delivered in T2")
        await expect(section.get_by_role("listitem").first).to_contain_text("never told")
        await expect(section.get_by_role("link")).to_have_count(0)


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
