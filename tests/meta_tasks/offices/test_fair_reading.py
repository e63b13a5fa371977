"""A mail says what a fair colleague takes from it: not a denial, a question or a hedge."""

from __future__ import annotations

import pytest

from trainee_bench.meta_tasks.offices.affirmation import affirms, contradicts

COVERED, DAY = "covered by the warranty", "11 March"

SAID = [
    ("Your sextant will be ready on 11 March.", DAY),
    ("It will be ready not later than 11 March.", DAY),
    ("It is not only covered by the warranty, it is also collected.", COVERED),
    ("There is no doubt that the repair is covered by the warranty.", COVERED),
    ("The repair is without any doubt covered by the warranty.", COVERED),
    ("Don't worry, the repair is covered by the warranty.", COVERED),
    ("Please do not hesitate to call: it is ready on 11 March.", DAY),
    ("Please do not forget that it will be ready on 11 March.", DAY),
    ("No, the repair is covered by the warranty.", COVERED),
    ("You pay nothing, as the repair is covered by the warranty.", COVERED),
    ("There is no charge because the repair is covered by the warranty.", COVERED),
    ("It is repaired without charge and covered by the warranty.", COVERED),
    ("Covered by the warranty? Yes, it is.", COVERED),
    ("- covered by the warranty: yes\n- ready: 11 March", COVERED),
    ("If you have time, it will be ready on 11 March.", DAY),
    ("It is ready on 11 March, is that all right for you?", DAY),
    ("Thank you for your patience; the sextant of R-7714 will be ready on 11\nMarch.", DAY),
    ("As repairs were free before, we gladly say that it is covered by the\nwarranty.", COVERED),
    ("> When is it ready?\nIt is ready on 11 March.", DAY),
    ("It is not ready on 9 March but on 11 March.", DAY),
    ("It was not ready on 9 March. It is ready on 11 March.", DAY),
    ("The sextant (which we could not test before) is ready on 11 March.", DAY),
    ("The sextant – we could not test it before – is ready on 11 March.", DAY),
    ("You may collect it on 11 March.", DAY),
    ("It may be collected on 11 March.", DAY),
    ("We may accept the mandate.", "accept the mandate"),
    ("Your claim is covered by the warranty.", COVERED),
    ("Although it took long, the repair is covered by the warranty.", COVERED),
    ("The wrong lens was sent to you and is covered by the warranty.", COVERED),
    ("You asked whether you have to pay. The repair is covered by the warranty.", COVERED),
    ("It is ready: 11 March, 13:30-14:30.", "14:30"),
    ("The meeting is from 13:30 to 14:30.", "14:30"),
    ("The repair is covered by the warranty, and you do not have to pay.", COVERED),
    ("The repair is covered by the warranty, so you need not pay.", COVERED),
    ("You need not pay because the repair is covered by the warranty.", COVERED),
    ("We do not charge for this repair, since it is covered by the warranty.", COVERED),
    ("The repair does not cost anything, it is covered by the warranty.", COVERED),
    ("The hearing is no longer on 9 March, but on 11 March.", DAY),
    ("The hearing is on 11 March instead of 9 March.", DAY),
    ("Instead of 9 March it is now on 11 March.", DAY),
    ("I am sorry that you could not reach us. It is ready on 11 March.", DAY),
    ("X-3: no receipt\nX-7: not paid", "X-3"),
    ("We rejected X-3 and X-7.", "X-3"),
    ("X-3 is wrong, since the receipt is missing.", "X-3"),
    ("We pay for R-12, 30 euros.", "30 euros"),
    ("The total is −30 euros.", "-30 euros"),
    ("Conflict: yes, and no other client is concerned.", "Conflict: yes"),
    ("It is NOT ready on 9 March; it is READY ON 11 MARCH!", DAY),
    ("Dear Ms Lund,\nit is ready on 11 March.\nThe repair is covered by the warranty.", COVERED),
]  # fmt: skip
LEFT_OPEN_OR_DENIED = [
    ("Is it ready on 11 March?", DAY),
    ("The repair is covered by the warranty, isn't it?", COVERED),
    ("Covered by the warranty? No.", COVERED),
    ("Covered by the warranty: no.", COVERED),
    ("Covered by the warranty = false", COVERED),
    ("If it is covered by the warranty, you pay nothing.", COVERED),
    ("We will check whether it is covered by the warranty.", COVERED),
    ("We will look into its being covered by the warranty.", COVERED),
    ("You asked if the repair is covered by the warranty.", COVERED),
    ("You asked about 11 March.", DAY),
    ("> It is ready on 11 March.\nThank you for your mail.", DAY),
    ("Perhaps it is covered by the warranty.", COVERED),
    ("It might be ready on 11 March.", DAY),
    ("It may well be covered by the warranty.", COVERED),
    ("It would have been covered by the warranty.", COVERED),
    ("It is unclear to us, the repair being covered by the warranty.", COVERED),
    ("We hope that it is covered by the warranty.", COVERED),
    ("It is supposedly covered by the warranty.", COVERED),
    ("It is wrong that the repair is covered by the warranty.", COVERED),
    ("That it is covered by the warranty is false.", COVERED),
    ("That the repair is covered by the warranty is out of the question.", COVERED),
    ("We deny that the repair is covered by the warranty.", COVERED),
    ("The repair is hardly covered by the warranty.", COVERED),
    ("It is anything but covered by the warranty.", COVERED),
    ("No repair of this kind is covered by the warranty.", COVERED),
    ("Nothing of it is covered by the warranty.", COVERED),
    ("You get it back without being covered by the warranty.", COVERED),
    ("It is not (as you hoped) covered by the warranty.", COVERED),
    ("It is not – as you hoped – covered by the warranty.", COVERED),
    ("It is not, though we tried, covered by the warranty.", COVERED),
    ("We looked at the page, and the repair is not\ncovered by the warranty.", COVERED),
    ("It is not... covered by the warranty.", COVERED),
    ("It is not: covered by the warranty.", COVERED),
    ("It isnt covered by the warranty.", COVERED),
    ("It is n\u200bot covered by the warranty.", COVERED),
    ("It isnʼt covered by the warranty.", COVERED),
    ("Die Reparatur ist nicht covered by the warranty.", COVERED),
    ("It will be ready on 9, 10 or 11 March.", DAY),
    ("It will be ready on 9–11 March.", DAY),
    ("It will be ready on 9 March or 11 March.", DAY),
    ("It will be ready on 11 March or 12 March.", DAY),
    ("Covered by the warranty (no).", COVERED),
    ("Covered by the warranty: unknown", COVERED),
    ("Covered by the warranty? We do not know.", COVERED),
    ("We repair it not because it is covered by the warranty.", COVERED),
    ("It used to be covered by the warranty.", COVERED),
    ("It is almost covered by the warranty.", COVERED),
    ("Suppose it is covered by the warranty.", COVERED),
    ("It is covered by the warranty, if at all.", COVERED),
    ("I doubt that it is covered by the warranty.", COVERED),
    ("Covered by the warranty, it is not.", COVERED),
    ("Your question was whether, as you say, it is covered by the warranty.", COVERED),
]  # fmt: skip


