"""A page to send, in a browser without a network: each app of each step, as the studio shows it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import pytest_asyncio

from tests.harness.runs import call
from tests.harness.studio.browser.window import Windows, fits, keys_suffice, windows_on
from tests.harness.studio.hostile import PICTURE, SCRIPT
from trainee_bench.harness.studio.views import APP_VIEWS
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.composition import create_world
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

OPENED = ".panel button:not(.label):not(.origin):not([disabled])"
"""The controls that open an item of an app."""


def export(run: Path, page: Path, *options: str) -> Path:
    call("studio", "export", run, page, *options)
    return page


@pytest.fixture(scope="module")
def sent(all_valued: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of all days of the run."""
    return export(all_valued / "a-run", tmp_path_factory.mktemp("sent") / "days.html")


@pytest.fixture(scope="module")
def hostile(hostile_world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the hostile world."""
    return export(hostile_world, tmp_path_factory.mktemp("hostile") / "day.html")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(all_valued: Path, hostile_world: Path) -> AsyncIterator[Windows]:
    async with windows_on(all_valued / "a-run", hostile_world) as opened:
        yield opened


def slider(page: Any) -> Any:
    return page.get_by_role("slider", name="Step")


async def shown(page: Any) -> str:
    """Return the content of the shown app, once it is there."""
    await expect(page.locator(".panel[aria-busy=false] .app")).to_be_visible()
    await expect(page.get_by_text("As of ")).to_be_visible()
    text: str = await page.locator(".panel").text_content()  # also text out of sight
    return text


async def everything(page: Any, step: int) -> dict[tuple[str, int], str]:
    """Return what each app shows after *step*, with its first items opened."""
    texts = {}
    await slider(page).fill(str(step))
    for name in APP_VIEWS:
        await page.get_by_role("tab", name=name.title()).click()
        texts[name, -1] = await shown(page)
        for n in range(min(4, await page.locator(OPENED).count())):
            await page.locator(OPENED).nth(n).click()
            texts[name, n] = await shown(page)
    return texts


@pytest.mark.parametrize(
    "looked_at",
    [
        {"0-0": (0, 22), "0-1": (141,)},
        pytest.param({"0-0": (3, 9, 15), "0-1": (0, 1, 60)}, marks=pytest.mark.sweep),
    ],
    ids=["few steps", "more steps"],
)
async def test_without_a_network_every_app_of_any_step_shows_what_the_studio_shows(
    windows: Windows, sent: Path, looked_at: dict[str, tuple[int, ...]]
) -> None:
    for place, steps in looked_at.items():
        at = f"#/episode/{place}?step=1"
        async with windows.open_file(sent, at) as page, windows.open(at) as studio:
            for step in steps:
                assert await everything(page, step) == await everything(studio, step), step


async def test_hostile_text_stays_text_in_every_app(windows: Windows, hostile: Path) -> None:
    async with windows.open_file(hostile) as page, windows.open("#/episode/1-0") as studio:
        await expect(page.get_by_text("not graded")).to_be_visible()
        last = int(await slider(page).get_attribute("max") or 0)
        for step in (6, last):
            seen = await everything(page, step)
            assert seen == await everything(studio, step), step
        assert SCRIPT in str(seen) and PICTURE in str(seen)
        await fits(page, "hostile")


async def test_the_list_leads_to_a_day_which_opens_at_its_costliest_step_with_its_call(
    windows: Windows, sent: Path
) -> None:
    async with windows.open_file(sent) as page:
        await fits(page, "list")
        await keys_suffice(page, "list")
        await page.get_by_role("link", name="sprayer").click()
        call = page.get_by_role("region", name="Call", exact=True)
        await expect(call).to_contain_text("What it cost")
        await fits(page, "day")
        await keys_suffice(page, "day")
        for name in ("Go on from here", "Compare", "Conversation", "Compute it"):
            await expect(page.get_by_text(name)).to_have_count(0)
        before = int(await slider(page).input_value())
        await page.keyboard.press("ArrowRight")
        await expect(slider(page)).to_have_value(str(before + 1))
        await expect(call).to_contain_text(f"Step {before + 1} ·")
        await page.get_by_role("link", name="Days").click()
        await expect(page.get_by_role("heading", name="Days of a-run")).to_be_visible()


async def test_search_and_the_button_what_changed_this_answer_as_the_studio_does(
    windows: Windows, sent: Path
) -> None:
    found = []
    for opened in (windows.open_file(sent, "#/episode/0-0"), windows.open("#/episode/0-0")):
        async with opened as page:
            await page.get_by_role("searchbox").fill("chart id")
            status = page.get_by_role("region", name="Calls", exact=True).get_by_role("status")
            await expect(status).to_contain_text(" of ")
            told = await status.inner_text()
            await page.keyboard.press("Escape")
            last = str(await slider(page).get_attribute("max"))
            await slider(page).fill(last)
            call = page.get_by_role("region", name="Call", exact=True)
            await expect(call).to_contain_text(f"Step {last} ·")
            await expect(page.locator(".panel[aria-busy=true]")).to_have_count(0)
            await page.get_by_role("tab", name="Files").click()
            name = "privacy_brief_fixed.md"
            await page.locator(".panel").get_by_role("button", name=name).click()
            await page.get_by_role("button", name="What changed this").first.click()
            await expect(slider(page)).not_to_have_value(last)
            found.append((told, await slider(page).input_value()))
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a day with a picture, on which somebody wrote a long text that is a table."""
    folder = tmp_path_factory.mktemp("pictured")
    anyio.run(_work_pictured, folder / "day.world")
    return export(folder / "day.world", folder / "day.html")


async def _work_pictured(path: Path) -> None:
    spec = DaySpec(tasks=(TaskSpec(rule="event_planning.A1"),))
    async with await create_world(path, Scenario(name="one", seed=1, days=(spec,))) as world:
        me = await world.read(lambda tx: tx.employee)
        calls = ToolDispatcher(world, me, default_toolboxes().values())
        rows = "\n".join(f"{number},{number * 2}" for number in range(1, 601))
        done = await calls.call("files_write", {"path": "workspace:/long.csv", "text": rows})
        assert done.error is None


async def test_pictures_and_later_parts_of_long_files_are_in_the_page(
    windows: Windows, pictured: Path
) -> None:
    at = "#/episode/0-0?step=1&app="
    async with windows.open_file(pictured, f"{at}files&item=workspace:/long.csv") as page:
        panel = page.get_by_role("tabpanel")
        await page.get_by_role("button", name="Later lines").click()
        await expect(panel).to_contain_text("251,502")
        await page.get_by_role("button", name="Earlier lines").click()
        await expect(panel).to_contain_text("lines 1 to 250 of 600")
        await panel.get_by_role("button", name=re.compile(r"\.png\b")).first.click()
        picture = panel.get_by_role("img")
        await expect(picture).to_be_visible()
        assert await picture.evaluate(
            "picture => picture.decode().then(() => picture.naturalWidth)"
        )
    async with windows.open_file(pictured, f"{at}sheets&item=workspace:/long.csv") as page:
        for _ in range(2):
            await page.get_by_role("button", name="Rows below").click()
        await expect(page.get_by_role("grid")).to_contain_text("101")
        await expect(page.get_by_role("tabpanel")).to_contain_text("rows 101 to 150 of 600")
