"""Texts without case and accents, for searches and look-ups."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.many_scripts import NAMES, decomposed, generated_names
from trainee_bench.world.folding import composed, folded, unaccented


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_only_casefolded(text: str) -> None:
    assert folded(text) == unaccented(text) == text.casefold()


@given(generated_names() | st.sampled_from(NAMES))
def test_no_form_depends_on_the_encoding(name: str) -> None:
    text = f"({name}, {name.upper()})"

    assert composed(decomposed(text)) == text
    assert folded(decomposed(text)) == folded(text)
    assert unaccented(decomposed(text)) == unaccented(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Jörg Groß", "jorg gross"),
        ("IŞIL Çağlar", "isil caglar"),
        ("Søren Łukasz Đặng", "soren lukasz dang"),
        ("مُحَمَّد", "محمد"),
        ("Ｊｏ", "jo"),
    ],
)
def test_accents_strokes_and_width_can_be_left_out(text: str, plain: str) -> None:
    assert unaccented(text) == plain


def test_vowels_of_indian_scripts_are_no_accents() -> None:
    assert unaccented("नीना") != unaccented("नाना")


def test_thousands_of_marks_take_no_longer_than_other_characters() -> None:
    marks = "a" + "\u0301\u0323" * 300_000

    assert folded(marks) == marks
    assert unicodedata.normalize("NFC", folded("a\u0301\u0323b")) == folded("a\u0323\u0301b")
