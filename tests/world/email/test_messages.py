"""Addresses of mails, and mails as other programs read them."""

from __future__ import annotations

import zipfile
from datetime import datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import getaddresses
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.world.office import COMPANY, MARA, do, office
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.company.people import Person
from trainee_bench.world.email.message import (
    AttachmentFile,
    MailAddress,
    MailMessage,
    address_of,
    resolve_address,
    resolve_addresses,
)
from trainee_bench.world.email.rfc5322 import media_type_by_name, new_message_id, to_rfc5322
from trainee_bench.world.errors import Invalid, NotFound
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.workbook.model import Sheet, Workbook

PERSON: Person = COMPANY.person(MARA)


@pytest.mark.parametrize(
    "who",
    [
        PERSON.id,
        PERSON.name,
        PERSON.name.upper(),
        PERSON.email,
        PERSON.email.upper(),
        f"{PERSON.name} <{PERSON.email}>",
        f"Somebody Else <{PERSON.email}>",
        f"  {PERSON.email} ",
    ],
)
async def test_a_colleague_has_one_address_however_named(who: str) -> None:
    async with await office() as world:
        found = await do(world, lambda t: resolve_address(Directory(t), who))
    assert found == address_of(PERSON)
    assert (found.short, found.address) == (PERSON.name, PERSON.email)


@pytest.mark.parametrize(
    ("who", "text"),
    [
        ("billing@vendor.example.org", "billing@vendor.example.org"),
        ("Bill  Payne <billing@vendor.co>", "Bill Payne <billing@vendor.co>"),
        ("x.y+z@a-b.example.org", "x.y+z@a-b.example.org"),
        ("mara@nottessel.example", "mara@nottessel.example"),
    ],
)
async def test_outsiders_are_reached_by_their_full_address(who: str, text: str) -> None:
    async with await office() as world:
        found = await do(world, lambda t: resolve_address(Directory(t), who))
    assert str(found) == text
    assert not found.address.endswith("@tessel.example")


@pytest.mark.parametrize(
    "who",
    [
        "a@b",
        "@b.org",
        "a@.org",
        "a@b..org",
        "a@b.o",
        "a,b@c.org",
        "a@b.org, c@d.org",
        "ä@b.org",
        ".a@b.org",
        "a.@b.org",
        "a..b@c.org",
        "a@-b.org",
        f"{'a' * 65}@b.org",
    ],
)
async def test_an_invalid_address_is_reported_as_such(who: str) -> None:
    async with await office() as world:
        with pytest.raises((Invalid, NotFound)):
            await do(world, lambda t: resolve_address(Directory(t), who))


async def test_a_hundred_people_and_no_more() -> None:
    async with await office() as world:
        many = [f"a{number}@b.org" for number in range(100)]
        found = await do(world, lambda t: resolve_addresses(Directory(t), [*many, "A0@b.org"]))
        assert len(found) == 100
        with pytest.raises(Invalid, match="at most 100 recipients, not 101"):
            await do(world, lambda t: resolve_addresses(Directory(t), [*many, "c@b.org"]))


async def test_one_text_is_not_taken_for_a_list_of_letters() -> None:
    async with await office() as world:
        with pytest.raises(TypeError, match="not one"):
            await do(world, lambda t: resolve_addresses(Directory(t), MARA))


def _exported(who: str) -> bytes:
    """A mail to *who*, in the standard form; NotFound or Invalid if there is no such address."""

    class Nobody(Directory):
        def __init__(self) -> None: ...

        domain = "tessel.example"

        def owner(self, address: str) -> str:
            return ""

        def find(self, who: str) -> Person:
            raise NotFound(who)

    to = resolve_address(Nobody(), who)
    mail = MailMessage(
        id=1, message_id="1@tessel.example", sender=address_of(PERSON), to=(to,), cc=(),
        at=datetime(2025, 10, 1, 9), subject="s", body="b", replies_to=None, attachments=(),
    )  # fmt: skip
    return to_rfc5322(mail, ())


@given(
    st.text("ab.-_@+=?!'<>\"\\, é\x01", max_size=14), st.sampled_from(["", "a@b.org>", "@b.org"])
)
def test_whatever_is_taken_for_an_address_can_be_exported(text: str, ending: str) -> None:
    try:
        written = _exported(f"{text}{ending}")
    except (Invalid, NotFound):
        return
    assert written.startswith(b"From: ")


async def test_a_name_that_nobody_bears_is_quoted_no_longer_than_it_helps() -> None:
    async with await office() as world:
        with pytest.raises(NotFound) as refused:
            await do(world, lambda t: Directory(t).find("x" * 20_000))
    assert len(str(refused.value)) < 300


