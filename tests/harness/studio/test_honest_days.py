"""How a day can be worked: shown for episodes that are over, and to nobody who may work the day."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.studio.shown import unfinished, visitor
from tests.harness.studio.test_seats import got, over, sent
from tests.harness.studio.test_shown_days import CLOSED, WISH, studio
from tests.harness.test_run import config, day, invoke
from trainee_bench.harness.analysis.report.publish import day_style
from trainee_bench.harness.studio.page import STATIC, STYLES

HONEST = "/api/episodes/{}/honest"
SPRAYER = "0-1"


def elements(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, list):
        yield tree
        for child in tree[2]:
            yield from elements(child)


def told(tree: Any) -> list[str]:
    """The tooltips of a picture."""
    return ["".join(made[2]) for made in elements(tree) if made[0] == "title"]


async def test_the_picture_of_the_report_comes_as_a_tree_of_drawn_elements(short: Path) -> None:
    async with visitor(short) as client:
        (shown,) = (await got(client, HONEST.format(SPRAYER)))["days"]
        again = await got(client, HONEST.format("0-2"))
    assert again["days"] == [shown]
    names = {made[0] for made in elements(shown["picture"])}
    assert names <= {"svg", "g", "path", "rect", "circle", "text", "tspan", "title"}
    attributes = {name for made in elements(shown["picture"]) for name in made[1]}
    assert not [name for name in attributes if name.startswith(("on", "href", "style"))]
    assert any("desk_submit" in line for line in told(shown["picture"]))


async def test_each_day_of_a_week_has_its_picture(worked_week: Path) -> None:
    async with visitor(worked_week) as client:
        days = (await got(client, HONEST.format("0-0")))["days"]
    assert len(days) == 2 and len({one["date"] for one in days}) == 2


async def test_nobody_without_the_token_sees_it(short: Path) -> None:
    async with visitor(short, let_in=False) as client:
        assert (await client.get(HONEST.format(SPRAYER))).status_code == 403


async def test_an_episode_that_is_not_over_and_a_bare_world_do_not_show_it(
    short: Path, tmp_path: Path, hostile_world: Path
) -> None:
    shutil.copytree(short, tmp_path / "a-run")
    finish = unfinished(tmp_path / "a-run")
    async with visitor(tmp_path / "a-run", hostile_world) as client:
        for episode in ("0-0", "1-0"):
            refused = await got(client, HONEST.format(episode), 409)
            assert refused["error"].startswith("How the day of ")
            assert refused["error"].endswith(
                " can be worked is shown once there is a result of it."
            )
        finish()
        assert (await got(client, HONEST.format("0-0")))["days"]
        await got(client, HONEST.format("7-7"), 404)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A benchmark of one small day, beside a folder with a run of it."""
    mine = config(tmp_path, one=[day("kb_fix.easy")])
    done = invoke("--config", mine, "--agent", "nothing", "--out", tmp_path / "runs" / "a-run")
    assert done.exit_code == 0, done.output
    return mine


async def test_a_person_in_the_seat_sees_it_once_the_day_is_over_and_so_does_everybody(
    mine: Path, tmp_path: Path
) -> None:
    async with studio(mine, tmp_path / "runs") as client:
        seat = await sent(client, "/api/seats", **WISH)
        assert (await got(client, HONEST.format("0-0"), 409))["error"] == CLOSED
        await got(client, "/api/runs")  # the page looks for new runs, and so finds the person's
        own = await got(client, HONEST.format("1-0"), 409)
        assert own["error"].startswith("A person works ")
        await sent(client, f"/api/seats/{seat['seat']}/finish")
        await over(client, f"/api/seats/{seat['seat']}")
        for episode in ("0-0", "1-0"):
            assert (await got(client, HONEST.format(episode)))["days"]


def test_the_studio_draws_it_in_the_classes_of_the_report() -> None:
    assert "needs.css" in STYLES
    assert (STATIC / "style" / "needs.css").read_text(encoding="utf-8").strip() in day_style()
