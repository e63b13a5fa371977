"""Charts: well-formed SVG for any input, with every value and interval in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.analysis.charts.charts import Series, bar_chart, line_chart
from trainee_bench.harness.analysis.statistics.bootstrap import Estimate

Draw = Callable[..., str]
SVG = "{http://www.w3.org/2000/svg}"
SOME = (
    Series("good", (Estimate(0.9, 0.8, 0.95), Estimate(0.5, None, None))),
    Series("bad", (None, Estimate(0.1, 0.0, 0.3))),
)


def numbers(root: ElementTree.Element) -> list[float]:
    attributes = ("x", "y", "cx", "cy", "width", "height")
    return [float(v) for node in root.iter() for k, v in node.attrib.items() if k in attributes]


@pytest.mark.parametrize("draw", [bar_chart, line_chart])
def test_a_chart_is_a_file_of_its_own_and_says_in_words_what_it_shows(draw: Draw) -> None:
    root = ElementTree.fromstring(draw("Score", ["easy", "hard"], SOME))
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "Score"
    described = root.findtext(f"{SVG}desc")
    assert described == (
        "good: easy 0.90 (0.80 to 0.95), hard 0.50. bad: easy none, hard 0.10 (0.00 to 0.30)"
    )
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")


def test_a_bar_has_a_whisker_where_there_is_an_interval_and_its_value_written() -> None:
    chart = bar_chart("Score", ["easy", "hard"], SOME)
    root = ElementTree.fromstring(chart)
    assert len(root.findall(f".//{SVG}path[@class='w']")) == 2
    written = [text.text for text in root.iter(f"{SVG}text")]
    assert {"0.90", "0.50", "0.10", "–"} <= set(written)


def test_bars_are_as_long_as_their_values_and_no_longer_than_the_axis() -> None:
    values = (Estimate(0.5, None, None), Estimate(1.0, None, None), Estimate(7.0, None, None))
    root = ElementTree.fromstring(bar_chart("Score", ["a", "b", "c"], [Series("x", values)]))
    half, whole, beyond = (
        float(bar.get("width", "")) for bar in root.iter(f"{SVG}rect") if bar.get("rx") == "1.5"
    )
    assert half == pytest.approx(whole / 2, abs=0.1)
    assert beyond == whole


def test_bars_below_zero_grow_to_the_left() -> None:
    values = (Estimate(0.2, None, None), Estimate(-0.2, None, None))
    chart = bar_chart("Gain", ["a", "b"], [Series("x", values)], 0.4, bottom=-0.4)
    more, less = (
        bar for bar in ElementTree.fromstring(chart).iter(f"{SVG}rect") if bar.get("rx") == "1.5"
    )
    end = float(less.get("x", "")) + float(less.get("width", ""))
    assert end == pytest.approx(float(more.get("x", "")), abs=0.1)
    assert "\N{MINUS SIGN}0.20" in chart


def test_a_line_is_broken_where_a_value_is_missing() -> None:
    point = Estimate(0.5, None, None)
    line = Series("x", (point, point, None, point))
    chart = line_chart("Score", ["1", "2", "3", "4"], [line])
    root = ElementTree.fromstring(chart)
    (path,) = (path for path in root.iter(f"{SVG}path") if path.get("class") == "l s1")
    assert re.sub(r"[^ML]", "", path.get("d", "")) == "MLM"


def test_names_at_the_ends_of_lines_do_not_overlap() -> None:
    series = [Series(f"agent {n}", (Estimate(1 - n / 100, None, None),) * 2) for n in range(6)]
    root = ElementTree.fromstring(line_chart("Score", ["1", "2"], series))
    ends = [
        float(text.get("y", "")) for text in root.iter(f"{SVG}text") if "agent" in str(text.text)
    ]
    assert len(ends) == 6
    assert min(b - a for a, b in zip(sorted(ends), sorted(ends)[1:], strict=False)) >= 14


def test_series_of_wrong_length_and_empty_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="1 values for 2"):
        bar_chart("Score", ["a", "b"], [Series("x", (None,))])
    with pytest.raises(ValueError, match="no length"):
        line_chart("Score", [], [], top=0)


@given(
    name=st.text(max_size=300),
    mean=st.floats(-2, 2),
    spread=st.one_of(st.none(), st.floats(0, 1)),
    draw=st.sampled_from([bar_chart, line_chart]),
)
def test_a_chart_with_any_names_is_well_formed(
    name: str, mean: float, spread: float | None, draw: Draw
) -> None:
    low, high = (None, None) if spread is None else (mean - spread, mean + spread)
    chart = draw(name, [name, "b"], [Series(name, (Estimate(mean, low, high), None))] * 2)
    root = ElementTree.fromstring(chart)
    assert all(-1 <= value <= 500 for value in numbers(root))
    assert [script.tag for script in root.iter(f"{SVG}script")] == []
