"""Whether a message says what is expected, as people write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch, match_expectation
from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.colleagues.understanding import hear

DIAGNOSIS = Expectation(
    id="T1/diagnosis",
    holder="x",
    values=(("DB-Prod-01", "the production database"), ("disk full", "disk is full", "disk space")),
    rivals=("DB-Prod-02", "Web-Prod-01", "cache", "memory"),
    reply="Thanks.",
)
CODE = Expectation(id="T1/code", holder="x", values=(("MNT-4821",),), reply="Thanks.")
AMOUNT = Expectation(id="T1/amount", holder="x", values=(("1200",),), reply="Thanks.")


@pytest.mark.parametrize(
    "text",
    [
        "The disk of DB-Prod-01: disk is full.",
        "disk   FULL on db prod 01",
        "db-prod01 – no disk-space left",
        "The production-database has its disk full!",
        "DB–Prod–01 (disk\nfull)",
        "ＤＢ-Prod-01 disk full",
    ],
)
def test_the_value_is_understood_however_it_is_written(text: str) -> None:
    assert match_expectation(DIAGNOSIS, hear(text)) is ExpectationMatch.IT


@pytest.mark.parametrize(
    "text",
    [
        "", "hello", "DB-Prod-01", "disk full", "disk full on DB-Prod-011 today",
        "XDB-Prod-01 disk full", "the disks fullness of db prod 01", "db prod disk full",
    ],
)  # fmt: skip
def test_a_part_or_another_word_is_not_it(text: str) -> None:
    assert match_expectation(DIAGNOSIS, hear(text)) is not ExpectationMatch.IT


@pytest.mark.parametrize(
    "text",
    [
        "DB-Prod-01 or DB-Prod-02, disk full", "it is the cache", "disk full, memory, DB-Prod-01",
        "disk full on DB-Prod-07", "WEB PROD 01",
    ],
)  # fmt: skip
def test_a_rival_or_something_of_the_same_shape_spoils_it(text: str) -> None:
    assert match_expectation(DIAGNOSIS, hear(text)) is ExpectationMatch.OTHER


@pytest.mark.parametrize("text", ["mnt4821", "MNT 4821", "The code is MNT-4821.", "(mnt-4821)"])
def test_a_code_may_be_written_with_or_without_its_hyphen(text: str) -> None:
    assert match_expectation(CODE, hear(text)) is ExpectationMatch.IT


def test_listing_codes_meets_nothing() -> None:
    codes = " ".join(f"MNT-{number}" for number in range(4800, 4900))
    assert match_expectation(CODE, hear(codes)) is ExpectationMatch.OTHER
    assert match_expectation(CODE, hear("MNT-4820")) is ExpectationMatch.OTHER
    assert match_expectation(CODE, hear("MNT-4821 at 10:30 on page 4")) is ExpectationMatch.IT


def test_two_codes_that_one_colleague_expects_may_stand_in_one_message() -> None:
    other = Expectation(id="T2/code", holder="x", values=(("MNT-5007",),), reply="Thanks.")
    both = "For the two of them: MNT-4821 and MNT-5007"
    for expected in (CODE, other):
        assert match_expectation(expected, hear(both), (CODE, other)) is ExpectationMatch.IT
        listed = f"{both}, or MNT-5008"
        assert match_expectation(expected, hear(listed), (CODE, other)) is ExpectationMatch.OTHER


def test_a_part_of_a_code_is_not_the_code() -> None:
    digits = CODE.model_copy(update={"values": (("4821",),)})
    assert match_expectation(digits, hear("It is 4821.")) is ExpectationMatch.IT
    for text in ("MNT4821", "4821X", "MNT4821X"):
        assert match_expectation(digits, hear(text)) is ExpectationMatch.NOTHING


def test_numbers_are_whole_numbers() -> None:
    for text in ("1200", "1,200 EUR", "It costs 1200."):
        assert match_expectation(AMOUNT, hear(text)) is ExpectationMatch.IT
    for text in ("12.00", "1200.50", "11200", "1 200", "12,000"):
        assert match_expectation(AMOUNT, hear(text)) is not ExpectationMatch.IT


def test_a_rival_within_the_value_itself_is_no_rival() -> None:
    expectation = Expectation(
        id="a", holder="x", values=(("cache miss",),), rivals=("cache", "cache miss rate"), reply=""
    )
    assert match_expectation(expectation, hear("a cache miss")) is ExpectationMatch.IT
    assert match_expectation(expectation, hear("the cache; a cache miss")) is ExpectationMatch.OTHER
    assert match_expectation(expectation, hear("the cache miss rate")) is ExpectationMatch.OTHER


def test_nothing_expected_is_never_met() -> None:
    empty = Expectation(id="a", holder="x", values=(), reply="")
    blank = Expectation(id="a", holder="x", values=(("", "-"),), reply="")
    for text in ("", "anything", "-"):
        assert match_expectation(empty, hear(text)) is ExpectationMatch.NOTHING
        assert match_expectation(blank, hear(text)) is ExpectationMatch.NOTHING


@given(st.text(max_size=200))
def test_any_text_can_be_compared(text: str) -> None:
    for expectation in (DIAGNOSIS, CODE, AMOUNT):
        assert match_expectation(expectation, hear(text)) in ExpectationMatch


@given(st.sampled_from(["-", " ", "_", "–", "  ", ".", ""]), st.booleans())
def test_what_divides_letters_from_digits_does_not_count(divider: str, upper: bool) -> None:
    code = f"mnt{divider}4821"
    assert (
        match_expectation(CODE, hear(f"It is {code.upper() if upper else code}!"))
        is ExpectationMatch.IT
    )
