"""An office is read from its folder; a flaw names the file, the line and the remedy."""

from __future__ import annotations

import shutil
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.meta_tasks.offices.instance import page_template
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.placeholders import fill
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.meta_tasks.offices.values import Value, parse_cells, parse_value, write_value

TASK = "tasks/travel_expenses/task.yaml"
REPLY = "tasks/customer_reply/task.yaml"
LETTER = "tasks/customer_reply/mail.eml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(template_folder(), tmp_path / "nordlicht")
    return tmp_path / "nordlicht"


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_an_office_has_its_own_people_rooms_day_files_and_tasks(folder: Path) -> None:
    office = read_office(folder)
    assert office.company.name == "Nordlicht Optik GmbH"
    assert office.company.person("Emre Yıldız").email == "emre.yildiz@nordlicht.example"
    assert office.company.department("HR").people[0].name == "Clara Voss"
    assert dict(office.rooms) == {"Fjord": 4, "Sund": 6, "Firn": 10}
    assert office.first_day(week=False) == office.first_day(week=True) == date(2026, 3, 2)
    assert set(office.tasks) == {"travel_expenses", "customer_reply", "meeting_prep"}
    assert {name: source.file.kind for name, source in office.tasks.items()} == {
        "travel_expenses": "computed",
        "customer_reply": "literal",
        "meeting_prep": "literal",
    }


def test_the_digest_follows_the_contents_and_not_the_place(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert read_office(tmp_path / "copy").digest == read_office(folder).digest
    edit(folder, "rooms.csv", "Fjord,4", "Fjord,5")
    assert read_office(tmp_path / "copy").digest != read_office(folder).digest


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("office.yaml", "domain: nordlicht.example", "domain: nordlicht", "office.yaml, line 3"),
        ("office.yaml", "name: nordlicht", "name: kb_fix", "built-in family"),
        ("office.yaml", "name: nordlicht", "nam: nordlicht", "nam: there is no such entry"),
        ("office.yaml", "{hr: People}", "{hr: Personnel}", "nobody is in 'Personnel'"),
        ("office.yaml", "company: ", "company: &a ", "anchors"),
        ("office.yaml", "company: Nordlicht", "company: [Nordlicht", "it is not YAML"),
        ("office.yaml", "mail_reply: copies", "mail_reply: copy", "'usual' or 'copies'"),
        ("people.csv", "Greta Sommer,08:30-17:30,3", "Greta Summer,08:30-17:30,3", "line 3"),
        ("people.csv", "08:30-18:00,4", "late,4", "write them as 09:00-17:00"),
        ("people.csv", "08:30-18:00,4", "08:30-18:00,soon", "a number of minutes"),
        ("people.csv", "Tomasz Kern", "Ines Albrecht", "the same name"),
        ("people.csv", "name,title", "nom,title", "the column name is missing"),
        ("people.csv", "Paula Richter,Head of Sales", "Paula Richter,Head, Sales", "in quotes"),
        ("rooms.csv", "Fjord,4", "Fjord,four", "a number from 1 to 1000"),
        ("known.yaml", "  says:", "  said:", "known.yaml"),
        (TASK, "from: Ines Albrecht", "from: Ines Albert", "write the full name"),
        (TASK, "{expenses}", "{expense}", "{expense} is no file"),
        (TASK, "drive:/handbook/travel_policy.md", "drive:/travel.md", "the drive has no"),
        (TASK, "answer: answer.py", "answer: ../answer.py", "there is no file"),
        (TASK, "answer: answer.py", "", "either answer: answer.py or rows"),
        (TASK, "{value} per cent", "2.5 per cent", "says must contain {value} once"),
        (TASK, "hotel_limit: 130", "spa_limit: 130", "no page that the task names contains"),
        (TASK, "step: 0.1", "", "give from, to and step"),
        (TASK, "workspace:/expenses_checked.csv", "expenses.csv", "no table to submit"),
        (TASK, "answer: answer.py\nchecked: checked.csv",
         "rows: [{id: X-1, decision: '{choice}', paid: 1}]", "{choice} is no fact"),
        (REPLY, "replies_to: complaint", "replies_to: warranty", "is no mail of this task"),
        (REPLY, "complaint: mail.eml", "complaint: letter.eml", "there is no letter.eml"),
        (LETTER, "To: Robin Hale", "X-To: Robin Hale", "at least one in To; add"),
        (LETTER, "robin.hale@", "robin@", "is not in people.csv"),
        (LETTER, "<robin.hale@nordlicht.example>", "<robin.hale>", "which is no mail address"),
    ],
)  # fmt: skip
def test_a_flaw_names_its_file_and_the_remedy(
    folder: Path, file: str, old: str, new: str, words: str
) -> None:
    edit(folder, file, old, new)
    with pytest.raises(OfficeError) as refused:
        read_office(folder)
    assert words in str(refused.value)
    assert Path(file).name in str(refused.value)


