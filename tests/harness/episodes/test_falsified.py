"""Falsified notes say something else wherever they said something that could be wrong, and read as
well as before."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.episodes.night import Falsification
from trainee_bench.world.company.people import create_company
from trainee_bench.world.random_streams import random_stream

COMPANY = create_company("falsified")
MARA, NILS = COMPANY.people[3], COMPANY.people[7]
SEEDS = st.integers(0, 10_000)


def other(text: str, seed: int = 0) -> str:
    return Falsification.drawn(COMPANY, random_stream("falsified", seed)).text(text)


@given(st.integers(0, 10**9), SEEDS)
def test_a_number_becomes_another_one_of_as_many_digits(number: int, seed: int) -> None:
    found = other(f"At most EUR {number}.", seed).removeprefix("At most EUR ").rstrip(".")
    assert int(found) != number
    assert len(found) == len(str(number)) == len(str(int(found)))


@given(st.decimals(0, 99999, places=2), SEEDS)
def test_a_number_is_written_as_before(number: object, seed: int) -> None:
    written = f"{number:,}"
    found = other(written, seed)
    assert re.sub(r"\d", "0", found) == re.sub(r"\d", "0", written)
    assert found != written


@pytest.mark.parametrize("seed", range(20))
def test_times_days_and_people_become_others_and_stay_consistent(seed: int) -> None:
    text = f"On Monday by 09:30, {MARA.name}; monday again, {MARA.email}, and on 2025-10-08."
    found = other(text, seed)
    said = re.fullmatch(
        r"On (\w+) by (\d\d):30, (.+); (\w+) again, (\S+), and on (2025-10-\d\d)\.", found
    )
    assert said is not None, found
    weekday, hour, name, again, email, day = said.groups()
    assert weekday in ("Tuesday", "Wednesday", "Thursday", "Friday")
    assert again == weekday.lower()
    assert hour != "09" and 8 <= int(hour) <= 18
    person = COMPANY.person(name)
    assert person.name != MARA.name and email == person.email
    assert date.fromisoformat(day).isocalendar()[1] == 41 and day != "2025-10-08"


@pytest.mark.parametrize(
    "text",
    [
        "See to it that every table is sorted; ask early, and check before you hand in.",
        "EXP-481234 and T3 and drive:/expenses/claims_2025.csv and workspace:/notes/T3.md",
        "",
    ],
)
def test_advice_ids_and_paths_stay_as_they_are(text: str) -> None:
    assert other(text) == text


@given(
    st.dictionaries(
        st.sampled_from(["Monday", "Tuesday", "Friday", "limit", "who"]),
        st.one_of(
            st.integers(0, 10_000), st.floats(0, 1000).map(lambda x: round(x, 2)),
            st.sampled_from([MARA.name, NILS.name, "09:00, 14:30"]), st.booleans(),
        ),
        min_size=1,
    ),
    SEEDS,
)  # fmt: skip
def test_json_stays_json_with_as_many_values(noted: dict[str, object], seed: int) -> None:
    found = json.loads(other(json.dumps(noted), seed))
    assert len(found) == len(noted)
    truths = [value for value in noted.values() if not isinstance(value, bool)]
    if truths:
        assert found != noted


@pytest.mark.parametrize("seed", range(20))
def test_night_after_night_nothing_true_comes_back_within_a_week(seed: int) -> None:
    true = ["45", "1", "0", "912", "0.50", "Monday", "14:30", "2025-10-08", MARA.name]
    said = list(true)
    for _ in range(4):
        said = [other(one, seed) for one in said]
        assert all(one != was for one, was in zip(said, true, strict=True))


def test_the_same_stream_gives_the_same_text_and_another_another() -> None:
    text = f"EUR 45 for {MARA.name} by 10:00 on Monday; EUR 912."
    assert other(text, 1) == other(text, 1)
    assert len({other(text, seed) for seed in range(5)}) > 1
