"""Times, dates and amounts with blanks around them are read as without."""

from __future__ import annotations

from datetime import date, time
from typing import Any, Literal

import pytest
from pydantic import Field

from trainee_bench.meta_tasks.answers import Text
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
