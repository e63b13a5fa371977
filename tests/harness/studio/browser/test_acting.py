"""A person's actions in the studio, in a browser: start, guide, stop, go on, play colleagues."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.harness.studio.browser.window import choose_first_day, fits, keys_suffice, windows_on
from tests.harness.studio.test_guiding import finished, problems, replayed
from trainee_bench.harness.records.run_folder import RunFolder

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def press_until(page: Any, button: str, end: Any) -> None:
    """Press the button with this name whenever there is one, until *end* is on the page."""
    waiting = page.get_by_role("button", name=button, disabled=False).first
    while not await end.count():
        await waiting.or_(end).first.wait_for()
        with suppress(playwright.TimeoutError):  # the last one is gone
            await waiting.click(timeout=500)


def guidance(page: Any) -> Any:
    return page.get_by_role("region", name="Guidance", exact=True)


async def test_a_live_day_is_guided_with_a_refusal_and_a_hint_and_replays(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        await choose_first_day(page, "begin paused", "I approve risky calls")
        await page.get_by_label("Calls of rule 1").fill("files_write")
        await fits(page)
        await page.get_by_role("button", name="Start", exact=True).click()
        pane = guidance(page)
        await expect(pane).to_contain_text("paused before desk_now")
        await pane.get_by_role("button", name="Step").click()
        await expect(pane).to_contain_text("paused before desk_tasks")
        first = pane.get_by_role("group", name=re.compile("^Hints on ")).first
        await first.get_by_role("button").first.click()
        await expect(first.get_by_role("button").nth(1)).to_be_disabled()
        await pane.get_by_role("button", name="Give this hint").click()
        await expect(first.get_by_role("button", name=re.compile("given$"))).to_have_count(1)
        await pane.get_by_label("Message to the agent").fill("<b>Ask first.</b>")
        await pane.get_by_label("Message to the agent").press("Tab")
        await page.keyboard.press("Enter")
        await expect(pane.get_by_role("list").last).to_contain_text("<b>Ask first.</b>")
        await pane.get_by_role("button", name="Go", exact=True).click()
        asked = pane.get_by_role("article", name="Approval of files_write")
        await expect(asked).to_contain_text("asks for approval")
        await fits(page)
        await keys_suffice(page)
        await page.get_by_role("link", name="Live").click()
        live = page.get_by_role("region", name="Live")
        await expect(live.get_by_role("status")).to_contain_text("1 waits for you")
        tile = live.get_by_role("listitem").filter(has_text="waits for you: approval")
        await expect(tile).to_contain_text("approval of files_write")
        await fits(page)
        await tile.get_by_role("link").click()
        await asked.get_by_label("Reason for a refusal").fill("Ask the owner")
        await asked.get_by_label("Reason for a refusal").press("Enter")
        await expect(pane).to_contain_text("Not approved: Ask the owner.")
        outcome = page.get_by_text(re.compile("tasks complete"))
        await press_until(page, "Approve", outcome)
        await expect(pane).to_have_count(0)
        await page.get_by_text("Guidance by a person").click()
        await page.get_by_role("button", name=re.compile("Refused")).click()
        call = page.get_by_role("region", name="Call", exact=True)
        await expect(call).to_contain_text("Refused from outside: Not approved: Ask the owner.")
        await fits(page)
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.identity is not None
    assert [str(act.kind) for act in result.identity.guided][:3] == ["hint", "message", "refused"]
    assert await replayed(folder) is None
    assert await problems(folder) == ()


async def test_a_run_is_forecast_started_and_stopped_by_keys_alone(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        await choose_first_day(page)
        await page.get_by_label("begin paused").press("Space")
        await page.get_by_text("Scripted models, which").press("Enter")
        await page.get_by_label("scripted-able").press("Space")
        await page.get_by_role("button", name="Forecast the cost").press("Enter")
        await expect(page.get_by_role("table", name="Forecast")).to_contain_text("scripted-able")
        await page.get_by_label("scripted-able").press("Space")
        await page.get_by_role("button", name="Start", exact=True).press("Enter")
        await expect(guidance(page)).to_contain_text("paused before")
        await page.get_by_role("link", name="Start", exact=True).press("Enter")
        await expect(page.get_by_role("complementary")).to_contain_text("0 of 1 episode")
        await expect(page.get_by_role("complementary")).to_contain_text("waits for you, paused")
        await fits(page)
        await page.get_by_role("button", name="Stop quickstart-001").press("Enter")
        await expect(page.get_by_role("complementary")).to_contain_text("stopped")


async def test_the_page_says_what_cannot_be_started(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        await choose_first_day(page)
        await page.get_by_label("oracle", exact=True).uncheck()
        windows.expected = 400
        await page.get_by_role("button", name="Start", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text("Choose an agent.")


async def test_another_agent_continues_from_the_shown_step(ran: Path, tmp_path: Path) -> None:
    shutil.copytree(ran, tmp_path / "a-run")
    async with windows_on(tmp_path) as windows, windows.open("#/episode/0-1?step=1") as page:
        await page.get_by_role("button", name="Go on from here").click()
        dialog = page.get_by_role("dialog", name="Go on from step 1")
        await expect(dialog.get_by_role("combobox")).to_have_value("oracle")
        await fits(page)
        await dialog.get_by_role("button", name="Go on").click()
        await expect(page.get_by_text("continues from step 1 of")).to_be_visible()
        await expect(page.get_by_text(re.compile("2 of 2 tasks complete"))).to_be_visible()
        await fits(page)


async def test_a_week_says_why_nobody_goes_on_from_a_step(worked_week: Path) -> None:
    async with windows_on(worked_week) as windows, windows.open("#/episode/0-0?step=0") as page:
        await page.get_by_role("button", name="Go on from here").press("Enter")
        dialog = page.get_by_role("dialog", name="A week cannot be continued")
        await expect(dialog).to_contain_text("one agent for each day")
        await fits(page)
        await dialog.get_by_role("button", name="Close").press("Enter")
        await expect(dialog).to_have_count(0)


async def test_a_colleague_is_played_and_the_script_answers_the_rest(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        await choose_first_day(page, "I answer for the colleagues")
        await page.get_by_role("button", name="Start", exact=True).click()
        await page.get_by_role("link", name="Answer as a colleague").click()
        question = page.get_by_role("article", name=re.compile("^Question to ")).first
        await page.get_by_text("You play all 50 colleagues").click()
        await page.get_by_label("Only some").check()
        await expect(page.get_by_text(re.compile(r"^You play \d of 50"))).to_be_visible()
        asked = (await question.get_attribute("aria-label") or "").removeprefix("Question to ")
        await expect(page.get_by_role("checkbox", name=asked)).to_be_checked()
        await page.get_by_label("Search colleagues").fill("engineer")
        await page.get_by_role("checkbox").last.press("Space")
        await fits(page)
        await question.get_by_role("radio").nth(1).check()
        await question.get_by_label(re.compile("^Your answer")).fill("Sure, here it is:")
        await fits(page)
        await keys_suffice(page)
        await question.get_by_role("button", name="Answer", exact=True).click()
        over = page.get_by_text("The day is over.")
        await press_until(page, "Let the script answer", over)
        await fits(page)
    folder, result = await finished(next(tmp_path.glob("quickstart-*")))
    assert result.identity is not None and result.identity.npc_brain == "scripted+person"
    assert result.score == 1.0
    assert await replayed(folder) is None


MODELS = {
    "mine": {"model_name": "a-model-8b", "api_key_var": "MY_KEY", "base_url": "http://127.0.0.1:9"},
    "other": {"model_name": "b-model", "api_key_var": "MY_KEY"},
}


async def test_models_are_offered_by_name_and_agents_say_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "api_config.json").write_text(json.dumps(MODELS), encoding="utf-8")
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        models = page.get_by_role("group", name="Your models")
        await expect(models.get_by_role("checkbox")).to_have_count(2)
        await expect(models).to_contain_text("mine a-model-8b, from api_config.json")
        agents = page.get_by_role("group", name="Agents without a model")
        await expect(agents).to_contain_text("in_order Honest agent without a plan")
        await expect(page.get_by_role("group", name="Agents that use a model")).to_have_count(0)
        await page.get_by_text("Cheats", exact=True).first.click()
        await expect(page.get_by_role("group", name="Cheats")).to_contain_text("asks everybody")
        await models.get_by_label("mine").check()
        asking = page.get_by_role("group", name="Agents that use a model")
        await expect(asking).to_contain_text("learner Model agent like openai")
        await page.get_by_text("Scripted models, which").click()
        await fits(page)
        await keys_suffice(page)


async def test_a_forecast_is_shown_for_models_alone(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        forecast = page.get_by_role("button", name="Forecast the cost")
        await forecast.click()
        await expect(page.get_by_text("No chosen agent uses a model")).to_be_visible()
        await expect(page.get_by_role("table", name="Forecast")).to_have_count(0)
        await choose_first_day(page)
        await page.get_by_text("Scripted models, which").click()
        await page.get_by_label("scripted-able").check()
        await expect(page.get_by_text("No chosen agent uses a model")).to_have_count(0)
        await forecast.click()
        table = page.get_by_role("table", name="Forecast")
        await expect(table.locator("tbody").get_by_role("row")).to_have_count(1)
        await expect(table).to_contain_text("$0.00")
        await expect(table).not_to_contain_text("oracle")
        await fits(page)


async def test_a_chosen_model_works_beside_an_agent_without_one(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        await choose_first_day(page)
        await page.get_by_text("Scripted models, which").click()
        await page.get_by_label("scripted-able").check()
        await page.get_by_role("button", name="Start", exact=True).click()
        await expect(page.get_by_role("complementary")).to_contain_text("2 of 2 episodes")
        await expect(page.get_by_role("complementary")).to_contain_text("done")
    (run,) = tmp_path.glob("quickstart-*")
    agents = {result.agent for result in RunFolder.open(run).ledger.read()}
    assert agents == {"oracle", "scripted-able"}
