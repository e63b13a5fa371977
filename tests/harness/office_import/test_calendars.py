"""Calendars: events of Outlook, Google and others become plain meetings in the office's time."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.harness.office_import.exports import (
    ORGANIZER,
    calendar,
    imported,
    refusal,
    row,
    text,
)
from trainee_bench.harness.office_import.report import ImportOutcome, ImportReport

_OUTLOOK = """BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""


BEN = "ATTENDEE;CN=Ben Kern:mailto:ben@x.example"


def event(*lines: str, uid: str = "7", people: str = f"{ORGANIZER}\n{BEN}") -> str:
    """The lines of an event on 1 December, from 10 to 11 in Berlin unless *lines* have times."""
    times = [] if any(line.startswith("DTSTART") for line in lines) else [
        "DTSTART:20261201T090000Z", "DTEND:20261201T100000Z",
    ]  # fmt: skip
    return "\n".join([f"UID:{uid}", "SUMMARY:Review", *times, *lines, people])


def starts(folder: Path) -> list[str]:
    """The starts of all meetings in the office's calendar, in order."""
    lines = text(folder, "calendar.ics").split("\r\n")
    return sorted(line.removeprefix("DTSTART:") for line in lines if line.startswith("DTSTART"))


def merge(folder: Path, *events: str, head: str = "", **changes: object) -> ImportReport:
    return imported(folder, {"a.ics": calendar(*events, head=head)}, **changes)


@pytest.mark.parametrize(
    ("times", "head"),
    [
        ("DTSTART:20261201T090000Z\nDTEND:20261201T100000Z", ""),
        ("DTSTART:20261201T090000Z\nDURATION:PT1H", "X-WR-TIMEZONE:America/New_York\n"),
        ("DTSTART;TZID=W. Europe Standard Time:20261201T100000\nDURATION:PT1H", ""),
        ("DTSTART;TZID=Customized Time Zone:20261201T100000\nDURATION:PT1H", _OUTLOOK),
        ("DTSTART;TZID=America/New_York:20261201T040000\nDURATION:PT1H", ""),
        ("DTSTART:20261201T100000\nDTEND:20261201T110000", ""),
    ],
)
def test_times_of_any_zone_are_the_offices(tmp_path: Path, times: str, head: str) -> None:
    merge(tmp_path, event(*times.split("\n")), head=head)
    written = text(tmp_path, "calendar.ics")
    assert "DTSTART:20261201T100000\r\n" in written and "DTEND:20261201T110000\r\n" in written


def test_an_unknown_zone_is_refused_by_name(tmp_path: Path) -> None:
    why = refusal(tmp_path, "a.ics", calendar(event("DTSTART;TZID=Nowhere/X:20261201T100000")))
    assert "'Nowhere/X' is unknown" in why


def test_recurrence_becomes_meetings_of_the_window_with_its_exceptions(tmp_path: Path) -> None:
    zone = "TZID=Europe/Berlin"
    series = event(
        f"DTSTART;{zone}:20260907T100000", f"DTEND;{zone}:20260907T103000",
        "RRULE:FREQ=WEEKLY;BYDAY=MO", f"EXDATE;{zone}:20261207T100000",
        f"RDATE;{zone}:20261202T150000",
    )  # fmt: skip
    moved = event(
        f"RECURRENCE-ID;{zone}:20261214T100000",
        f"DTSTART;{zone}:20261215T110000", f"DTEND;{zone}:20261215T113000",
    )  # fmt: skip
    cancelled = event(
        f"RECURRENCE-ID;{zone}:20261221T100000", "STATUS:CANCELLED",
        f"DTSTART;{zone}:20261221T100000", f"DTEND;{zone}:20261221T103000",
    )  # fmt: skip
    report = merge(tmp_path, series, moved, cancelled)
    assert starts(tmp_path) == ["20261130T100000", "20261202T150000", "20261215T110000"]
    assert "RRULE" not in text(tmp_path, "calendar.ics")
    uids = [line for line in text(tmp_path, "calendar.ics").split("\r\n") if line[:4] == "UID:"]
    assert len(set(uids)) == 3
    assert "Left out: 1 cancelled meeting." in report.rows[0].notes


