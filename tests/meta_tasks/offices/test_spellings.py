"""A text affirms a phrase where it denies nothing; values are recognised in all spellings."""

from __future__ import annotations

import pytest

from trainee_bench.meta_tasks.offices.affirmation import affirms


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The repair is covered by the warranty.", "covered by the warranty"),
        ("Although Kai Ltd is not itself a client, its owner Thorsen is.", "owner Thorsen"),
        ("Client: Thorsen GmbH (not Kaiser Holding).", "Thorsen GmbH"),
        ("It will be ready on 11 March, not 9 March.", "11 March"),
        ("It was not ready on Monday, but it is ready on 11 March.", "11 March"),
        ("We cannot say why; the day is 11 March.", "11 March"),
        ("It is not covered by the warranty.", "not covered"),
        ("Conflict: yes, and no other client is concerned.", "Conflict: yes"),
        ("The price isn't fixed — the limit is 30 euros.", "30 euros"),
    ],
)
def test_a_phrase_is_affirmed_in_a_part_that_denies_nothing(text: str, phrase: str) -> None:
    assert affirms(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The repair is not covered by the warranty.", "covered by the warranty"),
        ("It is not so that we may accept the mandate.", "may accept the mandate"),
        ("Although the owner Thorsen is not a client, Kai Ltd is.", "owner Thorsen"),
        ("Client: Thorsen GmbH (not Kaiser Holding).", "Kaiser Holding"),
        ("It will be ready on 11 March, not 9 March.", "9 March"),
        ("It can't be ready on 11 March.", "11 March"),
        ("We are not able to repair it, as it is covered by the warranty.", "covered by"),
    ],
)
def test_a_phrase_that_is_denied_is_not_affirmed(text: str, phrase: str) -> None:
    assert not affirms(text, phrase)
