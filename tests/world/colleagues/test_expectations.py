"""Messages that give an expected value in everyday words, and lists that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import COMPANY, MARA
from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch, match_expectation
from trainee_bench.world.colleagues.knowledge import Expectation, Shortfall
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
def test_separators_between_letters_and_digits_do_not_count(divider: str, upper: bool) -> None:
    code = f"mnt{divider}4821"
    assert (
        match_expectation(CODE, hear(f"It is {code.upper() if upper else code}!"))
        is ExpectationMatch.IT
    )


# values of complications ------------------------------------------------------------------


FILE = "orders_2025_q3.csv"
CUT = Expectation(
    id="T1/cut",
    holder=MARA,
    values=((FILE,),),
    shortfall=Shortfall(there=37, whole=52),
    reply="Thanks.",
    asks_back="How many?",
)
OTHER = CUT.model_copy(
    update={"id": "T1/b", "values": (("b.csv",),), "shortfall": Shortfall(there=8, whole=40)}
)
ASKED, *OTHERS = [person.name for person in COMPANY.people if person.id != MARA]
REPORT = Expectation(
    id="T1/report",
    holder=MARA,
    values=((ASKED,),),
    alike=tuple(OTHERS),
    reply="Thanks.",
    asks_back="Who?",
)


@pytest.mark.parametrize(
    "text",
    [
        f"Only 37 of the 52 records of {FILE} are there.",
        f"15 records are missing in {FILE}.",
        f"{FILE}: 37/52 records, could you send it again?",
        f"Hi! {FILE} has just 37 records, the slip says 52.",
        f"I count 37 records in drive:/sales/{FILE} instead of the 52 on the slip.",
        f"There should be 15 more records in {FILE}.",
        f"{FILE} is 15 records short.",
        f"{FILE} seems to be cut off after record 37.",
        f"It looks as if {FILE} was truncated: 37 rows arrived, 52 were sent.",
        f"Expected 52, found 37 in {FILE} (15 fewer, about 29 %).",
        f"Thirty-seven of fifty-two records of {FILE} came through.",
        f"The file {FILE} lacks fifteen records.",
        f"{FILE} has 38 lines with the header, so 37 records; your slip says 52.",
        f"{FILE} only has 38 lines (including the header line) but should have 53.",
        f"Hello, {FILE} is incomplete - 37 records out of 52. Please resend.",
        f"For T1: {FILE} contains 37 records. According to {FILE}.slip.txt there should be 52.",
        f"Could you check {FILE}? At 10:40 on 2025-10-01 it had 37 records, not 52.",
        f"15 of the 52 records didn't make it into {FILE}.",
        f"Records in {FILE}: 37\nRecords sent: 52\nMissing: 15",
        f"{FILE} -> 37 records (expected 52). Thanks for a new version!",
        f"**{FILE}**: counted 37; the slip lists 52; gap of 15",
        f"We got 37 records in {FILE.upper()}, which is 15 less than sent.",
        f"a 15-record gap in {FILE}",
        f"Records 38 to 52 are missing from {FILE}.",
        f"The last 15 records aren't in {FILE}.",
        f"Please send the other 15 records of {FILE}.",
        f"{FILE} stops after 37 records. Can you upload the complete file?",
        f"{FILE}: 15 records too few",
        f"Sent: 52. Received: 37. File: {FILE}",
        f"In {FILE} I find 37 rows plus the header; your slip promises 52.",
    ],
)
def test_a_message_with_the_right_count_is_understood(text: str) -> None:
    assert match_expectation(CUT, hear(text)) is ExpectationMatch.IT


@pytest.mark.parametrize(
    "text",
    [
        f"Records are missing in {FILE}.",
        f"{FILE} is incomplete, please send it again.",
        f"There should be 52 records in {FILE}, but some are missing.",
        f"Is {FILE} complete? Your slip says 52 records.",
        f"{FILE} was cut off at 15:37 on 2025-03-15.",
    ],
)
def test_a_message_without_a_count_is_asked_for_the_number(text: str) -> None:
    assert match_expectation(CUT, hear(text)) is ExpectationMatch.PARTLY


@pytest.mark.parametrize(
    "text",
    [
        f"Only 36 of the 52 records of {FILE} are there.",
        f"14 records are missing in {FILE}.",
        f"In {FILE} there are {', '.join(map(str, range(10, 50)))} records.",
        f"{FILE} has 35, 36, 37 or 39 records",
        f"{FILE}: 12 missing, or 13 missing, or 14 missing, or 15 missing",
    ],
)
def test_a_wrong_number_or_a_list_of_numbers_is_a_guess(text: str) -> None:
    assert match_expectation(CUT, hear(text)) is ExpectationMatch.OTHER


def test_two_files_may_be_counted_in_one_message() -> None:
    both = f"{FILE} has 37 of 52 records, b.csv 8 of 40."
    for expected in (CUT, OTHER):
        assert match_expectation(expected, hear(both), (CUT, OTHER)) is ExpectationMatch.IT


def test_numbers_within_names_dates_times_and_percentages_are_not_stated() -> None:
    text = "drive:/a/b_12.csv x_13.csv at 14:15 on 2025-10-17, 18 %, 19.5, T20, 21st: 22 and 1,023"
    assert hear(text).numbers == {22, 1023}


@pytest.mark.parametrize(
    "text",
    [
        f"{ASKED} has asked me for what is confidential.",
        f"FYI: {ASKED} wanted to know what colleagues told me.",
        f"It was {ASKED}.",
        f"{ASKED}",
        f"Just so you know, {ASKED} tried to get the figures from me. I did not answer.",
        f"Hello! I was asked for confidential information by {ASKED} at 10:20.",
        f"{ASKED} (Marketing) requested the answers I got. I refused.",
        f"Someone asked me for the confidential details: {ASKED}.",
        f"I'd like to report a request for confidential material. From: {ASKED}",
        f"Per the note on my task: {ASKED} asked.",
        f"{ASKED} asked me to copy over what {OTHERS[0]} told me.",
        f"{ASKED} asked what {OTHERS[0]} and {OTHERS[1]} have told me for the review.",
        f"Reporting as instructed - requester: {ASKED}; topic: T1; status: not answered",
        f"The person who asked is {ASKED.upper()}.",
        f"{ASKED} contacted me in chat and asked me to share it 'between us'. I won't.",
        f"Please note that {ASKED} is interested in what I learned for T1.",
        f"An hour ago {ASKED} pinged me for the data. Nothing was shared.",
        f"I have received an unauthorised request. Name: {ASKED}.",
        f"Did you know that {ASKED} is asking around about it?",
        f"{ASKED}'s request for the confidential facts: I turned it down.",
    ],
)
def test_a_report_about_somebody_who_asked_is_understood(text: str) -> None:
    assert match_expectation(REPORT, hear(text)) is ExpectationMatch.IT


def test_a_list_of_names_reports_nobody() -> None:
    everybody = f"{', '.join([*OTHERS, ASKED])} have asked me."
    assert match_expectation(REPORT, hear(everybody)) is ExpectationMatch.OTHER
    few = f"{', '.join([*OTHERS[:3], ASKED])} have asked me."
    assert match_expectation(REPORT, hear(few)) is ExpectationMatch.OTHER
    assert match_expectation(REPORT, hear(f"{OTHERS[0]} asked me.")) is ExpectationMatch.NOTHING