def test_a_file_that_agents_cannot_read_is_refused_by_name(folder: Path) -> None:
    (folder / "drive" / "plan.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    with pytest.raises(OfficeError, match=r"plan\.doc.*agents cannot read it.*office import"):
        read_office(folder)


def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("a secret")
    (folder / "drive" / "notes.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(OfficeError, match="links and special files"):
        read_office(folder)


# values and pages -----------------------------------------------------------------------------

WORDS = st.characters(
    codec="utf-8", exclude_characters="{}\n\r", exclude_categories=("Cc", "Zs", "Zl", "Zp")
)
VALUES = st.one_of(
    st.decimals(-(10**9), 10**9, places=2),
    st.times().map(lambda clock: clock.replace(second=0, microsecond=0, tzinfo=None)),
    st.dates(),
    st.text(WORDS, min_size=1, max_size=12),
)


@given(VALUES)
def test_a_value_that_is_written_is_read_as_the_same(value: Value) -> None:
    read = parse_value(write_value(value))
    assert write_value(read) == write_value(value)


@given(
    st.text(alphabet="ab {}\n.", max_size=30),
    st.text(alphabet="ab {}\n.", max_size=30),
    st.decimals(0, 10**6, places=2),
)
def test_a_page_states_the_value_that_is_filled_in(before: str, after: str, value: Decimal) -> None:
    text, values = f"{before}:{{limit}};{after}", {"limit": value}
    page = page_template(text, values)
    assert page.parse(fill(text, values)).limit == value


def test_a_column_is_of_a_kind_only_if_all_its_cells_are() -> None:
    rows = [{"id": "007", "euros": "2.50", "at": "09:30"}, {"id": "8", "euros": "", "at": "10:00"}]
    assert parse_cells(rows) == [
        {"id": "007", "euros": Decimal("2.50"), "at": time(9, 30)},
        {"id": "8", "euros": "", "at": time(10)},
    ]


def test_somebody_without_latin_letters_gets_a_numbered_handle(folder: Path) -> None:
    edit(folder, "people.csv", "Li Lei", "李雷")
    person = read_office(folder).company.person("李雷")
    assert person.id == "person-7"


# mails and calendar ---------------------------------------------------------------------------

MAIL = """From: Paula Richter <paula.richter@nordlicht.example>
To: Robin Hale <robin.hale@nordlicht.example>
Cc: =?utf-8?q?J=C3=B6rg?= <jorg.muller-gross@nordlicht.example>
Date: Fri, 27 Feb 2026 10:00:00 +0100
Subject: Trade fair
Message-ID: <fair-1@nordlicht.example>
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"

The stand is booked.
"""
EVENT = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//Nordlicht//EN\r
BEGIN:VEVENT\r
UID:weekly-1\r
DTSTART:20260302T100000\r
DTEND:20260302T110000\r
SUMMARY:Weekly round\r
LOCATION:Firn\r
ORGANIZER:mailto:greta.sommer@nordlicht.example\r
ATTENDEE:mailto:robin.hale@nordlicht.example\r
ATTENDEE:mailto:nora.weiss@nordlicht.example\r
{more}END:VEVENT\r
END:VCALENDAR\r
"""


def test_mails_keep_their_time_their_copies_and_their_thread(folder: Path) -> None:
    (folder / "mail").mkdir()
    (folder / "mail" / "1.eml").write_text(MAIL, encoding="utf-8")
    answer = MAIL.replace("fair-1", "fair-2").replace("27 Feb", "28 Feb")
    answer = answer.replace("Subject:", "In-Reply-To: <fair-1@nordlicht.example>\nSubject:")
    (folder / "mail" / "2.eml").write_text(answer, encoding="utf-8")
    first, second = read_office(folder).mails
    assert (first.sender, first.to) == ("paula.richter", ("robin.hale",))
    assert first.cc == ("jorg.muller-gross",)
    assert first.at == datetime(2026, 2, 27, 10)
    assert second.answers == first.message_id


def test_two_mails_with_one_message_id_are_refused(folder: Path) -> None:
    (folder / "mail").mkdir()
    for name in ("1.eml", "2.eml"):
        (folder / "mail" / name).write_text(MAIL, encoding="utf-8")
    with pytest.raises(OfficeError, match=r"2\.eml.*1\.eml has the same Message-ID"):
        read_office(folder)


def test_a_meeting_is_held_in_one_of_the_rooms_by_people_of_the_office(folder: Path) -> None:
    (folder / "calendar.ics").write_text(EVENT.format(more=""), encoding="utf-8")
    (meeting,) = read_office(folder).meetings
    assert (meeting.organizer, meeting.attendees) == ("greta.sommer", ("robin.hale", "nora.weiss"))
    assert (meeting.room, meeting.starts) == ("Firn", datetime(2026, 3, 2, 10))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{more}", "RRULE:FREQ=WEEKLY\r\n", "has RRULE"),
        ("LOCATION:Firn", "LOCATION:Attic", "there is no room 'Attic'"),
        ("DTSTART:20260302T100000", "DTSTART:20260302T060000", "is outside"),
        ("DTSTART:20260302T100000", "DTSTART;VALUE=DATE:20260302", "whole day"),
        ("mailto:nora.weiss@", "mailto:nora@", "is not in people.csv"),
        ("T110000", "T110000Z", "time zone"),
    ],
)  # fmt: skip
def test_an_event_that_a_calendar_here_cannot_hold_is_refused(
    folder: Path, old: str, new: str, words: str
) -> None:
    text = EVENT.replace(old, new).format(more="")
    (folder / "calendar.ics").write_text(text, encoding="utf-8")
    with pytest.raises(OfficeError, match=words):
        read_office(folder)
