"""Asking who knows something."""

from __future__ import annotations

import pytest

from trainee_bench.meta_tasks.work.referring import WhoKnows

WHO = WhoKnows(
    "Who keeps the fee rates for fees.csv?",
    others=" in Finance knows the fee rates for fees.csv.",
    own="I know the fee rates for fees.csv.",
)


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        ("Try this: Ada Smith in Finance knows the fee rates for fees.csv.", "Ada Smith"),
        ("I know the fee rates for fees.csv.", ""),
    ],
    ids=["somebody else", "whoever is asked"],
)
def test_who_is_named_is_read_from_an_answer(answer: str, named: str) -> None:
    assert WHO.read(answer) == dict.fromkeys(WHO.subjects, named)


@pytest.mark.parametrize(
    "answer",
    [
        "Ada Smith in Finance knows the fee rates for other_fees.csv.",
        "Ada Smith in Finance knows the fee rates for fees.csv2.",
        "I know the fee rates for other_fees.csv.",
        "No idea, sorry.",
    ],
)
def test_an_answer_about_something_else_names_nobody(answer: str) -> None:
    assert WHO.read(answer) == {}
