"""The facts that a task was delivered with, in the page of an episode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.harness.studio.browser.window import Windows, fits, keys_suffice, windows_on
from trainee_bench.harness.records.provenance_figures import FactOrigin
from trainee_bench.harness.records.run_folder import RunFolder

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio]


async def open_tasks(page: Any, windows: Windows, agent: str) -> str:
    """Go to the episode of *agent*, with its tasks unfolded; the episode's key."""
    title = page.get_by_role("heading", level=1)
    for key in ("0-0", "0-1", "0-2"):
        await page.goto(f"{windows.base}#/episode/{key}?step=1")
        await page.reload()
        if (await title.inner_text()).startswith(agent):
            await page.get_by_text("Tasks and checkpoints").click()
            return key
    raise LookupError(agent)


async def test_each_fact_leads_to_the_step_that_told_it(ran: Path) -> None:
    (result,) = [one for one in RunFolder.open(ran).ledger.read() if one.agent == "oracle"]
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
    (result,) = [one for one in RunFolder.open(ran).ledger.read() if one.agent == "sprayer"]
    assert result.provenance is not None
    origins = {fact.task: fact.origin for fact in result.provenance.facts}
    assert origins["T2"] is FactOrigin.UNSEEN
    async with windows_on(ran) as windows, windows.open("") as page:
        await open_tasks(page, windows, "sprayer")
        section = page.get_by_role("group", name="Facts delivered in T2")
        await expect(section.get_by_role("listitem").first).to_contain_text("never told")
        await expect(section.get_by_role("link")).to_have_count(0)
