"""Checks that an agent can read what is imported: the same bounds as the office's own reader."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_import.calendar_reading import FoundMeeting, FoundSeries
from trainee_bench.harness.office_import.converted import ConvertedFile
from trainee_bench.harness.office_import.mail_writing import CanonicalMail
from trainee_bench.harness.office_import.refusals import ItemRefused
from trainee_bench.meta_tasks.offices.file_contents import MAX_FILE_BYTES, file_content
from trainee_bench.meta_tasks.offices.mail_files import MAX_MAIL_BYTES
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.world.apps.mail import MAX_ATTACHMENTS, MAX_BODY_LENGTH, MAX_SUBJECT_LENGTH
from trainee_bench.world.errors import Invalid, WorldError
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.meetings.rooms import check_times

_ROOM_FOR_TEXT = 1_000_000
_NO_SUBJECT = "(no subject)"


def check_file(file: ConvertedFile) -> None:
    """Raise ItemRefused if no agent could open *file*."""
    if len(file.data) > MAX_FILE_BYTES:
        raise ItemRefused(
            f"It has {len(file.data):,} bytes; a file in the office can have {MAX_FILE_BYTES:,}. "
            "Split it, or make its pictures smaller."
        )
    try:
        file_content(Path(file.name), file.name, file.data)
    except OfficeError as error:
        raise ItemRefused(f"No agent could read it: {error}") from None


def check_place(place: str) -> None:
    """Raise ItemRefused if *place*, such as drive/a/b.txt, is no path of the drive."""
    root, _, inner = place.partition("/")
    try:
        parse_file_path(f"{root}:/{inner}")
    except Invalid as error:
        raise ItemRefused(f"Its path does not fit on the drive: {error}") from None


def check_attachment(file: ConvertedFile, others: list[ConvertedFile]) -> None:
    """Raise ItemRefused if a mail with *others* cannot have *file*, too."""
    check_file(file)
    if len(others) >= MAX_ATTACHMENTS:
        raise ItemRefused(
            f"A mail in the office has at most {MAX_ATTACHMENTS} attachments. Import it as a file."
        )
    size = sum(len(other.data) for other in (*others, file)) * 4 // 3  # as base64
    if size * 77 // 76 > MAX_MAIL_BYTES - _ROOM_FOR_TEXT:
        raise ItemRefused(
            f"With it, the mail would have more than {MAX_MAIL_BYTES:,} bytes. Import it as a file."
        )


def fitting_mail(mail: CanonicalMail, notes: list[str]) -> CanonicalMail:
    """Return *mail* with a subject and a recipient that its reader accepts, and note changes.

    Raises ItemRefused if its text is too long.
    """
    if len(mail.body) > MAX_BODY_LENGTH:
        raise ItemRefused(
            f"Its text has {len(mail.body):,} characters; a mail in the office can have "
            f"{MAX_BODY_LENGTH:,}. Save its text as .txt and import that."
        )
    if not mail.subject:
        notes.append(f"It had no subject and got {_NO_SUBJECT!r}.")
        mail = replace(mail, subject=_NO_SUBJECT)
    elif len(mail.subject) > MAX_SUBJECT_LENGTH:
        notes.append(f"Its subject was cut to {MAX_SUBJECT_LENGTH} characters.")
        mail = replace(mail, subject=f"{mail.subject[: MAX_SUBJECT_LENGTH - 1].rstrip()}…")
    if not mail.to:
        taken = "Cc" if mail.cc else "Bcc"
        notes.append(f"It named nobody in To; its {taken} was taken for To.")
        mail = replace(mail, to=mail.cc or mail.bcc, cc=(), bcc=mail.bcc if mail.cc else ())
    return mail


def fitting_meetings(series: FoundSeries) -> list[FoundMeeting]:
    """Return the meetings of *series* that an office's calendar can have, and note the others.

    Raises ItemRefused if it has none.
    """
    kept: list[FoundMeeting] = []
    reasons: list[str] = []
    for meeting in series.meetings:
        try:
            kept.append(_fitting_meeting(meeting, series.notes))
        except (WorldError, ItemRefused) as error:
            reasons.append(str(error))
    if not kept:
        raise ItemRefused(f"The office could not hold it: {reasons[0]}")
    if reasons:
        series.notes.append(f"Left out: {pluralize(len(reasons), 'meeting')}. {reasons[0]}")
    return kept


def _fitting_meeting(meeting: FoundMeeting, notes: list[str]) -> FoundMeeting:
    starts, ends = (
        datetime.fromisoformat(moment).replace(second=0, microsecond=0)
        for moment in (meeting.starts, meeting.ends)
    )
    check_times(starts, ends, starts)
    organizer, attendees = meeting.organizer, meeting.attendees
    if not organizer[1]:
        organizer = attendees[0]
        note = "It names no organizer; its first attendee became that."
        notes += [note] if note not in notes else []
    if not any(address.lower() != organizer[1].lower() for _, address in attendees):
        raise ItemRefused("It has only one person, and a meeting needs two. Leave it out.")
    return replace(meeting, starts=starts.isoformat(), ends=ends.isoformat(), organizer=organizer)
