"""A seat in an own office: a reply with copies, where the office offers them."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.harness.studio.browser.test_seat_page import sit_down
from tests.harness.studio.browser.window import windows_on
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio]

SCENARIO = {
    "name": "a_reply",
    "office": "nordlicht",
    "days": [{"tasks": [{"rule": "nordlicht.customer_reply"}]}],
}


async def test_a_reply_has_a_field_for_copies_and_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    shutil.copytree(template_folder(), tmp_path / "nordlicht")
    open_office(tmp_path / "nordlicht")
    benchmark = tmp_path / "mine.json"
    benchmark.write_text(json.dumps({"name": "mine", "scenarios": [SCENARIO]}))
    (tmp_path / "runs").mkdir()
    async with (
        windows_on(tmp_path / "runs", own=[benchmark]) as windows,
        windows.open("#/seat") as page,
    ):
        hands = await sit_down(page, "a_reply")
        await hands.tab("mail")
        await hands.press("List inbox")
        await page.get_by_role("button", name=re.compile("Repair of our sextant")).first.click()
        await hands.press("Read mail")
        await hands.unfold("Reply")
        form = page.get_by_role("form", name="Send reply")
        await form.get_by_label("cc").fill("Nora Weiss")
        await form.get_by_label("Your words").fill("It is in work.")
        await form.get_by_role("button").click()
        await hands.press("Sent")
        await page.get_by_role("button", name=re.compile("Re: Repair")).first.click()
        await expect(page.get_by_role("article").first).to_contain_text("nora.weiss")
