"""The page that starts runs: models by name, what each agent is, what it will cost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.studio.browser.window import choose_first_day, fits, keys_suffice, windows_on
from trainee_bench.harness.records.run_folder import RunFolder

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
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
        await expect(models).to_contain_text("mine a-model-8b, of api_config.json")
        agents = page.get_by_role("group", name="Agents without a model")
        await expect(agents).to_contain_text("in_order Works honestly without a plan")
        await expect(page.get_by_role("group", name="Agents that ask a model")).to_have_count(0)
        await page.get_by_text("Cheats", exact=True).first.click()
        await expect(page.get_by_role("group", name="Cheats")).to_contain_text("Asks everybody")
        await models.get_by_label("mine").check()
        asking = page.get_by_role("group", name="Agents that ask a model")
        await expect(asking).to_contain_text("learner Asks a model as openai does")
        await page.get_by_text("Scripted models, which").click()
        await fits(page)
        await keys_suffice(page)


async def test_a_forecast_is_shown_for_models_alone(tmp_path: Path) -> None:
    async with windows_on(tmp_path) as windows, windows.open("#/start") as page:
        forecast = page.get_by_role("button", name="Forecast the cost")
        await forecast.click()
        await expect(page.get_by_text("No chosen agent asks a model")).to_be_visible()
        await expect(page.get_by_role("table", name="Forecast")).to_have_count(0)
        await choose_first_day(page)
        await page.get_by_text("Scripted models, which").click()
        await page.get_by_label("scripted-able").check()
        await expect(page.get_by_text("No chosen agent asks a model")).to_have_count(0)
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
