"""The curve of a climb: every size, the interval, and all figures in words."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from trainee_bench.harness.analysis.charts.capacity_chart import (
    CapacityCurve,
    WorkedSize,
    capacity_chart,
)
from trainee_bench.harness.analysis.statistics.capacity import WorldOutcome, fit_capacity

SVG = "{http://www.w3.org/2000/svg}"


def curve(name: str, counts: dict[int, tuple[int, int]]) -> CapacityCurve:
    """The curve of so many complete worlds of so many in all, by size."""
    outcomes = [
        WorldOutcome(tasks, number < complete)
        for tasks, (complete, worlds) in counts.items()
        for number in range(worlds)
    ]
    sizes = tuple(WorkedSize(tasks, worlds, done) for tasks, (done, worlds) in counts.items())
    return CapacityCurve(name, fit_capacity(outcomes), sizes)


def drawn(*curves: CapacityCurve) -> ElementTree.Element:
    return ElementTree.fromstring(capacity_chart("Chance", curves))


def test_a_curve_says_in_words_what_it_shows_and_writes_the_capacity() -> None:
    shown = curve("a", {8: (3, 4), 16: (1, 4)})
    root = drawn(shown)
    described = root.findtext(f"{SVG}desc") or ""
    assert "3 of 4 with 8 tasks, 1 of 4 with 16 tasks" in described
    assert str(shown.capacity) in [text.text for text in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("counts", [{1: (5, 5), 128: (3, 3)}, {1: (0, 4)}, {256: (1, 2)}])
def test_everything_lies_within_the_picture(counts: dict[int, tuple[int, int]]) -> None:
    root = drawn(curve("a", counts))
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for circle in root.iter(f"{SVG}circle"):
        assert 0 <= float(circle.get("cx", "")) <= width
        assert 0 <= float(circle.get("cy", "")) <= height


def test_several_agents_have_a_legend_with_their_capacities() -> None:
    root = drawn(curve("good", {8: (4, 4)}), curve("<b>", {1: (0, 4)}))
    written = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert any(text.startswith("good · at least") for text in written)
    assert any(text.startswith("<b> · at most") for text in written)


@pytest.mark.parametrize(
    ("counts", "arrows", "ticks"),
    [
        ({8: (6, 12)}, 0, 1),
        ({1: (1, 12)}, 1, 0),
        ({1: (0, 12)}, 1, 0),
        ({128: (12, 12)}, 1, 0),
    ],
)
def test_an_end_outside_the_axis_is_an_arrow_and_an_estimate_there_is_not_drawn(
    counts: dict[int, tuple[int, int]], arrows: int, ticks: int
) -> None:
    drawings = [path.get("d", "") for path in drawn(curve("a", counts)).iter(f"{SVG}path")]
    assert sum(drawing.count("l-6 4") for drawing in drawings) == arrows
    assert sum(drawing.endswith("v14") for drawing in drawings) == ticks
