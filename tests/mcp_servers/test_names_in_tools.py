"""The tools find, show and export people whose names are in any script."""

from __future__ import annotations

from email import message_from_bytes, policy
from functools import partial
from typing import Any

import icalendar
import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.world.many_scripts import (
    ARABIC,
    JOERG,
    NAMES,
    ROBIN,
    called,
    decomposed,
    office_of_many_scripts,
)
from tests.world.office import act, at, do
from trainee_bench.harness.documents.console import console_table
from trainee_bench.harness.documents.document import Grid
from trainee_bench.harness.studio.views.app_view import ViewRequest
from trainee_bench.harness.studio.views.calendar import VIEW, CalendarView
from trainee_bench.mcp_servers.calendar import calendar_export
from trainee_bench.mcp_servers.chat import chat_list_people
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.files import Files, SearchHit
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.email.message import MailAddress, MailMessage, MailSummary
from trainee_bench.world.email.rfc5322 import to_rfc5322
from trainee_bench.world.transaction import Transaction


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("jörg", [JOERG]),
        (decomposed("Müller"), ["J. R. Müller", JOERG]),
        ("Muller", ["J. R. Müller", JOERG]),
        ("GROSS", ["Jan Gross", "Jan Groß", JOERG]),
        ("isil", ["Işıl Çağlar"]),
        ("雷", ["李雷"]),
        ("الأحمد", [ARABIC]),
        ("lindt", ["Mara Lindt"]),
        ("lindť", []),
    ],
)
async def test_the_directory_is_searched_without_regard_to_case_and_accents(
    query: str, names: list[str]
) -> None:
    async with await office_of_many_scripts() as world:
        page = await do(world, lambda tx: chat_list_people(tx, query=query).data)

    assert sorted(person.name for person in page.people) == sorted(names)


@pytest.mark.parametrize("name", [JOERG, ARABIC, "李雷", "Işıl Çağlar", "नीना शर्मा"])
async def test_mails_are_addressed_searched_and_answered_by_name(name: str) -> None:
    person = called(name)
    async with await office_of_many_scripts() as world:
        text = f"From {decomposed(name)}."
        await do(world, lambda tx: Mail(tx).send([ROBIN], "Hello", text), actor=person.id)
        for query in (name, decomposed(name), name.lower(), person.id):
            (mail,) = await do(world, partial(_mails, query))
            assert mail.sender == name
        answer = await do(world, lambda tx: Mail(tx).reply(mail.id, "Thanks"))
        sent = await do(world, lambda tx: Mail(tx).send([decomposed(name)], "Again", "Hello"))

    assert [str(address) for address in answer.to] == [f"{name} <{person.email}>"]
    assert sent.to == answer.to


async def test_a_mail_is_found_by_its_senders_name_without_accents() -> None:
    async with await office_of_many_scripts() as world:
        sender = called(JOERG).id
        await do(world, lambda tx: Mail(tx).send([ROBIN], "Résumé", "Hello"), actor=sender)
        by_name = await do(world, lambda tx: Mail(tx).page(query="muller"))
        by_text = await do(world, lambda tx: Mail(tx).page(query="resume"))

    assert (len(by_name), len(by_text)) == (1, 0)


async def test_files_are_found_by_names_in_any_encoding() -> None:
    async with await office_of_many_scripts() as world:
        text = f"{'x' * 300} {decomposed(JOERG)} has it"
        await do(world, lambda tx: Files(tx).write_text("workspace:/list.md", text))
        for query in (JOERG, decomposed(JOERG), "müller-GROSS"):
            (hit,) = await do(world, partial(_lines, query))
            assert JOERG in hit.text


def _mails(query: str, tx: Transaction) -> list[MailSummary]:
    return Mail(tx).page(query=query)


def _lines(query: str, tx: Transaction) -> tuple[SearchHit, ...]:
    return Files(tx).search(query)


ODD = (*NAMES, "Müller, Jörg", 'Tim "Q" Ürs', "Lee, Ann", 'Ann "Q" (x) Lee')


def test_mail_headers_keep_every_name() -> None:
    to = tuple(MailAddress(name=name, address=f"p{n}@x.example") for n, name in enumerate(ODD))
    message = MailMessage(
        id=1, message_id="1@x.example", sender=to[0], to=to, cc=(), at=at(9),
        subject=f"For {ARABIC}", body="Hello", replies_to=None, attachments=(),
    )  # fmt: skip

    read = message_from_bytes(to_rfc5322(message, ()), policy=policy.default)

    assert [address.display_name for address in read["To"].addresses] == list(ODD)
    assert [address.addr_spec for address in read["To"].addresses] == [a.address for a in to]
    assert read["Subject"] == f"For {ARABIC}"


async def test_a_meeting_is_booked_by_name_and_exported_and_shown_with_the_names() -> None:
    guests = [decomposed(JOERG), ARABIC, "李雷", "Siobhan O'Neill"]
    async with await office_of_many_scripts() as world:

        def book(tx: Transaction) -> int:
            room = Calendar(tx).free_rooms(at(14), at(15), people=5)[0]
            return Calendar(tx).book("Talk", room, at(14), at(15), guests).id

        meeting = await do(world, book)
        await do(world, lambda tx: calendar_export(tx, "workspace:/talks.ics"))
        written = await do(world, lambda tx: Files(tx).text("workspace:/talks.ics"))
        view = await do(world, lambda tx: VIEW.show(tx, ViewRequest(item=str(meeting))))

    (event,) = icalendar.Calendar.from_ical(written).walk("VEVENT")
    guests_written: Any = event["ATTENDEE"]
    named = {str(guest.params["CN"]) for guest in guests_written}
    assert named >= {JOERG, ARABIC, "李雷", "Siobhán O'Neill"}
    assert isinstance(view, CalendarView)
    assert set(view.names.values()) == named | {"Robin Hale"}


def test_wide_names_do_not_shift_the_columns_of_a_table() -> None:
    rows = [("李雷", "1"), ("Jörg Müller-Groß", "2"), ("Ann", "3")]
    console = Console(width=60, color_system=None)
    with console.capture() as shown:
        console.print(console_table(Grid.from_rows(["name", "n"], rows)))

    ends = {
        cell_len(line.rstrip()) for line in shown.get().splitlines() if line.rstrip()[-1:].isdigit()
    }
    assert len(ends) == 1


async def test_an_unknown_name_is_refused_with_the_nearest_ones() -> None:
    async with await office_of_many_scripts() as world:
        done = await act(world, lambda tx: Mail(tx).send(["Jorg Müler-Groß"], "a", "b"))

    assert done.error is not None and JOERG in str(done.error)
