"""Mails: any mail of a real mailbox becomes UTF-8 with one plain text, or is refused by name."""

from __future__ import annotations

from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness.office_import.exports import (
    BERLIN,
    ORGANIZER,
    calendar,
    imported,
    mail,
    pdf,
    png,
    refusal,
    row,
    text,
)
from trainee_bench.harness.office_import.html_text import html_to_text
from trainee_bench.harness.office_import.mails import convert_mail
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.report import ImportOutcome


def written(folder: Path, path: str = "mail/001-budget.eml") -> EmailMessage:
    """A mail in the office."""
    return message_from_bytes(  # type: ignore[return-value]
        (folder / "office" / path).read_bytes(), policy=policy.default
    )


def body(message: EmailMessage) -> str:
    found = message.get_body(("plain",))
    assert found is not None
    return found.get_content()


def test_a_plain_mail_is_imported_with_its_thread_in_the_offices_time(tmp_path: Path) -> None:
    sent = mail("Wie besprochen: 5 €", In_Reply_To="<0@x.example>", References="<0@x.example>")
    sent["Cc"] = "Jürgen Groß <jg@x.example>"
    found = row(tmp_path, "a.eml", sent.as_bytes())
    assert (found.outcome, found.became) == (ImportOutcome.IMPORTED, ("mail/001-budget.eml",))
    kept = written(tmp_path)
    assert body(kept) == "Wie besprochen: 5 €\n"
    assert kept["Date"] == "Mon, 30 Nov 2026 10:00:00 +0100"
    assert kept["Cc"].addresses[0].display_name == "Jürgen Groß"
    assert (kept["In-Reply-To"], kept["Message-ID"]) == ("<0@x.example>", "<1@x.example>")
    assert "5 €" in text(tmp_path, "mail/001-budget.eml")


@pytest.mark.parametrize(
    ("head", "content", "says"),
    [
        ("Content-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64",
         b"8NLJ18XU", "Привет"),
        ("Content-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=latin1",
         b"Gr=FC=DFe", "Grüße"),
        ("Content-Type: text/plain; charset=shift_jis", "日本".encode("shift_jis"), "日本"),
        ("Content-Type: text/plain; charset=x-unknown", "Grüße".encode("cp1252"), "Grüße"),
        ("Content-Type: text/plain", "Grüße".encode(), "Grüße"),
        ("Content-Type: text/plain; format=flowed", b"one \ntwo\n> three\n", "one two\n> three"),
    ],
)  # fmt: skip
def test_a_text_in_any_charset_and_encoding_is_read(
    tmp_path: Path, head: str, content: bytes, says: str
) -> None:
    raw = b"From: a@x.example\nTo: b@x.example\nSubject: =?koi8-r?B?8NLJ18XU?= Budget\n"
    raw += b"Date: Mon, 30 Nov 2026 09:00:00 +0000\n" + head.encode() + b"\n\n" + content
    found = row(tmp_path, "a.eml", raw)
    kept = written(tmp_path, found.became[0])
    assert body(kept).strip() == says
    assert kept["Subject"] == "Привет Budget"


def test_of_two_readings_the_plain_one_is_taken_and_html_alone_becomes_text(tmp_path: Path) -> None:
    both = mail("plain reading")
    both.add_alternative("<p>rich reading</p>", subtype="html")
    imported(tmp_path, {"a.eml": both.as_bytes()})
    assert body(written(tmp_path)) == "plain reading\n"
    rich = mail(id="<2@x.example>", subject="Plan")
    rich.set_content(
        "<style>x{}</style><p>See <a href='https://x.example/a'>the plan</a>.</p><ul><li>one</ul>"
        "<table><tr><th>Name<th>Hours<tr><td>Ada<td>3</table>",
        subtype="html",
    )
    found = row(tmp_path, "b.eml", rich.as_bytes())
    assert "HTML became plain text" in found.notes[0]
    assert body(written(tmp_path, "mail/002-plan.eml")) == (
        "See the plan <https://x.example/a>.\n\n- one\n\nName | Hours\n\nAda | 3\n"
    )


def test_attachments_are_imported_like_files_and_unreadable_ones_are_named(tmp_path: Path) -> None:
    sent = mail("See below.")
    sent.add_attachment(b"a;b\n1,5;2\n", maintype="text", subtype="csv", filename="a.csv")
    sent.add_attachment(pdf("Offer"), maintype="application", subtype="pdf", filename="Größe.pdf")
    sent.add_attachment(png(), maintype="image", subtype="png", filename="a.png")
    sent.add_attachment(b"MZ\0\0", maintype="application", subtype="x", filename="setup.exe")
    report = imported(tmp_path, {"a.eml": sent.as_bytes()})
    kept = written(tmp_path)
    files = {part.get_filename(): part.get_content() for part in kept.iter_attachments()}
    assert files == {"a.csv": "a,b\n1.5,2\n", "Größe.txt": "Offer\n", "a.png": png()}
    assert "[An attachment was left out: setup.exe]" in body(kept)
    assert [(found.item, found.outcome) for found in report.rows] == [
        ("", ImportOutcome.CONVERTED),
        ("attachment setup.exe", ImportOutcome.REFUSED),
    ]
    assert "It is a program" in report.rows[1].notes[0]


def test_an_inline_picture_is_an_attachment(tmp_path: Path) -> None:
    rich = mail()
    rich.set_content("<p>Look: <img src='cid:p' alt='chart'></p>", subtype="html")
    rich.add_related(png(), maintype="image", subtype="png", cid="<p>")
    imported(tmp_path, {"a.eml": rich.as_bytes()})
    kept = written(tmp_path)
    assert [part.get_filename() for part in kept.iter_attachments()] == ["image-1.png"]
    assert body(kept) == "Look: [chart]\n"