@pytest.mark.parametrize(("text", "phrase"), SAID)
def test_what_a_fair_colleague_takes_as_said_is_affirmed(text: str, phrase: str) -> None:
    assert affirms(text, phrase)


@pytest.mark.parametrize(("text", "phrase"), LEFT_OPEN_OR_DENIED)
def test_what_is_denied_asked_hedged_or_quoted_is_not_affirmed(text: str, phrase: str) -> None:
    assert not affirms(text, phrase)


@pytest.mark.parametrize(
    "text",
    [
        "It will be ready on 9 March.",
        "It will be ready on 11 March (if not on 9 March).",
        "It will be ready on 11 March. Perhaps it is ready on 9 March.",
        "It will be ready on 11 March. It is not impossible that it is ready on 9 March.",
        "It will be ready on 11 March. We cannot exclude 9 March.",
        "It will be ready on 11 March. Or is it 9 March?",
        "It will be ready on 11 March or 9 March.",
    ],
)
def test_a_wrong_value_that_is_hedged_contradicts(text: str) -> None:
    assert contradicts(text, "9 March")


@pytest.mark.parametrize(
    "text",
    [
        "It will be ready on 11 March, not 9 March.",
        "It will be ready on 11 March (not on 9 March).",
        "It cannot be ready on 9 March.",
        "You asked for 9 March. It will be ready on 11 March.",
        "> Is it ready on 9 March?\nIt is ready on 11 March.",
    ],
)
def test_a_wrong_value_that_is_denied_or_quoted_does_not_contradict(text: str) -> None:
    assert not contradicts(text, "9 March")
