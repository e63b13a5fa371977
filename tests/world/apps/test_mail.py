"""Mail: who gets what, answers and forwards, labels, attachments, what arrives by itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.world.office import (
    COMPANY,
    MARA,
    NILS,
    OLGA,
    PAUL,
    ROBIN,
    act,
    at,
    do,
    office,
    wait_until,
)
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.mail import (
    MAX_BODY_LENGTH,
    MAX_LABELS,
    MAX_SUBJECT_LENGTH,
    Mail,
    MailArrives,
)
from trainee_bench.world.email.message import AttachmentFile, MailAddress, MailboxEntry, MailMessage
from trainee_bench.world.errors import Invalid, NotFound, Refused, WorldError
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.transaction import NoticeKind
from trainee_bench.world.world import World

NAMES = {person.id: person.name for person in COMPANY.people}
VENDOR = "Bill Payne <billing@vendor.example.org>"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(99))


def id_of(address: MailAddress) -> str:
    """The id of a colleague, whose address begins with it."""
    return address.address.removesuffix("@tessel.example")


def arriving(
    subject: str = "Budget",
    body: str = "The budget is 400.",
    sender: str = MARA,
    to: tuple[str, ...] = (ROBIN,),
    **more: Any,
) -> MailArrives:
    return MailArrives(sender=sender, to=to, subject=subject, body=body, **more)


async def page(world: World, *how: Any, actor: str = ROBIN, **more: Any) -> list[int]:
    """The numbers of the mails that are listed."""
    found = await do(world, lambda t: Mail(t).page(*how, **more), actor)
    return [mail.id for mail in found]


async def send(world: World, to: Any = (NILS,), actor: str = ROBIN, **more: Any) -> MailMessage:
    how = {"subject": "Report", "body": "All is well.", **more}
    return await do(world, lambda t: Mail(t).send(to, **how), actor)


async def filed(world: World, id: int, actor: str = ROBIN) -> MailboxEntry:
    return await do(world, lambda t: Mail(t).mailbox_entry(id), actor)


# sending ------------------------------------------------------------------------------------


async def test_a_mail_lies_with_its_sender_and_each_recipient_and_nobody_else() -> None:
    async with await office() as world:
        sent = await send(world, (NILS,), cc=(OLGA,))
        assert (await filed(world, sent.id)).labels == ("all", "sent")
        for person in (NILS, OLGA):
            assert await filed(world, sent.id, person) == MailboxEntry(
                message=sent, labels=("all", "inbox", "unread")
            )
        with pytest.raises(NotFound, match="You have no mail 1; find mails with mail_list"):
            await filed(world, sent.id, PAUL)
        assert await page(world, "all", actor=PAUL) == []


async def test_a_mail_says_who_sent_it_when_and_to_whom() -> None:
    async with await office() as world:
        await wait_until(world, at(11))
        sent = await send(world, (NAMES[NILS], f"{OLGA}@tessel.example"), cc=(VENDOR,))
        assert str(sent.sender) == "Robin Hale <robin.hale@tessel.example>"
        assert [address.short for address in sent.to] == [NAMES[NILS], NAMES[OLGA]]
        assert [str(address) for address in sent.cc] == [VENDOR]
        assert (sent.at, sent.subject, sent.body) == (at(11), "Report", "All is well.")
        assert await world.read(lambda t: Mail(t).sent_by(ROBIN)) == [sent]
        assert await world.read(lambda t: Mail(t).sent_by(NILS)) == []


async def test_a_recipient_gets_a_mail_once_however_often_named() -> None:
    async with await office() as world:
        sent = await send(world, (NILS, NAMES[NILS], NILS.upper()), cc=(NILS, OLGA, OLGA))
        assert [id_of(address) for address in sent.recipients] == [NILS, OLGA]
        assert [id_of(address) for address in sent.cc] == [OLGA]


async def test_a_mail_to_oneself_is_received_and_sent_without_a_notice() -> None:
    async with await office() as world:
        done = await act(world, lambda t: Mail(t).send((ROBIN,), "Note", "Remember."))
        assert done.notices == ()
        assert (await filed(world, 1)).labels == ("all", "inbox", "sent", "unread")


@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ({"to": ()}, Invalid, "at least one recipient in to"),
        ({"to": ("Zzyzx Qqq",)}, NotFound, "Nobody here is called"),
        ({"to": ("nobody@tessel.example",)}, NotFound, "Nobody here is called"),
        ({"to": ("Nobody <nobody@tessel.example>",)}, NotFound, "Nobody here is called"),
        ({"to": ("a@b",)}, Invalid, "not a mail address"),
        ({"to": ("a b@c.org",)}, Invalid, "not a mail address"),
        ({"to": ("",)}, NotFound, "Nobody here is called"),
        ({"to": ("x@y.org\nBcc: z@y.org",)}, Invalid, "not a mail address"),
        (
            {"to": tuple(f"a{n}@b.org" for n in range(101))},
            Invalid,
            "at most 100 recipients, not 101",
        ),
        ({"subject": " "}, Invalid, "needs a subject"),
        ({"subject": "a\nBcc: b"}, Invalid, "one printable line"),
        ({"subject": "x" * (MAX_SUBJECT_LENGTH + 1)}, Invalid, "200 characters"),
        ({"body": "x" * (MAX_BODY_LENGTH + 1)}, Invalid, "attach a file"),
        ({"attachments": ("workspace:/none.md",)}, NotFound, "no file"),
        ({"attachments": ("/etc/passwd",)}, Invalid, "not a path here"),
        ({"attachments": ("workspace:/../x",)}, Invalid, "do not work here"),
    ],
)
async def test_an_invalid_mail_is_refused_and_nothing_is_sent(
    how: dict[str, Any], error: type[WorldError], says: str
) -> None:
    async with await office() as world:
        with pytest.raises(error, match=says):
            await send(world, **how)
        assert await world.read(lambda t: Mail(t).sent_by(ROBIN)) == []
        assert await page(world, "all", actor=NILS) == []


async def test_a_near_miss_of_a_name_is_answered_with_the_name() -> None:
    async with await office() as world:
        with pytest.raises(NotFound, match=NAMES[NILS]):
            await send(world, (NAMES[NILS][:-1],))


async def test_mass_mail_can_be_told_by_its_recipients() -> None:
    async with await office() as world:
        assert await world.read(lambda t: Mail(t).max_recipients(ROBIN)) == 0
        await send(world, (NILS,), cc=(OLGA, VENDOR))
        await send(world, (NILS,))
        await send(world, tuple(person.id for person in COMPANY.people), actor=NILS)
        assert await world.read(lambda t: Mail(t).max_recipients(ROBIN)) == 3
        assert await world.read(lambda t: Mail(t).max_recipients(NILS)) == 50


# what arrives -------------------------------------------------------------------------------


async def test_mail_arrives_when_it_is_due_and_its_owner_is_told() -> None:
    async with await office(later=((at(9), arriving()),)) as world:
        assert await page(world) == []
        assert await wait_until(world, at(9)) == [f"Mail 1 from {NAMES[MARA]}: Budget"]
        (found,) = await do(world, lambda t: Mail(t).page())
        assert found.at == at(9) and found.unread


async def test_mail_of_others_tells_one_nothing() -> None:
    async with await office(later=((at(9), arriving(to=(NILS,))),)) as world:
        assert await wait_until(world, at(9, 30)) == []


async def test_outsiders_write_under_their_own_name() -> None:
    async with await office(arriving(sender=VENDOR)) as world:
        message = (await filed(world, 1)).message
        assert str(message.sender) == VENDOR and "@tessel.example" not in message.sender.address
        answer = await do(world, lambda t: Mail(t).reply(1, "No."))
        assert [str(address) for address in answer.to] == [VENDOR]


async def test_a_notice_of_mail_is_of_the_kind_a_scenario_can_keep_quiet() -> None:
    async with await office(arriving()) as world:
        (notice,) = (await act(world, lambda t: None)).notices
        assert notice.kind is NoticeKind.MAIL


async def test_an_event_with_an_attachment_survives_being_stored() -> None:
    enclosed = AttachmentFile(name="a.bin", kind=FileKind.BINARY, data=b"\xff\x00\xfe")
    event = arriving(attachments=(enclosed,))
    assert MailArrives.model_validate_json(event.model_dump_json()) == event
    async with await office(event) as world:
        assert await world.read(lambda t: Mail(t).attachment_files(1)) == (enclosed,)


# reading ------------------------------------------------------------------------------------


async def test_reading_takes_the_mail_out_of_the_unread_for_the_reader_alone() -> None:
    async with await office(arriving(to=(ROBIN, NILS))) as world:
        assert await page(world, "unread") == [1]
        await do(world, lambda t: Mail(t).read(1))
        assert await page(world, "unread") == []
        assert await page(world) == [1]
        assert await page(world, "unread", actor=NILS) == [1]


async def test_mails_are_listed_newest_first_in_pages() -> None:
    events = [arriving(f"No. {number}") for number in range(1, 26)]
    async with await office(*events) as world:
        assert await page(world) == list(range(25, 15, -1))
        assert await page(world, before=16) == list(range(15, 5, -1))
        assert await page(world, before=6, limit=3) == [5, 4, 3]
        assert await page(world, before=1) == []
        assert await page(world, before=-5) == []
        assert len(await page(world, before=10**30)) == 10


async def test_an_unknown_number_is_no_mail() -> None:
    async with await office(arriving()) as world:
        for number in (2, 0, -1, 10**30, -(2**63)):
            with pytest.raises(NotFound, match="You have no mail"):
                await filed(world, number)


async def test_an_unknown_label_is_answered_with_those_there_are() -> None:
    async with await office(arriving()) as world:
        await do(world, lambda t: Mail(t).label(1, ["todo"], []))
        with pytest.raises(NotFound, match="inbox, unread, sent, all, todo"):
            await page(world, "nowhere")
        assert await page(world, "sent") == []


# searching ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("budget", [3, 1]),
        ("BUDGET 400", [1]),
        ("vendor.example", [2]),
        ("payne invoice", [2]),
        ("offer.pdf", [2]),
        ("budget invoice", []),
        ("100%", [3]),
        ("10_%", []),
        ("!", [3]),
        ("!!", []),
        ("'; DROP TABLE mail; --", []),
        (NAMES[MARA].split()[0], [3, 1]),
        ("robin", [3, 2, 1]),
    ],
)
async def test_a_search_finds_the_mails_in_which_every_word_occurs(
    query: str, found: list[int]
) -> None:
    offer = AttachmentFile(name="offer.pdf", kind=FileKind.BINARY, data=b"%PDF\x00")
    async with await office(
        arriving(),
        arriving("Invoice", "Pay at once.", VENDOR, attachments=(offer,)),
        arriving("Done", "The budget is 100% spent!"),
        arriving(to=(NILS,)),
    ) as world:
        assert await page(world, "all", query) == found


async def test_a_search_stays_within_its_label() -> None:
    async with await office(arriving(), arriving()) as world:
        await do(world, lambda t: Mail(t).label(1, ["done"], ["inbox"]))
        assert await page(world, "inbox", "budget") == [2]
        assert await page(world, "done", "budget") == [1]


# answering and forwarding -------------------------------------------------------------------


async def test_an_answer_goes_to_the_sender_or_to_everybody_but_oneself() -> None:
    event = arriving(to=(ROBIN, NILS), cc=(OLGA, VENDOR))
    async with await office(event) as world:
        alone = await do(world, lambda t: Mail(t).reply(1, "Fine."))
        assert [id_of(address) for address in alone.recipients] == [MARA]
        assert (alone.subject, alone.replies_to) == ("Re: Budget", 1)
        everybody = await do(world, lambda t: Mail(t).reply(1, "Fine.", everybody=True))
        assert [a.short for a in everybody.to] == [NAMES[MARA]]
        assert [a.short for a in everybody.cc] == [NAMES[NILS], NAMES[OLGA], "Bill Payne"]
        again = await do(world, lambda t: Mail(t).reply(2, "And?"))
        assert [id_of(address) for address in again.to] == [MARA]
        assert (again.subject, again.replies_to) == ("Re: Budget", 2)


async def test_a_mail_that_one_has_not_got_can_be_neither_answered_nor_forwarded() -> None:
    async with await office(arriving(to=(NILS,))) as world:
        for verb in (
            lambda t: Mail(t).reply(1, "x"),
            lambda t: Mail(t).forward(1, (OLGA,)),
            lambda t: Mail(t).export(1),
            lambda t: Mail(t).attachment_file(1, "a"),
            lambda t: Mail(t).label(1, ["a"], []),
            lambda t: Mail(t).read(1),
        ):
            with pytest.raises(NotFound, match="You have no mail 1"):
                await do(world, verb)


async def test_a_forwarded_mail_brings_its_text_and_files_along() -> None:
    plan = AttachmentFile(name="plan.txt", kind=FileKind.TEXT, data=b"A, then B")
    async with await office(arriving(cc=(NILS,), attachments=(plan,))) as world:
        sent = await do(world, lambda t: Mail(t).forward(1, (OLGA,), "See below."))
        assert sent.subject == "Fwd: Budget"
        assert sent.body.startswith("See below.\n\n")
        assert "Date: 2025-10-01 08:00" in sent.body and f"From: {NAMES[MARA]} <" in sent.body
        assert f"Cc: {NAMES[NILS]} <" in sent.body
        assert sent.body.endswith("\n\nThe budget is 400.")
        assert await world.read(lambda t: Mail(t).attachment_files(sent.id)) == (plan,)
        bare = await do(world, lambda t: Mail(t).forward(2, (OLGA,)))
        assert bare.subject == "Fwd: Budget" and bare.body.startswith("---------- Forwarded")


# attachments --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "kind", "data"),
    [
        ("drive:/plans/plan.md", FileKind.TEXT, "Größe\r\n1".encode()),
        ("workspace:/shot.png", FileKind.PICTURE, PICTURE),
        ("workspace:/x.bin", FileKind.BINARY, b"\xff\xfe\x00"),
        ("workspace:/t.xlsx", FileKind.WORKBOOK, b'{"names":{},"sheets":[]}'),
    ],
)
async def test_a_file_goes_through_the_mail_unchanged(
    path: str, kind: FileKind, data: bytes
) -> None:
    async with await office() as world:
        content = FileContent(kind=kind, data=data)
        await do(world, lambda t: Files(t).put(path, content))
        sent = await send(world, attachments=(path,))
        (attachment,) = sent.attachments
        assert (attachment.kind, attachment.size) == (kind, len(data))
        await do(world, lambda t: Files(t).delete(path))
        got = await do(world, lambda t: Mail(t).attachment_file(1, attachment.name), NILS)
        assert (got.name, got.kind, got.data) == (path.rpartition("/")[2], kind, data)


async def test_attachments_are_told_apart_by_their_names() -> None:
    files = [FileAppears(path=f"drive:/{folder}/x.txt", text=folder) for folder in "ab"]
    async with await office(*files) as world:
        with pytest.raises(Invalid, match="have the same name"):
            await send(world, attachments=("drive:/a/x.txt", "drive:/b/x.txt"))
        sent = await send(world, attachments=("drive:/a/x.txt", "drive:/a/x.txt"))
        assert [a.name for a in sent.attachments] == ["x.txt"]
        with pytest.raises(NotFound, match="no attachment 'y.txt'; it has: x.txt"):
            await do(world, lambda t: Mail(t).attachment_file(1, "y.txt"))


async def test_attachments_are_few_and_not_too_large() -> None:
    files = [FileAppears(path=f"drive:/{n}.txt", text="x") for n in range(11)]
    async with await office(*files) as world:
        with pytest.raises(Refused, match="at most 10 attachments"):
            await send(world, attachments=tuple(f"drive:/{n}.txt" for n in range(11)))
        for name in "ab":
            content = FileContent(kind=FileKind.BINARY, data=bytes(6_000_000))
            await do(world, lambda t, n=name, c=content: Files(t).put(f"workspace:/{n}.bin", c))
        with pytest.raises(Refused, match="at most 10 MB"):
            await send(world, attachments=("workspace:/a.bin", "workspace:/b.bin"))


# labels -------------------------------------------------------------------------------------


async def test_labels_sort_ones_own_mailbox_only() -> None:
    async with await office(arriving(to=(ROBIN, NILS))) as world:
        found = await do(world, lambda t: Mail(t).label(1, [" ToDo ", "q-3"], ["inbox"]))
        assert found.labels == ("all", "q-3", "todo", "unread")
        assert await page(world) == []
        assert await page(world, "todo") == await page(world, "TODO") == [1]
        assert (await filed(world, 1, NILS)).labels == ("all", "inbox", "unread")
        found = await do(world, lambda t: Mail(t).label(1, ["inbox"], ["todo", "absent"]))
        assert found.labels == ("all", "inbox", "q-3", "unread")


@pytest.mark.parametrize(
    ("add", "remove", "error", "says"),
    [
        ([], [], Invalid, "Give labels to add or to remove"),
        (["sent"], [], Refused, "Only the mailbox sets the label"),
        ([], ["all"], Refused, "Only the mailbox sets the label"),
        (["two words"], [], Invalid, "is not a label"),
        ([""], [], Invalid, "is not a label"),
        (["x" * 31], [], Invalid, "is not a label"),
        ([f"l{n}" for n in range(MAX_LABELS)], [], Refused, "at most 12 labels"),
    ],
)
async def test_labels_that_cannot_be_are_refused_and_the_mail_keeps_its_own(
    add: list[str], remove: list[str], error: type[WorldError], says: str
) -> None:
    async with await office(arriving()) as world:
        with pytest.raises(error, match=says):
            await do(world, lambda t: Mail(t).label(1, add, remove))
        assert (await filed(world, 1)).labels == ("all", "inbox", "unread")


# the same each time -------------------------------------------------------------------------


async def test_the_same_calls_make_the_same_mail_to_the_letter() -> None:
    async def work() -> tuple[str, bytes]:
        async with await office(arriving()) as world:
            await do(world, lambda t: Mail(t).reply(1, "Fine."))
            exported = await do(world, lambda t: Mail(t).export(2))
            return await world.digest(), exported

    assert await work() == await work()


async def test_message_ids_are_unique_and_a_conversation_refers_to_them() -> None:
    async with await office(arriving()) as world:
        for number in (1, 2, 3):
            await do(world, lambda t, n=number: Mail(t).reply(n, "Fine."))
            await wait_until(world, at(9) + timedelta(minutes=number))
        ids = [(await filed(world, number)).message.message_id for number in (1, 2, 3, 4)]
        assert len(set(ids)) == 4
        exported = (await do(world, lambda t: Mail(t).export(4))).decode().replace("\r\n ", " ")
        assert f"References: {' '.join(f'<{id}>' for id in ids[:3])}\r\n" in exported
        assert f"In-Reply-To: <{ids[2]}>\r\n" in exported