def test_an_attached_mail_becomes_part_of_the_text_with_its_attachments(tmp_path: Path) -> None:
    inner = mail("inner words", subject="Older", id="<0@x.example>")
    inner.add_attachment("kept", filename="note.txt")
    outer = mail("outer words")
    outer.add_attachment(inner)
    found = row(tmp_path, "a.eml", outer.as_bytes())
    kept = written(tmp_path)
    assert "'Older' became part of the text" in found.notes[0]
    assert body(kept).startswith("outer words\n\n---------- Attached mail ----------\nFrom: Ada")
    assert "inner words" in body(kept)
    assert [part.get_filename() for part in kept.iter_attachments()] == ["note.txt"]


def test_an_invitation_goes_to_the_calendar(tmp_path: Path) -> None:
    times = "DTSTART:20261201T090000Z\nDTEND:20261201T100000Z"
    invited = "ATTENDEE;CN=Ben Kern:mailto:ben@x.example"
    event = f"UID:7\nSUMMARY:Review\n{times}\n{ORGANIZER}\n{invited}"
    sent = mail()
    sent.add_alternative(calendar(event, head="METHOD:REQUEST\n"), subtype="calendar")
    report = imported(tmp_path, {"a.eml": sent.as_bytes()})
    assert report.rows[1].item == "invitation invite.ics, 'Review'"
    assert "DTSTART:20261201T100000\r\n" in text(tmp_path, "calendar.ics")


def test_a_mailbox_is_split_where_a_mail_begins_and_nowhere_else(tmp_path: Path) -> None:
    first = mail("one\n\nFrom here on, all is well.\n", id="<1@x.example>").as_bytes()
    second = mail("two\n", id="<2@x.example>", subject="Second").as_bytes()
    box = b"From - Mon Nov 30 09:00:00 2026\n" + first.replace(b"\nFrom here", b"\n>From here")
    box += b"\nFrom ada@x.example Mon Nov 30 09:00:00 2026\n" + second
    report = imported(tmp_path, {"inbox.mbox": box})
    assert [(found.item, found.became) for found in report.rows] == [
        ("mail 1", ("mail/001-budget.eml",)),
        ("mail 2", ("mail/002-second.eml",)),
    ]
    assert body(written(tmp_path)) == "one\n\nFrom here on, all is well.\n"


def test_a_refused_mail_of_a_mailbox_does_not_keep_the_others_out(tmp_path: Path) -> None:
    box = b"From x\nSubject: no date\nFrom: a@x.example\nTo: b@x.example\n\nhi\n\nFrom y\n"
    report = imported(tmp_path, {"inbox": box + mail().as_bytes()})
    assert [found.outcome for found in report.rows] == [
        ImportOutcome.REFUSED,
        ImportOutcome.IMPORTED,
    ]
    assert "no date" in report.rows[0].notes[0]


def test_a_delivery_report_keeps_its_fields(tmp_path: Path) -> None:
    raw = mail().as_bytes().partition(b"Content-Type")[0] + (
        b'Content-Type: multipart/report; boundary="b"\n\n--b\n\nReturned.\n--b\n'
        b"Content-Type: message/delivery-status\n\nReporting-MTA: dns; x.example\n\n"
        b"Action: failed\n--b--\n"
    )
    imported(tmp_path, {"a.eml": raw})
    assert "Returned.\n\nReporting-MTA: dns; x.example\n\nAction: failed" in body(written(tmp_path))


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"no mail at all", "no headers of a mail"),
        (b"From: a@x.example\nTo: b@x.example\n\nhi", "no date that can be read"),
        (b"To: b@x.example\nDate: Mon, 30 Nov 2026 09:00:00 +0000\n\nhi", "no sender's address"),
        (b"From: a@x.example\nDate: Mon, 30 Nov 2026 09:00:00 +0000\n\nhi", "no recipient"),
        (mail(Content_Type="x").as_bytes().replace(b"text/plain", b"multipart/encrypted"),
         "encrypted"),
        (mail().as_bytes().replace(b"text/plain", b"message/partial"), "sent in pieces"),
    ],
)  # fmt: skip
def test_a_mail_that_cannot_be_placed_is_refused_with_a_remedy(
    tmp_path: Path, raw: bytes, says: str
) -> None:
    assert says in refusal(tmp_path, "a.eml", raw)


def test_without_the_offices_zone_no_mail_is_guessed_into_a_day(tmp_path: Path) -> None:
    assert "--zone Europe/Berlin" in refusal(tmp_path, "a.eml", mail().as_bytes(), zone="")


def test_a_deeply_nested_mail_is_refused_in_no_time(tmp_path: Path) -> None:
    raw = mail().as_bytes().partition(b"Content-Type")[0]
    for depth in range(60):
        raw += f'Content-Type: multipart/mixed; boundary="b{depth}"\n\n--b{depth}\n'.encode()
    assert "nests them deeper than 20" in refusal(tmp_path, "a.eml", raw + b"\nhi")


def test_html_of_hostile_depth_gives_text_or_nothing() -> None:
    assert html_to_text("<p>first</p>" + "<div>" * 50_000)[0].startswith("first")
    assert html_to_text("<table><tr><td>" * 2_000 + "deep")[0] in ("", "deep")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300), st.sampled_from([b"", mail().as_bytes()[:-3]]))
def test_no_bytes_make_the_reader_of_mails_fail_otherwise_than_by_a_refusal(
    junk: bytes, head: bytes
) -> None:
    for data in (junk + b"\n" + head, head + junk, head[:40] + junk + head[40:]):
        with suppress(ItemRefused):
            found = convert_mail(data, BERLIN)
            again = convert_mail(found.mail.to_bytes(), BERLIN)
            assert again.mail.to_bytes() == found.mail.to_bytes()
