"""Cells as text for a model, in pages."""

from __future__ import annotations

import csv

from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.mcp_servers.serving.result_text import (
    PAGE_TOKENS,
    cell_data,
    csv_line,
    estimate_tokens,
    first_lines,
    paginate_cells,
    truncate,
)
from trainee_bench.world.workbook.addresses import CellRange
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.values import calculate

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=900)


@given(
    st.integers(1, 8).flatmap(
        lambda width: st.lists(
            st.lists(texts, min_size=width, max_size=width), min_size=1, max_size=30
        )
    ),
    st.integers(1, 1000),
)
def test_a_page_its_rest_below_and_its_rest_to_the_right_are_the_whole(
    rows: list[list[str]], top: int
) -> None:
    area = CellRange(top, 2, top + len(rows) - 1, len(rows[0]) + 1)
    part = paginate_cells(area, rows)
    shown = part.area
    assert (shown.top, shown.left, len(part.lines)) == (area.top, area.left, shown.height)
    below = part.below.height if part.below else 0
    right = part.right.width if part.right else 0
    assert (shown.height + below, shown.width + right) == (area.height, area.width)
    assert part.below is None or (part.below.left, part.below.right) == (area.left, shown.right)
    assert part.right is None or (part.right.top, part.right.bottom) == (area.top, area.bottom)
    # A single cell of 400 letters in a dear script is about 800 tokens beyond the budget.
    assert sum(estimate_tokens(line) for line in part.lines) < PAGE_TOKENS * 2


@given(st.lists(texts.map(lambda text: text[:300]), min_size=1, max_size=5))
def test_a_line_is_read_back_as_csv(cells: list[str]) -> None:
    assert next(csv.reader([csv_line(cells)])) == cells


def test_the_first_lines_fit_and_are_at_least_one() -> None:
    assert first_lines([]) == []
    assert first_lines(["x" * 100_000, "y"]) == ["x" * 100_000]
    many = first_lines(["abcd" * 10] * 1000)
    assert 150 < len(many) <= 200


def test_a_cut_text_says_how_long_it_is() -> None:
    assert truncate("short") == "short"
    assert (
        truncate("x" * 1234, 10) == "xxxxxxxxxx… (1,234 characters in all; use MID to read a part)"
    )


def test_tokens_are_counted_rather_too_high() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("four" * 10) == 10
    assert estimate_tokens("1234") == 2
    assert estimate_tokens("日本") == 3


def test_structured_cells_are_numbers_where_they_are_numbers() -> None:
    typed = {
        "A1": "12.50", "B1": "50%", "C1": "=0.1+0.2", "D1": "2026-11-21", "E1": "09:30",
        "F1": "TRUE", "G1": "=1/0", "H1": "0012", "I1": "=DATE(2026,1,2)", "J1": "€1,000",
    }  # fmt: skip
    (sheet,) = calculate(Workbook(sheets=(Sheet(name="S", cells=typed),)))
    assert [cell_data(value) for value in sheet.cells.values()] == [
        12.5, 0.5, 0.3, "2026-11-21", "09:30", True, "#DIV/0!", "0012", "2026-01-02", 1000,
    ]  # fmt: skip
    assert cell_data(None) is None
