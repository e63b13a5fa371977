"""Places and areas, as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook.addresses import (
    LAST_COLUMN,
    LAST_ROW,
    CellAddress,
    CellRange,
    bounding_range,
    column_letters,
    column_number,
    parse_cell_address,
    parse_cell_range,
)


@pytest.mark.parametrize(
    "column, letters", [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA"), (16384, "XFD")]
)
def test_columns_have_letters(column: int, letters: str) -> None:
    assert column_letters(column) == letters
    assert column_number(letters.lower()) == column


@given(st.integers(1, LAST_ROW), st.integers(1, LAST_COLUMN))
def test_every_place_is_read_back(row: int, column: int) -> None:
    assert parse_cell_address(str(CellAddress(row, column))) == CellAddress(row, column)


@pytest.mark.parametrize("text", ["", "A", "1", "A0", "A1048577", "XFE1", "A1B", "1A", "Ä1", "A-1"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_cell_address(text)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("B3", CellRange(3, 2, 3, 2)),
        ("B3:D9", CellRange(3, 2, 9, 4)),
        ("d9:b3", CellRange(3, 2, 9, 4)),
        ("$B$3:$D$9", CellRange(3, 2, 9, 4)),
        (" B3:D9 ", CellRange(3, 2, 9, 4)),
        ("B:D", CellRange(1, 2, LAST_ROW, 4)),
        ("3:9", CellRange(3, 1, 9, LAST_COLUMN)),
    ],
)
def test_areas_are_read_in_all_their_forms(text: str, expected: CellRange) -> None:
    assert parse_cell_range(text) == expected


@pytest.mark.parametrize("text", ["", ":", "B", "3", "B3:", ":D9", "B3:D", "B:9", "B3:D9:E1", "B0"])
def test_what_is_no_area_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Invalid, match="B3:D9|no row|not a range"):
        parse_cell_range(text)


def test_a_range_past_the_last_cell_names_the_last_one() -> None:
    with pytest.raises(Invalid, match="XFD"):
        parse_cell_range("A1:XFE2")
    with pytest.raises(Invalid, match="1048576"):
        parse_cell_range("A1:A1048577")


def test_an_area_knows_its_size_and_its_cells() -> None:
    block = parse_cell_range("B3:C4")
    assert (block.height, block.width) == (2, 2)
    assert [str(one) for one in block.places()] == ["B3", "C3", "B4", "C4"]
    assert CellAddress(4, 3) in block
    assert CellAddress(5, 3) not in block
    assert str(block) == "B3:C4"
    assert str(parse_cell_range("B3")) == "B3"


def test_areas_meet_in_what_they_share() -> None:
    assert parse_cell_range("A1:C3").within(parse_cell_range("B2:D9")) == parse_cell_range("B2:C3")
    assert parse_cell_range("B:B").within(parse_cell_range("A1:C3")) == parse_cell_range("B1:B3")
    assert parse_cell_range("A1:A2").within(parse_cell_range("C1:C2")) is None


def test_the_area_around_places_is_the_smallest() -> None:
    assert bounding_range([CellAddress(5, 2), CellAddress(3, 4)]) == parse_cell_range("B3:D5")
    assert bounding_range([]) is None
