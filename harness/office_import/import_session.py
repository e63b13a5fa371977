"""Imports the files of one import, one after the other, and collects the rows of the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from trainee_bench.harness.office_import.agents_view import (
    check_file,
    check_place,
    fitting_meetings,
)
from trainee_bench.harness.office_import.calendar_reading import CalendarRequest
from trainee_bench.harness.office_import.calendars import (
    GrowingCalendar,
    calendar_arguments,
    series_from_json,
)
from trainee_bench.harness.office_import.file_conversion import converted_file
from trainee_bench.harness.office_import.file_kinds import SourceKind, kind_of_file
from trainee_bench.harness.office_import.file_names import drive_name, slug
from trainee_bench.harness.office_import.isolated_reading import ask_process
from trainee_bench.harness.office_import.limits import (
    MAX_FILE_BYTES,
    MAX_MAILBOX_BYTES,
    MAX_MAILS,
    check_size,
)
from trainee_bench.harness.office_import.mailboxes import mails_of_mailbox
from trainee_bench.harness.office_import.mails import convert_mail
from trainee_bench.harness.office_import.office_folder import OfficeFolder
from trainee_bench.harness.office_import.options import ImportOptions, Window
from trainee_bench.harness.office_import.people_met import PeopleMet
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.harness.office_import.report import (
    ImportOutcome,
    ImportReport,
    ImportRow,
)

_THERE = "The office has it already; nothing was written."
CALENDAR = "calendar.ics"


class ImportSession:
    """One import into one office."""

    def __init__(self, office: OfficeFolder, options: ImportOptions):
        self._office, self._options = office, options
        self._settings = office.settings()
        self._people, self._rooms = office.people(), office.rooms()
        self._met = PeopleMet()
        self._calendar: GrowingCalendar | None = None
        self._rows: list[ImportRow] = []

    def save_calendar(self) -> None:
        """Write the meetings of all files so far: once, since calendars can be large."""
        if self._calendar is not None and self._calendar.has_grown:
            self._office.replace(CALENDAR, self._calendar.text.encode())

    def report(self) -> ImportReport:
        """Return the rows so far, and the people whom the office does not know."""
        unknown = self._met.unknown(self._people, self._settings.domain)
        return ImportReport(rows=tuple(self._rows), unknown_people=unknown)

    def add(self, path: Path, source: str, folder: Sequence[str]) -> None:
        """Import the file at *path*, which the report calls *source*.

        A document goes to drive/ and the folders *folder* in it. Raises CannotImport if the extra
        is not installed.
        """
        try:
            self._add(path, source, folder)
        except ItemRefused as error:
            self._refuse(source, "", str(error))
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._refuse(source, "", f"It cannot be read or written: {why}.")

    def refuse(self, source: str, reason: str) -> None:
        """Add a row for a file that is not imported."""
        self._refuse(source, "", reason)

    def _add(self, path: Path, source: str, folder: Sequence[str]) -> None:
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        kind = kind_of_file(path.name, data)
        if kind is SourceKind.MAILBOX:
            self._add_mailbox(path, source, size)
            return
        check_size(data)
        if kind is SourceKind.MAIL:
            self._add_mail(data, source, "")
        elif kind is SourceKind.CALENDAR:
            self._add_calendar(data, source, "", self._options.owner)
        else:
            self._add_file(path.name, data, kind, source, folder)

    def _add_file(
        self, name: str, data: bytes, kind: SourceKind, source: str, folder: Sequence[str]
    ) -> None:
        file = converted_file(name, data, kind, self._options)
        check_file(file)
        place = "/".join(["drive", *map(drive_name, folder), file.name])
        check_place(place)
        written = self._office.add(place, file.data)
        outcome = ImportOutcome.CONVERTED if file.changed else ImportOutcome.IMPORTED
        self._row(source, "", outcome if written else ImportOutcome.UNCHANGED, [place],
                  file.notes if written else [_THERE])  # fmt: skip
        for part in file.refused_parts:
            self._refuse(source, part.item, part.reason)

    def _add_mailbox(self, path: Path, source: str, size: int) -> None:
        if size > MAX_MAILBOX_BYTES:
            raise ItemRefused(
                f"The mailbox has {size:,} bytes; at most {MAX_MAILBOX_BYTES:,} are read. Export "
                "fewer months or folders."
            )
        number = 0
        for number, data in enumerate(mails_of_mailbox(path), 1):
            item = f"mail {number:,}"
            if number > MAX_MAILS:
                self._refuse(
                    source,
                    f"mail {number:,} and all after it",
                    f"At most {MAX_MAILS:,} mails of a mailbox are read. Export fewer months.",
                )
                return
            if data is None:
                self._refuse(
                    source,
                    item,
                    f"It has more than {MAX_FILE_BYTES:,} bytes. Save it without its attachments.",
                )
                continue
            try:
                self._add_mail(data, source, item)
            except ItemRefused as error:
                self._refuse(source, item, str(error))
        if not number:
            raise ItemRefused("The mailbox has no mails. Export it again, or leave it out.")

    def _add_mail(self, data: bytes, source: str, item: str) -> None:
        found = convert_mail(data, self._options)
        mail = found.mail
        path, written = self._office.add_mail(mail.message_id, slug(mail.subject), mail.to_bytes())
        changed = found.notes or found.refused_parts
        outcome = ImportOutcome.CONVERTED if changed else ImportOutcome.IMPORTED
        self._row(source, item, outcome if written else ImportOutcome.UNCHANGED, [path],
                  found.notes if written else [_THERE])  # fmt: skip
        self._met.met([mail.sender, *mail.to, *mail.cc, *mail.bcc])
        within = f"{item}, " if item else ""
        for part in found.refused_parts:
            self._refuse(source, f"{within}attachment {part.item}", part.reason)
        for invitation in found.invitations:
            named = f"{within}invitation {drive_name(invitation.name)}"
            try:
                check_size(invitation.data, "The invitation")
                self._add_calendar(invitation.data, source, named, mail.sender.address)
            except ItemRefused as error:
                self._refuse(source, named, str(error))

    def _add_calendar(self, data: bytes, source: str, item: str, owner: str) -> None:
        request = self._request(owner)
        answer = ask_process("calendar", data, *calendar_arguments(request))
        for series in series_from_json(answer["series"]):
            named = f"{item}, {series.title!r}" if item else repr(series.title)
            if series.refused:
                self._refuse(source, named, series.refused)
                continue
            try:
                meetings = fitting_meetings(series)
                added = self._office_calendar().add(meetings)
            except ItemRefused as error:
                self._refuse(source, named, str(error))
                continue
            notes = list(series.notes)
            for meeting in meetings:
                self._met.met([meeting.organizer, *meeting.attendees])
            if not added:
                self._row(source, named, ImportOutcome.UNCHANGED, [CALENDAR], [_THERE])
                continue
            if known := len(meetings) - added:
                notes.append(f"{known:,} of its meetings were there already.")
            notes += self._unknown_rooms(meeting.location for meeting in meetings)
            outcome = ImportOutcome.CONVERTED if notes else ImportOutcome.IMPORTED
            self._row(source, named, outcome, [CALENDAR], notes)

    def _office_calendar(self) -> GrowingCalendar:
        if self._calendar is None:
            self._calendar = GrowingCalendar(_calendar_text(self._office.read(CALENDAR)))
        return self._calendar

    def _request(self, owner: str) -> CalendarRequest:
        """Return the window and the office's values for reading a calendar.

        Raises ItemRefused if the first day is unknown.
        """
        first = self._options.first_day or self._settings.first_day
        if first is None:
            raise ItemRefused(
                "The first day of the office is unknown. Write day: 2026-11-30 into office.yaml, "
                "or import it with --from 2026-11-30."
            )
        if self._options.zone:
            self._options.office_zone()
        window = Window.of(first, self._options.weeks)
        starts, ends = self._settings.hours
        return CalendarRequest(
            window.first.isoformat(),
            window.end.isoformat(),
            self._options.zone,
            starts,
            ends,
            owner,
        )

    def _unknown_rooms(self, locations: Iterable[str]) -> list[str]:
        rooms = dict.fromkeys(room for room in locations if room not in self._rooms)
        if "" in rooms and self._rooms:
            return ["It has no room; write one of rooms.csv as its LOCATION."]
        return [f"Its room {room[:80]!r} is not in rooms.csv." for room in rooms if room]

    def _refuse(self, source: str, item: str, reason: str) -> None:
        self._row(source, item, ImportOutcome.REFUSED, [], [reason])

    def _row(
        self,
        source: str,
        item: str,
        outcome: ImportOutcome,
        became: Sequence[str],
        notes: Sequence[str],
    ) -> None:
        self._rows.append(
            ImportRow(
                source=source, item=item, outcome=outcome, became=tuple(became), notes=tuple(notes)
            )
        )


def _calendar_text(data: bytes | None) -> str:
    try:
        return data.decode("utf-8-sig") if data else ""
    except UnicodeDecodeError:
        raise ItemRefused("The office's calendar.ics is not UTF-8. Save it so.") from None
