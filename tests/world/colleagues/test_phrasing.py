"""What colleagues' remarks are made of."""

from __future__ import annotations

import pytest

from trainee_bench.world.colleagues.phrasing import RemarkKind, phrase_remark
from trainee_bench.world.company.people import MANNERS, Manner

CARRYING = {
    RemarkKind.TELL, RemarkKind.AGAIN, RemarkKind.NOT_YET, RemarkKind.MEAN_ONE,
    RemarkKind.MEAN_SEVERAL, RemarkKind.REFER,
}  # fmt: skip
"""Remarks in which something is told word for word."""


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("remark", RemarkKind)
def test_every_remark_can_be_made_in_every_manner_and_in_several_ways(
    remark: RemarkKind, manner: Manner
) -> None:
    said = {phrase_remark(remark, manner, ("mara", number), "<it> {}") for number in range(60)}
    assert len(said) >= 3
    for text in said:
        assert text.count("<it> {}") == (1 if remark in CARRYING else 0)
        assert text == text.strip()
        assert text.replace("<it> {}", "").count("{") == 0


def test_a_remark_follows_from_its_occasion_alone() -> None:
    first = phrase_remark(RemarkKind.HELLO, "warm", ("mara", 3))
    assert all(
        phrase_remark(RemarkKind.HELLO, "warm", ("mara", 3), told) == first for told in ("", "x")
    )


CONSENTS = ("sure", "of course", "pleasure", "happy", "glad", "easy", "certainly", "yes")
"""Before a no or a wrong place they would contradict it."""


@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("remark", [RemarkKind.TELL, RemarkKind.REFER])
def test_no_opener_agrees_to_what_the_answer_may_refuse_or_not_know(
    remark: RemarkKind, manner: Manner
) -> None:
    for number in range(60):
        said = phrase_remark(remark, manner, ("mara", number), "<it>").casefold()
        before = said.partition("<it>")[0]
        assert not any(word in before for word in CONSENTS), said
        assert "right place" not in before and "know where" not in before, said
