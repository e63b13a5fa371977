"""Values written and read back: rows of CSV files, months, and values with spaces around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, time
from enum import StrEnum
from typing import Any, Literal

import pytest
from pydantic import Field

from trainee_bench.meta_tasks.answers import Text
from trainee_bench.meta_tasks.authoring import MONTH, MONTH_NAMES, CsvFile, month_before
from trainee_bench.meta_tasks.authoring.converters import (
    CENTS,
    CLOCK,
    DATE,
    EUROS,
    EUROS_IN_GROUPS,
    INTEGER,
    TENTHS,
    WHOLE_EUROS,
    Converter,
)
from trainee_bench.meta_tasks.deliverable import Deliverable


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


# months -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 13))
def test_every_month_is_read_as_it_was_written(number: int) -> None:
    month = date(2025, number, 1)
    text = MONTH.render(month)
    assert text == f"{MONTH_NAMES[number - 1]} 2025" and re.fullmatch(MONTH.pattern, text)
    assert MONTH.parse(text) == month


def test_the_months_before_reach_into_earlier_years() -> None:
    assert month_before(date(2025, 3, 31)) == date(2025, 2, 1)
    assert month_before(date(2025, 3, 31), 3) == date(2024, 12, 1)
    assert month_before(date(2025, 3, 31), 0) == date(2025, 3, 1)


# blanks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "converter, written",
    [
        (INTEGER, "-12"),
        (TENTHS, "4.5"),
        (DATE, "2026-11-21"),
        (CLOCK, "09:30"),
        (CENTS, "12000.50"),
        (WHOLE_EUROS, "12,000"),
        (EUROS, "EUR 1000.00"),
        (EUROS_IN_GROUPS, "EUR 1,000.00"),
    ],
)
def test_every_converter_reads_past_blanks(converter: Converter[Any], written: str) -> None:
    meant = converter.parse(written)
    for blanks in (f" {written}", f"{written} ", f"\t{written}\n"):
        assert converter.parse(blanks) == meant


class Figures(Deliverable):
    """A value of each kind."""

    at: time = Field(description="when")
    day: date = Field(description="which day")
    amount: float = Field(description="in EUR")
    kind: Literal["open", "closed"] = Field(description="which")
    names: tuple[Text, ...] = Field(description="who")


def test_every_field_of_a_deliverable_is_read_past_blanks() -> None:
    exact = '{"at":"09:30","day":"2026-11-21","amount":"12.5","kind":"open","names":["Ada","Bob"]}'
    loose = (
        '{"at":" 09:30 ","day":"2026-11-21 ","amount":" 12.5","kind":" open ","names":'
        '[" Ada","Bob "]}'
    )
    assert Figures.parse(loose) == Figures.parse(exact)
    assert isinstance(Figures.parse(exact), Figures)