def test_the_window_comes_from_the_options_or_from_the_office(tmp_path: Path) -> None:
    later = calendar(event("DTSTART:20270301T090000Z", "DTEND:20270301T100000Z"))
    why = refusal(tmp_path, "a.ics", later)
    assert "window from 2026-11-30 to 2026-12-27" in why and "--from" in why
    assert "office.yaml" in refusal(tmp_path, "a.ics", later, first_day=None)
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "office.yaml").write_text("day: 2027-03-01\n")
    imported(tmp_path, {"a.ics": later}, first_day=None, weeks=1)
    assert starts(tmp_path) == ["20270301T100000"]


def test_whole_days_become_the_offices_hours(tmp_path: Path) -> None:
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "office.yaml").write_text("hours: 09:30-17:00\n")
    lines = ("DTSTART;VALUE=DATE:20261201", "DTEND;VALUE=DATE:20261203")
    report = merge(tmp_path, event(*lines))
    assert starts(tmp_path) == ["20261201T093000", "20261202T093000"]
    assert "09:30 to 17:00" in report.rows[0].notes[0]


def test_rooms_come_from_the_attendees_that_are_rooms(tmp_path: Path) -> None:
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "rooms.csv").write_text("room,seats\nElbe,8\n")
    rooms = (
        "ATTENDEE;CUTYPE=ROOM;CN=Elbe:mailto:elbe@x.example",
        "ATTENDEE;CUTYPE=RESOURCE;CN=Isar:mailto:c_1@resource.calendar.google.com",
        "ATTENDEE;CN=Ben Kern;PARTSTAT=ACCEPTED:mailto:ben@x.example",
        "ATTENDEE;CN=Cy;PARTSTAT=DECLINED:mailto:cy@x.example",
    )
    report = merge(tmp_path, event(*rooms), event("LOCATION:Roof", uid="8"))
    written = text(tmp_path, "calendar.ics")
    assert "LOCATION:Elbe" in written and "elbe@" not in written
    assert "mailto:ben@x.example" in written and "cy@" not in written
    assert report.rows[0].notes == (
        "People who had declined were left out.",
        "It has several rooms (Elbe, Isar); the first was kept.",
    )
    assert report.rows[1].notes == ("Its room 'Roof' is not in rooms.csv.",)


@pytest.mark.parametrize(
    ("lines", "head", "says"),
    [
        (["STATUS:CANCELLED"], "", "cancelled"),
        (["X-A:1"], "METHOD:REPLY\n", "reply to an invitation"),
        (["X-A:1"], "METHOD:CANCEL\n", "cancellation"),
        (["TRANSP:TRANSPARENT"], "", "marked as free"),
        (["X-MICROSOFT-CDO-BUSYSTATUS:FREE"], "", "marked as free"),
        (["DTSTART:20261201T090000Z", "DTEND:20261201T090000Z"], "", "no length"),
        (["DTSTART:20261201T090000Z", "DTEND:20261201T080000Z"], "", "before its start"),
        (["DTSTART:yesterday"], "", "time"),
    ],
)
def test_what_is_no_meeting_is_refused_by_name(
    tmp_path: Path, lines: list[str], head: str, says: str
) -> None:
    assert says in refusal(tmp_path, "a.ics", calendar(event(*lines), head=head))


def test_a_private_event_is_refused_with_its_owner_and_without(tmp_path: Path) -> None:
    alone = event(people="DESCRIPTION:alone")
    assert "--owner" in refusal(tmp_path, "a.ics", calendar(alone))
    owned = calendar(alone, head="X-WR-CALNAME:ada@x.example\n")
    assert "only one person" in refusal(tmp_path, "a.ics", owned)


