"""The sections of a report: losses come first, then fidelity, provenance, conditions."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.harness.analysis.report.rendered import html_pages, markdown_text
from tests.harness.builders import episode, figures, plan, task
from tests.harness.runs import config, day, invoke, named
from trainee_bench.harness.analysis.report.npc_section import (
    npc_fidelity_totals,
    npc_section,
    npc_warning,
    suspicion_grid,
    unsuspected_episodes,
)
from trainee_bench.harness.analysis.report.run_document import build_run_document
from trainee_bench.harness.analysis.report.worst_day import worst_day
from trainee_bench.harness.documents.document import Bullet, Bullets
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.plan import ModelSettings
from trainee_bench.harness.records.provenance_figures import FactProvenance, ProvenanceFigures
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


def test_lost_value_and_the_worst_day_come_first_and_conditions_last() -> None:
    page = html_pages(PLAN, RESULTS)["report.html"]
    sections = re.findall(r'<section id="([\w-]+)"', page)
    assert sections[:3] == ["worth", "worst", "results"]
    assert sections.index("days") < sections.index("running")
    assert sections[-1] == "conditions"
    assert "Value lost, by cause" in markdown_text(PLAN, RESULTS).partition("## Results")[0]


def test_the_worst_day_has_the_lowest_score_of_agents_that_did_anything() -> None:
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
    invoke("--config", mine, *named("oracle", "sprayer"), "--out", tmp_path / "run")
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    head = page.partition('id="worst"')[2].partition("</section>")[0]
    assert page.count("How this day can be worked") == head.count("How this day can be worked") == 1
    picture = head.partition('<details class="fold honest">')[2].partition("</details>")[0]
    assert "desk_submit" in picture and "Read text" in picture and ".needs .took" in page
    perfect = tmp_path / "perfect"
    invoke("--config", mine, "--agent", "oracle", "--out", perfect)
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


def test_elements_that_scroll_sideways_are_reachable_by_keyboard() -> None:
    page = html_pages(PLAN, RESULTS)["report.html"]
    scrolling = re.findall(r'<div class="(?:wide|scroll)"[^>]*>', page)
    assert scrolling and all('tabindex="0"' in tag for tag in scrolling)


GOOD = NpcFidelity(
    model="m",
    decisions={"right": 3, "overreached": 1},
    words={"model": 2, "script": 1, "stand_in": 1},
    flaws={"a name": 1},
    prompt_tokens=100,
    completion_tokens=20,
    cost_usd=0.5,
)
DOUBTFUL = NpcFidelity(
    model="m",
    decisions={"withheld": 2, "right": 1, "unavailable": 1},
    words={"model": 2, "stand_in": 2},
    suspected=("T1/owner",),
    prompt_tokens=50,
    completion_tokens=10,
    cost_usd=0.25,
)
DEAD = NpcFidelity(model="m", decisions={"unavailable": 4}, words={"stand_in": 4})


def played_day(scenario: str, score: float, played: NpcFidelity | None) -> EpisodeResult:
    return episode("some", scenario, task(score), colleagues=played)


PLAYED = [played_day("one", 1.0, GOOD), played_day("two", 0.0, DOUBTFUL)]


def test_replies_are_counted_over_an_agents_episodes() -> None:
    (line,) = npc_fidelity_totals(PLAYED)
    assert (line.agent, line.episodes, line.replies) == ("some", 2, 8)
    decided = (line.right, line.overreached, line.withheld, line.otherwise, line.malformed)
    assert (*decided, line.unavailable) == (4, 1, 2, 0, 0, 1)
    assert (line.corrected, line.in_model_words, line.told_unasked) == (2, 4, 0)
    assert (line.tokens, line.cost_usd) == (180, 0.75)


def test_decisions_add_up_to_all_replies() -> None:
    for results in (PLAYED, [played_day("one", 1.0, DEAD)]):
        (line,) = npc_fidelity_totals(results)
        kinds = (line.right, line.overreached, line.withheld, line.otherwise, line.malformed)
        assert sum(kinds) + line.unavailable == line.replies


def test_figures_are_given_without_suspected_episodes_too() -> None:
    grid = suspicion_grid(PLAYED, npc_fidelity_totals(PLAYED))
    (row,) = grid.rows
    named = dict(zip(grid.titles, row, strict=True))
    assert (named["episodes"], named["suspected"]) == ("2", "1")
    assert named["score"].startswith("0.50") and named["score without"] == "1.00"
    assert named["success"].startswith("0.50") and named["success without"] == "1.00"
    section = npc_section(PLAYED)
    assert section is not None
    (listed,) = (block for block in section.blocks if isinstance(block, Bullets))
    assert listed.items == (Bullet("T1/owner", id=PLAYED[1].episode),)
    assert unsuspected_episodes(PLAYED) == [PLAYED[0]]


def test_an_agent_whose_every_episode_is_suspected_has_no_figure_without_them() -> None:
    (row,) = suspicion_grid([PLAYED[1]], npc_fidelity_totals([PLAYED[1]])).rows
    assert row[4] == row[6] == "–"


def test_an_unavailable_model_is_mentioned_before_any_figure() -> None:
    dead = [played_day("one", 1.0, DEAD)]
    for results, warning in ((dead, "for every reply"), (PLAYED, "1 of 8 replies")):
        (paragraph,) = npc_warning(npc_fidelity_totals(results))
        assert warning in paragraph.text and paragraph.tone == "warning"
        section = npc_section(results)
        assert section is not None and section.blocks[0] == paragraph
    assert npc_warning(npc_fidelity_totals([PLAYED[0]])) == ()
    assert npc_fidelity_totals([played_day("one", 1.0, DEAD)])[0].corrected == 0


def test_a_figure_unknown_for_one_episode_is_unknown_for_all() -> None:
    silent = GOOD.model_copy(
        update={"prompt_tokens": None, "completion_tokens": None, "cost_usd": None}
    )
    (line,) = npc_fidelity_totals([PLAYED[0], played_day("two", 1.0, silent)])
    assert line.tokens is None and line.cost_usd is None
    (line,) = npc_fidelity_totals([PLAYED[0], played_day("two", 1.0, DEAD)])
    assert (line.tokens, line.cost_usd) == (120, 0.5)


def test_both_reports_mention_played_colleagues_only_if_a_model_played() -> None:
    asked = plan("one", "two", agents=("some",))
    page = html_pages(asked, PLAYED)["report.html"]
    for text in (markdown_text(asked, PLAYED), page):
        assert "Colleagues played by a model" in text and "T1/owner" in text
        assert "a name × 1" in text
    scripted = [played_day("one", 1.0, None), played_day("two", 1.0, None)]
    assert npc_section(scripted) is None
    assert "played by a model" not in markdown_text(asked, scripted)
    assert "played by a model" not in html_pages(asked, scripted)["report.html"]


FACTS_PLAN = plan("s1", "s2", agents=("asks", "idle", "old"))


def fact(name: str, told: int | None, earlier: int | None, delivered: int | None) -> FactProvenance:
    return FactProvenance(
        fact=f"T1/{name}", task="T1", asked_for=True, told=told, earlier=earlier,
        delivered=delivered,
    )  # fmt: skip


def with_facts(agent: str, scenario: str, *facts: FactProvenance, asked: int = 0) -> EpisodeResult:
    figures = ProvenanceFigures(facts=facts, questions=asked, telling=asked // 2)
    return episode(agent, scenario, task(1.0), provenance=figures)


WITH_FACTS = [
    with_facts("asks", "s1", fact("a", 3, None, 9), fact("b", 10, 4, 9), asked=6),
    with_facts("asks", "s2", fact("a", None, None, 9), fact("b", None, None, None), asked=2),
    with_facts("idle", "s1", fact("a", None, None, None), fact("b", None, None, None)),
    episode("old", "s1", task(1.0)),
]


def test_a_row_per_agent_counts_all_its_days_and_has_none_for_what_cannot_be_shared() -> None:
    text = markdown_text(FACTS_PLAN, WITH_FACTS)
    (section,) = [
        part for part in text.split("\n## ") if part.startswith("Where the facts came from")
    ]
    assert "| asks | 1 | 1 | 1 | 33 % | 50 % | 50 % |" in section
    assert "| idle | 0 | 0 | 0 | – | – | 0 % |" in section
    assert "| old |" not in section


def test_each_task_of_a_day_says_with_which_facts_it_was_delivered() -> None:
    page = "".join(html_pages(FACTS_PLAN, WITH_FACTS).values())
    assert "2 facts delivered: 1 seen, 1 stale" in page
    assert "1 fact delivered: 1 unseen" in page
    assert page.count("delivered: ") == 2


def test_a_run_without_measured_facts_has_no_such_section() -> None:
    assert "Where the facts came from" not in markdown_text(FACTS_PLAN, [WITH_FACTS[-1]])