# mails as other programs read them --------------------------------------------------------


SENDER = MailAddress(name="Mara Lindt", address="mara.lindt@tessel.example")
PRINTABLE = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
WORDS = st.lists(st.text(PRINTABLE, min_size=1, max_size=12), min_size=1, max_size=8).map(" ".join)
BODY = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]) | st.just("\n")
)


def message(**changes: object) -> MailMessage:
    made = MailMessage(
        id=7,
        message_id="1234@tessel.example",
        sender=SENDER,
        to=(MailAddress(name="Robin Hale", address="robin.hale@tessel.example"),),
        cc=(),
        at=datetime(2025, 10, 1, 9, 5),
        subject="Budget",
        body="The budget is 400.",
        replies_to=None,
        attachments=(),
    )
    return made.model_copy(update=changes)


def parsed(written: bytes) -> EmailMessage:
    read = message_from_bytes(written, policy=SMTP)
    assert isinstance(read, EmailMessage)
    return read


def test_a_plain_mail_to_the_letter() -> None:
    assert to_rfc5322(message(), ()).decode().split("\r\n") == [
        "From: Mara Lindt <mara.lindt@tessel.example>",
        "To: Robin Hale <robin.hale@tessel.example>",
        "Subject: Budget",
        "Date: Wed, 01 Oct 2025 09:05:00 -0000",
        "Message-ID: <1234@tessel.example>",
        'Content-Type: text/plain; charset="utf-8"',
        "Content-Transfer-Encoding: 7bit",
        "MIME-Version: 1.0",
        "",
        "The budget is 400.",
        "",
    ]


@given(WORDS, BODY, WORDS)
def test_a_written_message_is_read_back(subject: str, body: str, name: str) -> None:
    outside = MailAddress(name=name, address="x@vendor.example.org")
    written = to_rfc5322(message(subject=subject, body=body, cc=(outside,)), ())
    read = parsed(written)
    assert str(read["subject"]) == subject
    assert read.get_content().replace("\r\n", "\n").rstrip("\n") == body.rstrip("\n")
    # The newer reader of addresses puts blanks between encoded words; the older does not.
    ((read_name, address),) = getaddresses([message_from_bytes(written)["cc"]])
    assert str(make_header(decode_header(read_name))) == name
    assert address == "x@vendor.example.org"


@given(st.binary(max_size=200), BODY)
def test_attachments_are_read_back_byte_for_byte(data: bytes, body: str) -> None:
    enclosures = [
        AttachmentFile(name="Größe.csv", kind=FileKind.TEXT, data=body.encode()),
        AttachmentFile(name="x.bin", kind=FileKind.BINARY, data=data),
        AttachmentFile(name="old.eml", kind=FileKind.TEXT, data=to_rfc5322(message(body=body), ())),
    ]
    written = to_rfc5322(message(), enclosures)
    parts = list(parsed(written).iter_attachments())
    assert [part.get_filename() for part in parts] == ["Größe.csv", "x.bin", "old.eml"]
    assert [part.get_payload(decode=True) for part in parts] == [one.data for one in enclosures]
    assert written == to_rfc5322(message(), enclosures)


def test_a_workbook_is_attached_as_a_file_that_spreadsheet_programs_open() -> None:
    book = Workbook(sheets=(Sheet(name="One", cells={"A1": "1", "A2": "=A1+1"}),))
    enclosed = AttachmentFile(name="t.xlsx", kind=FileKind.WORKBOOK, data=book.dump().encode())
    (part,) = parsed(to_rfc5322(message(), [enclosed])).iter_attachments()
    assert part.get_content_subtype().endswith("spreadsheetml.sheet")
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    with zipfile.ZipFile(BytesIO(payload)) as archive:
        assert "xl/workbook.xml" in archive.namelist()


def test_lines_are_short_and_end_as_the_standard_says() -> None:
    written = to_rfc5322(message(subject="word " * 39, body="x" * 5_000 + "\nö"), ())
    lines = written.split(b"\r\n")
    assert max(map(len, lines)) <= 998
    assert all(b"\n" not in line and b"\r" not in line for line in lines)
    assert written.isascii()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.CSV", "text/csv"),
        ("a.png", "image/png"),
        ("a.eml", "application/octet-stream"),
        ("csv", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"),
    ],
)
def test_media_types_are_our_own_table(name: str, kind: str) -> None:
    assert media_type_by_name(name) == kind


def test_message_ids_follow_from_their_names() -> None:
    assert new_message_id(1, "a") == new_message_id(1, "a") != new_message_id("1", "a")
    assert new_message_id(1).endswith("@tessel.example")
