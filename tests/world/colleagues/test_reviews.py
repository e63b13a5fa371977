"""Reviewers of a file: their replies, signatures and revisions."""

from __future__ import annotations

import pytest

from tests.world.office import MARA, NILS, at, do, office, wait_until
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.apps.files import Files
from trainee_bench.world.colleagues.knowledge import Clue, ClueAdded, Knowledge
from trainee_bench.world.colleagues.phrasing import RemarkKind, phrase_remark
from trainee_bench.world.colleagues.reviews import ChangedWording, FileReview, ReviewAdded, Reviews
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.world import World

PATH = "workspace:/report.md"
CLUE = Clue(id="T1/rate", holder=NILS, payload="The rate is 4.", asks=("What is the rate?",) * 5)
REVIEW = FileReview(
    id="T1/signed_off",
    reviewer=MARA,
    path=PATH,
    finding="The rate is 7 now.",
    approval="I sign it off.",
    right=(ChangedWording.between("4", "7"),),
    after=(CLUE.id,),
    first="Ask Nils for the rate first.",
    revisions={CLUE.id: "The rate is 7."},
)
TEXT = "Please sign off report.md."


async def opened(told: bool = True) -> World:
    world = await office(ClueAdded(clue=CLUE), ReviewAdded(review=REVIEW))
    await wait_until(world, at(10))
    if told:
        await do(world, lambda tx: Knowledge(tx).record_disclosure(CLUE.id, tx.employee, "chat"))
    return world


async def write(world: World, text: str) -> None:
    def verb(files: Files) -> None:
        if files.exists(PATH):
            files.delete(PATH)
        files.write_text(PATH, text)

    await do(world, lambda tx: verb(Files(tx)))


async def said(world: World, to: str = MARA, text: str = TEXT) -> str:
    """Return the answer of *to* to *text*."""
    sent = await do(world, lambda tx: Chat(tx).send(to, text), minutes=60)
    messages = await do(world, lambda tx: list(Chat(tx).history(to, 0, 0)))
    return next(message.text for message in messages if message.answers == sent.id)


async def signed(world: World) -> bool:
    return (await world.read(lambda tx: Knowledge(tx).heard_at(REVIEW.id, tx.employee))) is not None


async def signed_as_it_is(world: World) -> bool:
    return await world.read(lambda tx: Reviews(tx).signed_at(REVIEW.id, tx.employee)) is not None


async def test_a_file_is_signed_off_once_it_says_what_is_right_now() -> None:
    async with await opened() as world:
        await write(world, "The rate is 4.")
        assert await said(world) == REVIEW.finding
        assert not await signed(world)
        await write(world, "The rate is 7.")
        assert await said(world) == REVIEW.approval
        assert await signed(world)
        assert await said(world) == REVIEW.approval


async def test_the_same_file_is_not_signed_off_however_often_it_is_shown() -> None:
    async with await opened() as world:
        await write(world, "The rate is 4.")
        await said(world)
        assert await said(world) == f"The file hasn't changed. {REVIEW.finding}"
        assert not await signed(world)


async def test_a_file_that_is_changed_and_still_wrong_is_not_signed_off() -> None:
    async with await opened() as world:
        await write(world, "junk 1")
        assert await said(world) == REVIEW.finding
        await write(world, "junk 2")
        assert await said(world) == f"That is not right yet. {REVIEW.finding}"
        assert not await signed(world)


async def test_a_file_that_is_right_when_it_is_first_shown_is_signed_off_at_once() -> None:
    async with await opened() as world:
        await write(world, "The rate is 7.")
        assert await said(world) == REVIEW.approval
        assert await signed_as_it_is(world)


