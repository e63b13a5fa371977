"""The pictures of README and docs show what the code computes: `python -m docs.pictures`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from benchmarks.load_table import (
    Cell,
    ClientResult,
    Conditions,
    LoadTable,
    Row,
    Settings,
)
from docs.pictures.captions import words_and_pictures
from docs.pictures.drawings import drawn_files, made_of, pages
from docs.pictures.load_chart import FIGURES, load_page, load_pictures, read_load_table
from docs.pictures.reading import figures_of_page, reading_pictures
from docs.pictures.shown_day import AGENT, ShownDay, work_shown_day
from trainee_bench.harness.analysis.worth.value_line import TOLD
from trainee_bench.harness.cli import app
from trainee_bench.harness.records.worth import LossOrigin
from trainee_bench.harness.worth.loss_words import costliest_losses
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
ANEW = "run python -m docs.pictures"
PICTURE = re.compile(r"\((?:docs/|\.\./)?images/([\w.-]+)|\"(?:docs/|\.\./)?images/([\w.-]+)\"")
LEAST_HEIGHT = 150
MEASURED = {"load-light.svg", "load-dark.svg"}
"""Pictures of measured figures, which no change of code makes anew; they name their commit."""

READING_PICTURES = reading_pictures(figures_of_page(IMAGES))
"""Those of measured results, by file name."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> ShownDay:
    return work_shown_day(tmp_path_factory.mktemp("shown"))


