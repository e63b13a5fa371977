"""Which words of a text are worth keeping secret: those of the plain expression, in linear time."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.meta_tasks.disclosure import secret_words

PLAIN = re.compile(r"\w*\d[\w.,%/:-]*\w|\d|[A-Z][a-z]+ [A-Z][a-z]+")
"""The expression as one would write it, whose time grows with the square of a word's length."""


def test_words_with_a_digit_and_names_are_found_in_their_order() -> None:
    text = "Ada Lovelace paid EUR 1,250.50 on 2024-03-01 for INV-77; 5 remain (ask Max Born9x)."

    assert secret_words(text) == [
        "Ada Lovelace", "1,250.50", "2024-03-01", "77", "5", "Max Born", "9x"
    ]  # fmt: skip


@settings(max_examples=1500, deadline=None)
@given(st.text(alphabet="aB9 .-_É\n", max_size=24))
def test_the_words_are_those_that_the_plain_expression_finds(text: str) -> None:
    assert secret_words(text) == PLAIN.findall(text)
