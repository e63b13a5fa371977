"""The table of episodes in a browser: sorted and filtered by its address, with its mean."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.harness.studio.browser.window import Windows, each_page_holds, fits, windows_on
from tests.harness.studio.hostile import make_hostile
from tests.harness.studio.many_episodes import write_run
from trainee_bench.harness.studio.application import StudioServer
from trainee_bench.harness.studio.runs import ShownRuns

playwright = pytest.importorskip("playwright.async_api")
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]
COLUMNS = (
    *("Day", "Agent", "Complete", "Score", "Guided", "Forked"),
    *("Ending", "Steps", "Tokens", "Cost", "Wall time", "Run"),
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def many(ran: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Windows]:
    """Yield windows on the worked run "0", "1" with 40 episodes of which one waits, and "2" with
    six forked ones."""
    home = tmp_path_factory.mktemp("many")
    whole = write_run(home / "whole", epochs=20, waiting=1)
    forked = write_run(home / "forked", epochs=3, forked=True)
    async with windows_on(ran, whole, forked) as opened:
        yield opened


async def settled(page: Any) -> None:
    await expect(page.get_by_role("table", name="Episodes")).to_be_visible()


async def column(page: Any, name: str) -> list[str]:
    """Return the texts of the drawn rows in the column *name*."""
    texts: list[str] = await page.locator(
        f".episode-table tbody tr > :nth-child({COLUMNS.index(name) + 1})"
    ).all_inner_texts()
    return [text.strip() for text in texts]


def mean(page: Any) -> Any:
    return page.get_by_role("group", name="Mean")


def counted(page: Any) -> Any:
    return page.get_by_role("status")


async def choose(page: Any, label: str, value: str) -> None:
    """Choose in the filter *label*, for example a path that ends with *value*."""
    await settled(page)
    field = page.get_by_role("combobox", name=label, exact=True)
    options = await field.locator("option").evaluate_all("all => all.map((option) => option.value)")
    await field.select_option([option for option in options if option.endswith(value)])


async def test_the_page_is_accessible_fits_every_width_and_needs_no_mouse(many: Windows) -> None:
    places = {
        "all": "#/episodes?sort=-score",
        "few": "#/episodes?forked=only&score=0.5..",
    }
    await each_page_holds(many, places, settled)


async def test_a_tab_leads_from_the_grid_of_a_run_to_its_episodes_and_back(many: Windows) -> None:
    async with many.open("#/runs/1") as page:
        views = page.get_by_role("navigation", name="Views")
        await expect(page.get_by_role("heading", level=1)).to_have_text("whole")
        await views.get_by_role("link", name="Episodes").click()
        await expect(counted(page)).to_have_text("40 of 49 episodes")
        assert set(await column(page, "Run")) == {
            await page.get_by_role("combobox", name="Run", exact=True).input_value()
        }
        await expect(views.get_by_role("link", name="Episodes")).to_have_attribute(
            "aria-current", "page"
        )
        await views.get_by_role("link", name="Days and agents").click()
        await expect(page.get_by_role("group", name="Scores")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("Score", ["1.00", "1.00"], ["0.00", "0.00"]),
        ("Steps", ["38", "37"], ["0", "1"]),
        ("Tokens", ["38,000", "37,000"], ["0", "1,000"]),
        ("Cost", ["$0.38", "$0.37"], ["$0.00", "$0.0100"]),
        ("Wall time", ["38 min 00 s", "37 min 00 s"], ["0.0 s", "1 min 00 s"]),
        ("Complete", ["all complete: ✓ 2 of 2"] * 2, ["0 of 2"] * 2),
        ("Ending", ["agent", "agent"], ["waiting", "step limit"]),
        ("Guided", ["guided", "guided"], ["", ""]),
        ("Agent", ["oracle", "oracle, attempt 2"], ["sprayer, attempt 20"] * 1),
    ],
)
async def test_a_column_sorts_both_ways_and_says_so(
    many: Windows, name: str, first: list[str], second: list[str]
) -> None:
    async with many.open("#/episodes") as page:
        await choose(page, "Run", "whole")
        head = page.get_by_role("columnheader", name=name, exact=True)
        down = name not in ("Ending", "Agent")
        for expected, way in ((first, down), (second, not down)):
            await head.get_by_role("button").click()
            await expect(head).to_have_attribute("aria-sort", ("ascending", "descending")[way])
            shown = [" ".join(text.split()) for text in await column(page, name)]
            assert shown[: len(expected)] == expected


async def test_rows_without_a_figure_come_last_either_way(many: Windows) -> None:
    async with many.open("#/episodes?sort=score&steps=..19") as page:
        await choose(page, "Run", "whole")
        for _ in range(2):
            assert (await column(page, "Score"))[-2:] == ["–", "–"]
            await page.get_by_role("button", name="Score").click()


@pytest.mark.parametrize(
    ("label", "value", "left"),
    [
        ("Run", "forked", 6),
        ("Agent", "nothing", 1),
        ("Ending", "broken", 3),
        ("Ending", "waiting", 1),
        ("Guided", "only", 5),
        ("Guided", "without", 44),
        ("Forked", "only", 6),
        ("Forked", "without", 43),
    ],
)
async def test_a_list_filters(many: Windows, label: str, value: str, left: int) -> None:
    async with many.open("#/episodes") as page:
        await choose(page, label, value)
        await expect(counted(page)).to_have_text(f"{left} of 49 episodes")
        await page.get_by_role("button", name="Clear filters").click()
        await expect(counted(page)).to_have_text("49 episodes")


@pytest.mark.parametrize(
    ("field", "least", "most", "steps"),
    [
        ("Score", "0.5", "0.75", {2, 3, 7, 8}),
        ("Steps", "3", "5", {3, 4, 5}),
        ("Tokens", "3500", "", set(range(4, 11))),
        ("Cost", "", "0.02", {0, 1, 2}),
        ("Wall time", "60", "120", {1, 2}),
    ],
)
async def test_bounds_filter_a_figure(
    many: Windows, field: str, least: str, most: str, steps: set[int]
) -> None:
    async with many.open("#/episodes?steps=..10") as page:
        await choose(page, "Run", "whole")
        for bound, value in (("from", least), ("to", most)):
            if value:
                await page.get_by_role("spinbutton", name=f"{field} {bound}").fill(value)
        await expect(counted(page)).to_have_text(f"{len(steps)} of 49 episodes")
        assert {int(text) for text in await column(page, "Steps")} == steps


@pytest.mark.parametrize(("value", "scores"), [("all", {"1.00"}), ("none", {"0.00", "0.25"})])
async def test_episodes_are_filtered_by_how_many_tasks_are_complete(
    many: Windows, value: str, scores: set[str]
) -> None:
    async with many.open("#/episodes") as page:
        await choose(page, "Run", "forked")
        await choose(page, "Complete", value)
        assert scores <= set(await column(page, "Score"))
        assert ("1.00" in await column(page, "Score")) is (value == "all")


@pytest.mark.parametrize(
    "odd",
    ["score=0x0..0x1", "steps=%2B1..5.", "score=Infinity..1e999", "sort=--score", "sort=sc-ore"],
)
async def test_an_odd_address_filters_and_sorts_by_nothing_that_is_not_shown(
    many: Windows, odd: str
) -> None:
    async with many.open(f"#/episodes?{odd}") as page:
        await expect(counted(page)).to_have_text("49 episodes")
        assert (await column(page, "Score"))[:2] == ["1.00", "0.00"]  # as they came


async def test_a_wide_window_shows_days_by_their_whole_names(many: Windows) -> None:
    name = "'minutes_and_links_of_a_slow_day · day_1'"
    async with many.open("#/episodes", width=1920) as page:
        link = page.locator(".episode-table tbody th a").first
        await expect(link).to_be_visible()
        cut = f"(link) => {{ link.textContent = {name}; const box = link.parentElement;"
        assert not await link.evaluate(f"{cut} return box.scrollWidth > box.clientWidth; }}")


async def test_the_mean_counts_whole_days_alone_and_says_what_it_leaves_out(many: Windows) -> None:
    async with many.open("#/episodes") as page:
        await choose(page, "Run", "whole")
        # places 0 to 38; 6, 13, 20, 27, 34 are guided, 9, 19 and 29 broken
        own = [n for n in range(39) if n % 7 != 6]
        graded = [n for n in own if n % 10 != 9]
        complete, days = sum(n % 5 == 4 for n in graded), len(graded)
        score = sum(n % 5 / 4 for n in graded)
        await expect(mean(page)).to_contain_text(f"{complete} of {days}")
        await expect(mean(page)).to_contain_text(f"{round(100 * complete / days)} %")
        figures = await mean(page).locator("dd").all_inner_texts()
        assert figures[1:] == [f"{score / days:.2f}", f"{score / len(own):.2f}"]
        await expect(mean(page)).to_contain_text(
            f"{len(own)} episodes of 2 agents in 1 run, {len(own) - days} of them broken"
        )
        await expect(mean(page)).to_contain_text("Left out of it: 5 guided, 1 not over.")
        await choose(page, "Guided", "only")
        await expect(mean(page)).to_contain_text("Left out of it: 5 guided.")
        assert await mean(page).locator("dd").nth(1).inner_text() == "–"


async def test_the_mean_follows_the_rows_in_sight(many: Windows) -> None:
    async with many.open("#/episodes?score=1..") as page:
        await choose(page, "Run", "whole")
        await expect(mean(page).locator("dd").nth(0)).to_contain_text("100 %")
        await expect(mean(page).locator("dd").nth(1)).to_have_text("1.00")


async def test_guided_and_forked_scores_carry_their_marks(many: Windows) -> None:
    async with many.open("#/episodes?forked=only") as page:
        await expect(counted(page)).to_have_text("6 of 49 episodes")
        assert await column(page, "Forked") == ["forked"] * 6
        await page.goto(many.base + "#/episodes?guided=only")
        await expect(counted(page)).to_have_text("5 of 49 episodes")
        assert await column(page, "Guided") == ["guided"] * 5
        assert await column(page, "Forked") == [""] * 5


async def test_the_address_restores_sort_and_filters(many: Windows) -> None:
    async with many.open("#/episodes") as page:
        await choose(page, "Agent", "sprayer")
        await choose(page, "Guided", "without")
        await page.get_by_role("spinbutton", name="Steps from").fill("10")
        await page.get_by_role("columnheader", name="Cost").get_by_role("button").click()
        await page.wait_for_url(re.compile("sort=-cost"))
        before = await column(page, "Steps")
        address = page.url
        await page.goto(many.base + "#/live")
        await page.goto(address)
        await expect(page.get_by_role("combobox", name="Agent", exact=True)).to_have_value(
            "sprayer"
        )
        await expect(page.get_by_role("combobox", name="Guided", exact=True)).to_have_value(
            "without"
        )
        await expect(page.get_by_role("spinbutton", name="Steps from")).to_have_value("10")
        await expect(page.get_by_role("columnheader", name="Cost")).to_have_attribute(
            "aria-sort", "descending"
        )
        assert await column(page, "Steps") == before
        await page.reload()
        await expect(page.get_by_role("combobox", name="Agent", exact=True)).to_have_value(
            "sprayer"
        )
        assert await column(page, "Steps") == before


async def test_an_address_with_unknown_filters_shows_all(many: Windows) -> None:
    place = "#/episodes?sort=constructor&guided=toString&steps=x..y&complete=__proto__"
    async with many.open(place) as page:
        await expect(counted(page)).to_have_text("49 episodes")


async def test_filters_that_nothing_matches_say_so(many: Windows) -> None:
    async with many.open("#/episodes?agent=nobody") as page:
        await expect(page.get_by_text("No episode matches these filters.")).to_be_visible()
        await expect(page.get_by_role("combobox", name="Agent", exact=True)).to_have_value("nobody")


async def test_a_row_opens_its_episode_and_back_restores_the_view(many: Windows) -> None:
    async with many.open("#/episodes?agent=oracle&sort=-score") as page:
        await choose(page, "Run", "a-run")
        await page.wait_for_url(re.compile("a-run"))
        await page.get_by_role("rowheader").get_by_role("link").first.click()
        await expect(page.get_by_role("heading", level=1, name="oracle")).to_be_visible()
        await page.go_back()
        await expect(counted(page)).to_have_text("1 of 49 episodes")


async def test_an_answer_that_is_cut_off_is_an_error_and_no_data(many: Windows) -> None:
    async with many.open("#/episodes") as page:
        await settled(page)
        told = await page.evaluate(
            """async () => {
              const { ask, post } = await import("/static/parts/api.mjs");
              const cut = { start: (body) => body.error(new TypeError("cut off")) };
              globalThis.fetch = async () => new Response(new ReadableStream(cut));
              const tell = (answer) => answer.then(() => "data", () => "error");
              return [await tell(ask("/api/episodes")), await tell(post("/api/start"))];
            }"""
        )
        assert told == ["error", "error"]


async def test_keys_alone_sort_and_scroll_the_table(many: Windows) -> None:
    async with many.open("#/episodes") as page:
        await settled(page)
        head = page.get_by_role("columnheader", name="Steps")
        await head.get_by_role("button").focus()
        await page.keyboard.press("Enter")
        await expect(head).to_have_attribute("aria-sort", "descending")
        await expect(head.get_by_role("button")).to_be_focused()
        await page.get_by_role("group", name="Episodes").focus()
        await page.keyboard.press("End")
        await expect(page.locator(".episode-table tbody tr").last).to_have_attribute(
            "aria-rowindex", "50"
        )


async def test_only_the_visible_ones_of_thousands_of_episodes_are_drawn(
    many: Windows, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "large", epochs=1000)
    async with StudioServer(ShownRuns([run])) as studio:
        here = Windows(many._browser, studio)
        async with here.open("#/episodes?sort=-steps") as page:
            await expect(counted(page)).to_have_text("2,000 episodes")
            rows = page.locator(".episode-table tbody tr")
            assert await rows.count() < 60
            assert (await column(page, "Steps"))[0] == "1,999"
            box = page.get_by_role("group", name="Episodes")
            await box.evaluate("(box) => { box.scrollTop = 1000 * 32; }")
            await expect(page.get_by_role("cell", name="999", exact=True)).to_be_in_viewport()
            await expect(page.get_by_role("columnheader", name="Steps")).to_be_in_viewport()
            await page.get_by_role("columnheader", name="Score").get_by_role("button").click()
            assert await box.evaluate("(box) => box.scrollTop") == 0
            assert await rows.count() < 60


async def test_a_table_full_of_scripts_is_shown_as_text_and_runs_none(
    many: Windows, ran: Path, tmp_path: Path
) -> None:
    hostile = make_hostile(ran, tmp_path)
    async with StudioServer(ShownRuns([hostile])) as studio:
        here = Windows(many._browser, studio)
        async with here.open("#/episodes") as page:
            await expect(page.locator(".episode-table")).to_contain_text(hostile.name)
            await choose(page, "Run", hostile.name)
            await expect(counted(page)).to_have_text("3 episodes")
            assert await page.locator("#studio script, #studio img, #studio iframe").count() == 0
            await fits(page)