def figures_of(picture: Path) -> dict[str, object]:
    name = picture.stem.removesuffix("-light").removesuffix("-dark")
    found: dict[str, object] = json.loads((IMAGES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_drawings_and_their_figures_are_those_that_the_code_makes(shown: ShownDay) -> None:
    for name, text in drawn_files(shown).items():
        assert (IMAGES / name).read_text(encoding="utf-8") == text, f"{name}: {ANEW}"


def test_the_text_around_the_pictures_has_the_figures_of_the_code(shown: ShownDay) -> None:
    for page, text in pages(ROOT, shown).items():
        assert page.read_text(encoding="utf-8") == text, f"{page.name}: {ANEW}"


def test_the_day_loses_to_named_minutes_what_another_agent_gains_from_the_same_step(
    shown: ShownDay,
) -> None:
    day, takeover = figures_of(IMAGES / "day.svg"), figures_of(IMAGES / "takeover.svg")
    drops = day["drops"]
    assert isinstance(drops, list) and len(drops) == 1
    assert day["optimal"] == takeover["after"] == 1.0
    assert day["score"] == takeover["before"] == 0.2
    assert sum(drop["lost"] for drop in drops) == pytest.approx(0.8)
    assert drops[0]["words"] == "09:08 waited 305 min: −0.80"
    assert shown.worth.end.value == pytest.approx(shown.result.score)


def test_the_caption_says_which_tasks_lost_by_a_step_and_when_they_were_due(
    shown: ShownDay,
) -> None:
    text = words_and_pictures("", shown)
    due = {lane.timing.task: f"{lane.timing.deadline:%H:%M}" for lane in shown.own.lanes}
    for loss in costliest_losses(shown.worth, TOLD):
        (row,) = re.findall(rf"^\| {loss.at:%H:%M} \|.*$", text, re.MULTILINE)
        assert f"| {loss.lost:.2f} |" in row
        for task in loss.tasks:
            assert task.task in row and due[task.task] in row
    assert (
        f"just before the first costly step of `{AGENT}`, at {shown.worth.losses[0].at:%H:%M}"
        in (text)
    )


def test_the_caption_stays_true_of_a_loss_of_another_kind(shown: ShownDay) -> None:
    first = shown.worth.losses[0]
    stopped = [task.model_copy(update={"origin": LossOrigin.STOPPED}) for task in first.tasks]
    losses = (first.model_copy(update={"tasks": tuple(stopped)}), *shown.worth.losses[1:])
    other = replace(shown, worth=shown.worth.model_copy(update={"losses": losses}))
    (row,) = re.findall(rf"^\| {first.at:%H:%M} \|.*$", words_and_pictures("", other), re.MULTILINE)
    assert row.endswith("work ended early |") and "too late" not in row


def test_the_fork_of_the_caption_can_be_made(
    shown: ShownDay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (told,) = re.findall(
        r"^trainee-bench (replay .+)$", words_and_pictures("", shown), re.MULTILINE
    )
    words = [str(shown.run) if word == "day" else word for word in told.split()]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "fork.world").is_file()


def test_every_picture_of_a_page_is_there_with_its_figures_and_none_is_left_over() -> None:
    used = {
        first or second
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for first, second in PICTURE.findall(page.read_text(encoding="utf-8"))
    }
    assert used == {path.name for path in IMAGES.iterdir() if path.suffix != ".json"}
    assert (IMAGES / FIGURES).exists() == (used >= MEASURED)
    assert {name for name in used if name.startswith("reading_")} == {*READING_PICTURES}
    for name in used - MEASURED - {*READING_PICTURES}:
        made = figures_of(IMAGES / name)
        assert made["score_version"] == SCORE_VERSION, f"{name} is out of date: {ANEW}"
        assert made["generator_version"] == GENERATOR_VERSION, f"{name} is out of date: {ANEW}"


def test_screenshots_of_the_day_show_its_figures(shown: ShownDay) -> None:
    studio, worth = figures_of(IMAGES / "studio.png"), figures_of(IMAGES / "studio_worth.png")
    assert studio.items() >= made_of(shown).items() and worth.items() >= made_of(shown).items()
    assert (studio["score"], studio["calls"]) == (shown.result.score, shown.result.tool_calls)
    step = worth["step"]
    assert isinstance(step, int)
    loss = next(loss for loss in shown.worth.losses if loss.step == step)
    assert worth["value"] == shown.worth.points[step].value
    assert worth["lost"] == pytest.approx(loss.lost)


def test_the_line_is_high_enough_to_be_read_and_both_schemes_show_the_same() -> None:
    light, dark = [ElementTree.parse(IMAGES / f"day-{scheme}.svg") for scheme in ("light", "dark")]
    heights = [
        float(number)
        for path in light.iter("{http://www.w3.org/2000/svg}path")
        if path.get("class") == "grid"
        for number in re.findall(r"M[\d.]+ ([\d.]+)H", path.get("d", ""))
    ]
    assert max(heights) - min(heights) >= LEAST_HEIGHT
    words = [[text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
             for root in (light, dark)]  # fmt: skip
    assert words[0] == words[1]


def test_the_table_under_load_and_its_picture_are_those_of_the_measured_figures() -> None:
    table, page = read_load_table(IMAGES), ROOT / "docs" / "deploy.md"
    assert load_page(page, table) == page.read_text(encoding="utf-8"), "run docs.pictures --load"
    for name, text in load_pictures(table).items():
        assert (IMAGES / name).read_text(encoding="utf-8") == text, "run docs.pictures --load"


def test_pictures_of_reading_a_result_are_those_of_its_figures() -> None:
    figures = figures_of_page(IMAGES)
    assert figures.score_version == SCORE_VERSION, "run docs.pictures --reading"
    assert figures.generator_version == GENERATOR_VERSION, "run docs.pictures --reading"
    for name, text in READING_PICTURES.items():
        assert (IMAGES / name).read_text(encoding="utf-8") == text, "run docs.pictures"


def measured(*rows: tuple[int, int, float, str]) -> LoadTable:
    """A table with rows of sessions, workers, steps a second, and why it was stopped."""
    return LoadTable(
        conditions=Conditions(
            measured="2025-10-01 08:00 UTC", commit="abc", generator_version=1, score_version=1,
            python="3.11", packages={"uvicorn": "1.0"}, processors=2, megabytes=2048, load=0.1,
            split="core-50", calls={}, settings=Settings(),
        ),
        rows=[
            Row(
                cell=Cell(sessions=sessions, thinking=0, workers=workers), rate=rate,
                stopped=stopped, limit="an event loop (95%)", clients=ClientResult(p99=rate / 1e4),
            )
            for sessions, workers, rate, stopped in rows
        ],
    )  # fmt: skip


def test_a_table_under_load_is_drawn_with_a_line_for_each_kind_of_server() -> None:
    table = measured((1, 1, 90.0, ""), (50, 1, 410.0, ""), (1, 2, 80.0, ""), (50, 2, 730.0, ""))
    for text in load_pictures(table).values():
        root = ElementTree.fromstring(text)
        words = [label.text for label in root.iter("{http://www.w3.org/2000/svg}text")]
        named = {"Steps a second, by sessions", "1 worker, no thinking", "2 workers, no thinking"}
        assert named <= {*words}
        assert len([*root.iter("{http://www.w3.org/2000/svg}circle")]) == 2 * 4
        assert "2 workers, no thinking: 730 steps a second with 50 sessions" in text
        heights = [float(mark.get("cy", "nan")) for mark in
                   root.iter("{http://www.w3.org/2000/svg}circle")]  # fmt: skip
        assert all(40 <= height <= 240 for height in heights)


def test_a_cell_that_was_not_complete_is_named_and_not_drawn(tmp_path: Path) -> None:
    page = tmp_path / "deploy.md"
    page.write_text("a\n<!-- load: begin -->\n<!-- load: end -->\nz")
    table = measured((1, 1, 90.0, ""), (50, 1, 0.0, "stopped after 300 s"))
    text = load_page(page, table)
    assert "not complete: stopped after 300 s" in text and "| 90 |" in text
    assert "an event loop (95%)" in text and "with commit abc on 2 processors" in text
    assert len(re.findall("<circle", load_pictures(table)["load-dark.svg"])) == 2
    assert load_pictures(measured((1, 1, 0.0, "stopped"))) == {}
    assert "not measured yet" in load_page(page, None)