async def test_a_signature_is_for_what_the_file_said_however_it_is_laid_out() -> None:
    async with await opened() as world:
        await write(world, "The rate is 7.")
        await said(world)
        await write(world, "the  rate\nis 7.0")
        assert await signed_as_it_is(world)
        await write(world, "The rate is 9.")
        assert not await signed_as_it_is(world)
        assert await said(world) == f"That is not right yet. {REVIEW.finding}"
        await write(world, "The rate is 7.")
        assert await signed_as_it_is(world)


async def test_a_signature_holds_whether_somebody_is_written_by_name_id_or_address() -> None:
    async with await opened() as world:
        await write(world, "Jo Brook: 7.")
        await said(world)
        for other in ("jo.brook: 7.", "JO.BROOK@northwind.example: 7."):
            await write(world, other)
            assert await signed_as_it_is(world)
        for other in ("Jo Brook: 8@7.5", "jo.brooks@northwind.example: 7."):
            await write(world, other)
            assert not await signed_as_it_is(world)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ('{"rate": 7.0, "names": ["J\\u00f6rg", "Ada"]}', True),
        ("Ada, Jörg: 7", True),
        ("Ada, Jörg: 4 and 7", False),
        ("Ada: 7", False),
        ("", False),
    ],
)
def test_a_change_is_recognised_in_any_form(text: str, right: bool) -> None:
    changed = ChangedWording.between("Ada 4", "Ada Jörg 7")
    assert changed.is_in(text.encode()) is right


def test_numbers_may_be_rounded_and_whole_numbers_may_not() -> None:
    changed = ChangedWording.between("1.5 3", "1234.56 17")
    assert changed.is_in(b"1234.6 17") and changed.is_in(b"17.0, 1234.56")
    assert not changed.is_in(b"1234.7 17") and not changed.is_in(b"1234.56 17.01")


async def test_without_a_file_or_with_an_empty_one_the_reviewer_says_that_there_is_none() -> None:
    async with await opened() as world:
        assert await said(world) == f"I don't see {PATH} yet. Message me again once it is there."
        await write(world, "  ")
        assert await said(world) == f"I don't see {PATH} yet. Message me again once it is there."


async def test_somebody_who_was_not_told_the_facts_is_sent_to_ask_and_learns_no_finding() -> None:
    async with await opened(told=False) as world:
        await write(world, "The rate is 4.")
        assert await said(world) == REVIEW.first
        await write(world, "The rate is 5.")
        assert await said(world) == REVIEW.first


async def test_with_the_finding_the_holders_know_what_is_right_now() -> None:
    async with await opened() as world:
        await write(world, "The rate is 4.")
        before = await world.read(lambda tx: Knowledge(tx).clue(CLUE.id).payload)
        await said(world)
        after = await world.read(lambda tx: Knowledge(tx).clue(CLUE.id).payload)
        assert (before, after) == (CLUE.payload, REVIEW.revisions[CLUE.id])


async def test_a_holder_tells_a_changed_fact_in_its_new_form() -> None:
    async with await opened() as world:
        await write(world, "The rate is 4.")
        await said(world)
        await said(world, NILS, CLUE.asks[0])
        await said(world, NILS, "Is that right?")
        answers = await do(
            world, lambda tx: [sent for sent in Chat(tx).history(NILS, 0, 0) if sent.answers]
        )
        manner = (await world.read(lambda tx: Directory(tx).person(NILS))).manner
        told = REVIEW.revisions[CLUE.id]
        assert [answer.text for answer in answers] == [
            phrase_remark(remark, manner, (NILS, answer.answers), told)
            for remark, answer in zip((RemarkKind.TELL, RemarkKind.AGAIN), answers, strict=True)
        ]


async def test_about_another_file_or_to_somebody_else_it_is_a_message_like_any_other() -> None:
    async with await opened() as world:
        await write(world, "The rate is 4.")
        for to, text in ((MARA, "Please sign off budget.md."), (NILS, TEXT)):
            answer = await said(world, to, text)
            assert answer not in (REVIEW.finding, REVIEW.approval, REVIEW.first)
        assert not await signed(world)
