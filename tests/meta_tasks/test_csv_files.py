"""CSV files that are written and read back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import pytest

from trainee_bench.meta_tasks.authoring import CENTS, WHOLE_EUROS, CsvFile


class Kind(StrEnum):
    LAMP = "lamp"
    DESK = "desk"


@dataclass(frozen=True)
class Sale:
    kind: Kind
    buyer: str
    day: date
    cents: int
    pieces: int


SALES = [
    Sale(Kind.LAMP, 'Aster, Birch & "Sons"', date(2025, 4, 2), 12_000_05, 3),
    Sale(Kind.DESK, "", date(2025, 4, 3), 99, 0),
]
COLUMNS = ("kind", "bought_by", "date", "amount", "pieces")
FILE = CsvFile(Sale, COLUMNS, {"cents": CENTS})


def test_rows_are_written_under_their_titles_and_read_back() -> None:
    text = FILE.render(SALES)
    assert text == (
        "kind,bought_by,date,amount,pieces\n"
        'lamp,"Aster, Birch & ""Sons""",2025-04-02,12000.05,3\n'
        "desk,,2025-04-03,0.99,0\n"
    )
    assert FILE.parse(text) == SALES


def test_a_column_of_running_numbers_is_written_and_not_read() -> None:
    numbered = CsvFile(Sale, COLUMNS, {"cents": CENTS}, numbered="id")
    text = numbered.render(SALES)
    assert [line.partition(",")[0] for line in text.splitlines()] == ["id", "1", "2"]
    assert numbered.parse(text) == SALES


def test_a_file_without_rows_has_its_titles() -> None:
    assert FILE.render([]) == ",".join(COLUMNS) + "\n"
    assert FILE.parse(FILE.render([])) == []


def test_a_field_without_a_title_is_refused() -> None:
    with pytest.raises(ValueError, match="longer"):
        CsvFile(Sale, COLUMNS[:4], {"cents": CENTS})


def test_other_files_are_refused() -> None:
    with pytest.raises(KeyError, match="bought_by"):
        FILE.parse("kind\nlamp\n")
    with pytest.raises(KeyError, match="chair"):
        FILE.parse(FILE.render(SALES).replace("lamp", "chair"))
    with pytest.raises(ValueError, match="April"):
        FILE.parse(FILE.render(SALES).replace("2025-04-03", "3 April"))


@pytest.mark.parametrize("cents", [0, 5, 99, 100, 74_90, 12_345_678_90])
def test_amounts_are_read_as_they_are_written(cents: int) -> None:
    assert CENTS.parse(CENTS.render(cents)) == cents
    assert WHOLE_EUROS.parse(WHOLE_EUROS.render(cents)) == cents // 100 * 100
    assert (CENTS.render(12_345_67), WHOLE_EUROS.render(12_345_67)) == ("12345.67", "12,345")
    assert WHOLE_EUROS.parse("12,000") == 12_000_00 and CENTS.parse("12,000.50") == 12_000_50
