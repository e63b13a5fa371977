"""A report begins with what was lost and the worst day; conditions come last; paper shows all."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, figures, plan, task
from tests.harness.test_run import config, day, invoke
from trainee_bench.harness.analysis.report.run_document import build_run_document
from trainee_bench.harness.analysis.report.worst_day import worst_day
from trainee_bench.harness.records.plan import ModelSettings
from trainee_bench.harness.records.results import EpisodeResult

PLAN = plan("s1", "s2", agents=("good", "bad", "idle")).model_copy(
    update={"model_settings": ModelSettings(npc_model="chatty")}
)


def worked(agent: str, scenario: str, score: float, calls: int = 7) -> EpisodeResult:
    day = figures(idle=5, lost=1 - score)
    world = f"worlds/{scenario}.day_1.{agent}.1.world"
    return episode(agent, scenario, task(score), schedule=day, tool_calls=calls, world=world)


RESULTS = [
    worked("good", "s1", 1.0),
    worked("good", "s2", 1.0),
    worked("bad", "s1", 1.0),
    worked("bad", "s2", 0.25),
    worked("idle", "s1", 0.0, calls=0),
    worked("idle", "s2", 0.0, calls=0),
]


def test_complete_days_come_before_the_score_in_the_headline() -> None:
    lead = build_run_document(PLAN, RESULTS).lead
    assert lead.startswith("good: 100 % of days complete, score 1.00; bad: 50 % of days complete")


def test_what_was_lost_and_the_worst_day_come_first_and_conditions_last() -> None:
    page = html_pages(PLAN, RESULTS)["report.html"]
    sections = re.findall(r'<section id="([\w-]+)"', page)
    assert sections[:3] == ["worth", "worst", "results"]
    assert sections.index("days") < sections.index("running")
    assert sections[-1] == "conditions"
    assert "By what value was lost" in markdown_text(PLAN, RESULTS).partition("## Results")[0]


def test_the_worst_day_is_the_lowest_score_of_whoever_did_anything() -> None:
    worst = worst_day(RESULTS)
    assert worst is not None and worst.episode == RESULTS[3].episode
    assert worst_day(RESULTS[:3]) is None
    page = html_pages(PLAN, RESULTS)["report.html"]
    head = page.partition('id="worst"')[2].partition("</section>")[0]
    assert "bad on s2, day_1: score 0.25" in head
    link = re.search(r'href="#([^"]+)"', head)
    assert link is not None and f'id="{link[1]}"' in page


def test_the_worst_day_has_once_how_it_can_be_worked_closed(tmp_path: Path) -> None:
    mine = config(tmp_path, one=[day("kb_fix.easy")], other=[day("kb_fix.easy")])
    agents = [word for name in ("oracle", "sprayer") for word in ("--agent", name)]
    done = invoke("--config", mine, *agents, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    head = page.partition('id="worst"')[2].partition("</section>")[0]
    assert page.count("How this day can be worked") == head.count("How this day can be worked") == 1
    picture = head.partition('<details class="fold honest">')[2].partition("</details>")[0]
    assert "desk_submit" in picture and "Read text" in picture and ".needs .took" in page
    perfect = tmp_path / "perfect"
    assert invoke("--config", mine, "--agent", "oracle", "--out", perfect).exit_code == 0
    assert "How this day" not in (perfect / "report.html").read_text(encoding="utf-8")


def test_a_run_in_which_nothing_was_lost_begins_with_its_results() -> None:
    page = html_pages(PLAN, RESULTS[:3])["report.html"]
    assert re.findall(r'<section id="([\w-]+)"', page)[0] == "results"


@pytest.mark.browser
async def test_paper_has_all_days_open_and_in_colour() -> None:
    playwright = pytest.importorskip("playwright.async_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium here; apt-get install chromium")
    async with playwright.async_playwright() as engine:
        browser = await engine.chromium.launch(executable_path=chromium)
        page = await browser.new_page(color_scheme="dark", viewport={"width": 720, "height": 900})
        await page.set_content(html_pages(PLAN, RESULTS)["report.html"])
        closed = page.locator("details:not([open]) .inside").first
        assert await closed.count() and not await closed.is_visible()
        await page.emulate_media(media="print")
        heights = await page.evaluate(
            "[...document.querySelectorAll('details > :not(summary)')].map(e => e.clientHeight)"
        )
        assert heights and min(heights) > 0
        style = "getComputedStyle(document.body)"
        assert await page.evaluate(f"{style}.printColorAdjust") == "exact"
        assert await page.evaluate(f"{style}.backgroundColor") == "rgb(253, 253, 252)"
        assert await page.evaluate("getComputedStyle(document.querySelector('h2')).breakAfter") == (
            "avoid"
        )
        await browser.close()


def test_whatever_scrolls_to_the_side_can_be_reached_by_keys() -> None:
    page = html_pages(PLAN, RESULTS)["report.html"]
    scrolling = re.findall(r'<div class="(?:wide|scroll)"[^>]*>', page)
    assert scrolling and all('tabindex="0"' in tag for tag in scrolling)
