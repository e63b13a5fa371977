"""The drawings of the shown day as files, their figures beside them, and the text around them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from docs.pictures.captions import words_and_pictures
from docs.pictures.shown_day import BENCHMARK, ShownDay
from trainee_bench.harness.analysis.charts.hour_scale import Frame
from trainee_bench.harness.analysis.worth.day_picture import draw_day, next_full_hour
from trainee_bench.harness.analysis.worth.takeover_picture import draw_takeover
from trainee_bench.harness.analysis.worth.value_line import TOLD, drop_in_words, step_minutes
from trainee_bench.harness.commands.explain import Scheme, picture_file
from trainee_bench.harness.worth.loss_words import costliest_losses
from trainee_bench.meta_tasks.scenario import GENERATOR_VERSION, SCORE_VERSION

FRAME = Frame(828, 204, 700)
"""With the margin of its card a picture is as wide as a page of GitHub."""
BEGIN, END = "<!-- picture: begin -->", "<!-- picture: end -->"
_BLOCK = re.compile(f"{BEGIN}.*{END}", re.DOTALL)
Figures = dict[str, JsonValue]


def drawn_files(shown: ShownDay) -> dict[str, str]:
    """The pictures of *shown* and their figures, as text by the name of the file."""
    own, optimal = shown.panels
    until = next_full_hour(shown.own.stopped)
    drawings = {
        "day": draw_day(shown.worth, own, optimal, frame=FRAME, until=until, key=True),
        "takeover": draw_takeover(shown.takeover, FRAME, until),
    }
    pictures = {
        f"{name}-{scheme}.svg": picture_file(drawing, scheme)
        for name, drawing in drawings.items()
        for scheme in Scheme
    }
    return pictures | {
        "day.json": as_json(day_figures(shown)),
        "takeover.json": as_json(takeover_figures(shown)),
    }


def as_json(figures: Figures) -> str:
    """A file of figures."""
    return json.dumps(figures, indent=2, ensure_ascii=False) + "\n"


def made_of(shown: ShownDay) -> Figures:
    """Return the day that a picture shows, and the versions that made and graded it."""
    return {
        "benchmark": BENCHMARK,
        "scenario": shown.result.scenario,
        "day": shown.result.day,
        "agent": shown.result.agent,
        "generator_version": GENERATOR_VERSION,
        "score_version": SCORE_VERSION,
    }


def day_figures(shown: ShownDay) -> Figures:
    """The figures of the day's picture."""
    worth = shown.worth
    drops: list[JsonValue] = [
        {
            "step": loss.step,
            "words": drop_in_words(worth, loss),
            "lost": round(loss.lost, 4),
            "minutes": step_minutes(worth, loss),
            "tasks": [task.task for task in loss.tasks],
        }
        for loss in costliest_losses(worth, TOLD)
    ]
    return made_of(shown) | {
        "optimal": round(worth.points[0].value, 4),
        "score": round(shown.result.score or 0.0, 4),
        "steps": shown.result.steps,
        "drops": drops,
        "tasks": {task.task: task.score for task in shown.result.tasks},
    }


def takeover_figures(shown: ShownDay) -> Figures:
    """The figures of the picture of the takeover."""
    takeover = shown.takeover
    return made_of(shown) | {
        "step": takeover.step,
        "instead": takeover.instead,
        "at": f"{takeover.at:%H:%M}",
        "other": takeover.other,
        "before": round(takeover.own[-1].score, 4),
        "after": round(takeover.others[-1].score, 4),
    }


def pages(root: Path, shown: ShownDay) -> Mapping[Path, str]:
    """README and the first page of the docs, with the pictures and their captions."""
    folders = {root / "README.md": "docs/", root / "docs" / "index.md": ""}
    return {path: _with_pictures(path, docs, shown) for path, docs in folders.items()}


def _with_pictures(path: Path, docs: str, shown: ShownDay) -> str:
    text = path.read_text(encoding="utf-8")
    if len(_BLOCK.findall(text)) != 1:
        raise ValueError(f"{path.name} needs one {BEGIN} … {END}")
    return _BLOCK.sub(lambda _: f"{BEGIN}\n{words_and_pictures(docs, shown)}\n{END}", text)
