"""Screenshots of the studio, with their figures beside them as JSON.

Each screenshot waits until the page shows these figures, so that picture and figures agree.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright, expect

from docs.pictures.drawings import Figures, as_json, made_of
from docs.pictures.shown_day import ShownDay
from trainee_bench.harness.documents.formatting import format_number
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.studio.application import StudioServer
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.worth.loss_words import costliest_losses
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

WIDTH, HEIGHT = 1440, 900
_HANGS = 60_000
PRACTICE_DAY, PRACTICE = "first_day", "quickstart"
ASKED_FOR = "chat_send_message"
READ = "drive:/handbook/intern_handbook.md"
SEAT_CALLS = 3


@dataclass(frozen=True)
class Screen:
    """A page, the actions on it, and the figures that it then shows."""

    name: str
    place: str
    work: Callable[[Any], Awaitable[None]]
    figures: Figures


def screens(shown: ShownDay) -> tuple[Screen, ...]:
    """All screenshots of docs/studio.md."""
    day = made_of(shown)
    (costly,) = costliest_losses(shown.worth, 1)
    assert costly.step is not None
    step, meeting = costly.step, costly.step + 1
    value, score = shown.worth.points[step].value, shown.result.score
    practice: Figures = {
        "benchmark": PRACTICE,
        "scenario": PRACTICE_DAY,
        "generator_version": GENERATOR_VERSION,
        "score_version": SCORE_VERSION,
    }
    return (
        Screen(
            "studio",
            f"#/episode/0-0?step={meeting}&app=calendar",
            _opened(format_number(score), f"{meeting} of {shown.result.tool_calls}"),
            day | {"step": meeting, "calls": shown.result.tool_calls, "score": score},
        ),
        Screen(
            "studio_worth",
            f"#/episode/0-0?step={step}",
            _opened(format_number(value), f"{step} of {shown.result.tool_calls}"),
            day | {"step": step, "value": value, "lost": round(costly.lost, 4)},
        ),
        Screen("studio_guide", "#/start", _guided, practice | {"waits_for": ASKED_FOR}),
        Screen(
            "seat",
            "#/seat",
            _seated,
            practice | {"calls": SEAT_CALLS, "steps": EpisodeLimits().steps},
        ),
    )


async def take_screenshots(shown: ShownDay, images: Path) -> None:
    """Write all screenshots and their figures into *images*."""
    with tempfile.TemporaryDirectory() as home:
        for screen in screens(shown):
            runs = (shown.run,) if "episode" in screen.place else (Path(home),)
            async with _window(runs) as (page, base):
                await page.goto(base + screen.place)
                await screen.work(page)
                await expect(page.locator("body")).not_to_contain_text("Loading")
                await page.mouse.move(0, 0)
                await page.screenshot(path=images / f"{screen.name}.png", animations="disabled")
            (images / f"{screen.name}.json").write_text(as_json(screen.figures), encoding="utf-8")


@asynccontextmanager
async def _window(runs: tuple[Path, ...]) -> AsyncIterator[tuple[Any, str]]:
    """A window that has entered a studio of *runs*, and its address."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    async with StudioServer(ShownRuns(runs)) as studio, async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=chromium)
        context = await browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
        )
        page = await context.new_page()
        page.set_default_timeout(_HANGS)
        expect.set_options(timeout=_HANGS)
        await page.goto(studio.address)
        yield page, f"http://127.0.0.1:{studio.key.port}/"
        await browser.close()


def _opened(*told: str) -> Callable[[Any], Awaitable[None]]:
    """Wait until an episode with its values is there and the page says what is *told*."""

    async def wait(page: Any) -> None:
        await expect(page.get_by_role("img", name=re.compile("still possible"))).to_be_visible()
        for text in told:
            await expect(page.locator("body")).to_contain_text(text)
        await expect(page.get_by_role("region", name="Call", exact=True)).to_be_visible()
        await page.wait_for_load_state("networkidle")

    return wait


async def _guided(page: Any) -> None:
    """Start a day, and wait for a call that waits for approval."""
    scenario = page.get_by_role("combobox", name=re.compile("^Scenario"))
    await scenario.select_option(PRACTICE_DAY)
    for tick in ("begin paused", "I approve risky calls"):
        await page.get_by_label(tick).check()
    await page.get_by_label("Calls of rule 1").fill(ASKED_FOR)
    await page.get_by_role("button", name="Start", exact=True).click()
    pane = page.get_by_role("region", name="Guidance", exact=True)
    await expect(pane).to_contain_text("paused before")
    await pane.get_by_role("button", name="Go", exact=True).click()
    await expect(pane.get_by_role("article", name=f"Approval of {ASKED_FOR}")).to_be_visible()


async def _seated(page: Any) -> None:
    """Take the seat, look at the tasks, list the drive and read a file."""
    await page.get_by_role("button", name=re.compile(f"^{PRACTICE_DAY}")).click()
    panel = page.get_by_role("tabpanel")
    await page.get_by_role("button", name="List tasks").click()
    await _steps_left(page, 1)
    await page.get_by_role("tab", name=re.compile("^files", re.IGNORECASE)).click()
    await panel.get_by_role("button", name=re.compile("^List")).last.click()
    await _steps_left(page, 2)
    await panel.get_by_label("Open a path").fill(READ)
    await panel.get_by_role("button", name=re.compile("^Read")).first.click()
    await _steps_left(page, SEAT_CALLS)


async def _steps_left(page: Any, made: int) -> None:
    """Wait until the page says that so many calls were *made*."""
    steps = EpisodeLimits().steps
    await expect(page.locator("body")).to_contain_text(f"{steps - made} of {steps}")