@pytest.mark.parametrize(
    ("times", "says"),
    [
        (["DTSTART:20261201T220000", "DTEND:20261201T230000"], "outside"),
        (["DTSTART:20261201T150000", "DTEND:20261202T100000"], "on the day it starts"),
    ],
)
def test_a_meeting_at_an_hour_that_no_office_has_is_refused(
    times: list[str], says: str, tmp_path: Path
) -> None:
    assert says in refusal(tmp_path, "a.ics", calendar(event(*times)))


def test_a_meeting_without_an_organizer_gets_one(tmp_path: Path) -> None:
    people = f"{BEN}\nATTENDEE:mailto:cy@x.example"
    found = merge(tmp_path, event(people=people)).rows[0]
    assert "no organizer" in found.notes[0]
    assert "mailto:ben@x.example" in text(tmp_path, "calendar.ics").split("ORGANIZER")[1]


def test_the_offices_own_meetings_stay_byte_for_byte(tmp_path: Path) -> None:
    own = calendar(event(uid="own"))
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "calendar.ics").write_bytes(own.encode())
    report = merge(tmp_path, event(uid="new"))
    assert report.rows[0].outcome is ImportOutcome.IMPORTED
    written = text(tmp_path, "calendar.ics")
    assert written.startswith(own.removesuffix("END:VCALENDAR\r\n"))
    assert merge(tmp_path, event(uid="new")).rows[0].outcome is ImportOutcome.UNCHANGED
    changed = merge(tmp_path, event("LOCATION:Roof", uid="new"))
    assert "another meeting with its UID" in changed.rows[0].notes[0]
    assert text(tmp_path, "calendar.ics") == written


def test_a_calendar_that_takes_too_long_is_stopped_by_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainee_bench.harness.office_import.isolated_reading.WALL_SECONDS", 0.01)
    assert "processor time" in refusal(tmp_path, "a.ics", calendar(event()))


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        f"FREQ=DAILY;BYHOUR=9,10;BYMINUTE={','.join(map(str, range(60)))}",
    ],
)
def test_a_rule_that_repeats_within_a_day_is_refused(rule: str, tmp_path: Path) -> None:
    endless = event("DTSTART:19000101T000000Z", "DTEND:19000101T000001Z", f"RRULE:{rule}")
    assert "repeats within a day" in refusal(tmp_path, "a.ics", calendar(endless))


def test_tasks_and_damaged_lines_are_named(tmp_path: Path) -> None:
    odd = calendar(event(), head="no colon here\n").replace(
        "END:VCALENDAR", "BEGIN:VTODO\r\nUID:t\r\nEND:VTODO\r\nEND:VCALENDAR"
    )
    report = imported(tmp_path, {"a.ics": odd})
    assert "1 damaged line." in report.rows[0].notes[0]
    assert (report.rows[1].item, report.rows[1].outcome) == ("'1 task'", ImportOutcome.REFUSED)


def test_an_event_without_a_calendar_around_it_is_read(tmp_path: Path) -> None:
    bare = calendar(event()).partition("BEGIN:VEVENT")[2].rpartition("END:VCALENDAR")[0]
    found = row(tmp_path, "a.ics", f"BEGIN:VEVENT{bare}")
    assert found.outcome is ImportOutcome.IMPORTED and starts(tmp_path) == ["20261201T100000"]


def test_people_whom_the_office_does_not_know_are_counted(tmp_path: Path) -> None:
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "people.csv").write_text("name,title\nBen Kern,Clerk\n")
    guests = "ATTENDEE;CN=Ben Kern:mailto:ben@x.example\nATTENDEE:mailto:CY@x.example"
    report = merge(tmp_path, event(guests), event(uid="8"), first_day=date(2026, 11, 30))
    assert [(p.address, p.name, p.times) for p in report.unknown_people] == [
        ("ada@x.example", "Ada Berg", 2),
        ("cy@x.example", "", 1),
    ]
