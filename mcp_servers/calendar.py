"""The calendar server: meetings, rooms, busy times, booking, attending."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from trainee_bench.mcp_servers.serving.toolbox import FileUse, Toolbox
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.files import Files
from trainee_bench.world.company.directory import Directory
from trainee_bench.world.errors import Invalid
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.meetings.ics import to_ics
from trainee_bench.world.meetings.meeting import BusySpan, InvitationStatus, Meeting
from trainee_bench.world.meetings.rooms import company_rooms
from trainee_bench.world.transaction import Result, Transaction

TOOLS = Toolbox(
    "calendar",
    "Meetings and rooms: view, book, answer invitations, attend.",
    opt_in=False,
    examples=(
        ("calendar_find_rooms", {"starts": "14:00", "ends": "14:30"}),
        (
            "calendar_book",
            {
                "title": "A talk",
                "room": "Room_05",
                "attendees": [],
                "starts": "14:00",
                "ends": "14:30",
            },
        ),
        ("calendar_export", {"path": "workspace:/talks.ics"}),
    ),
)

PAGE = 10
MAX_PEOPLE = 10
"""The number of people whose calendars one call can compare."""

MeetingId = Annotated[int, Field(description="Meeting number")]
MeetingTime = Annotated[str, Field(description="HH:MM today, or YYYY-MM-DDTHH:MM")]
MeetingTitle = Annotated[str, Field(min_length=1, max_length=120, description="One line")]
Attendees = Annotated[
    tuple[str, ...], Field(max_length=60, description="Ids, full names or addresses, without you")
]
Agenda = Annotated[str, Field(max_length=2_000, description="Plain text")]
DayText = Annotated[str, Field(description="YYYY-MM-DD; default today")]


class MeetingLine(BaseModel):
    """A meeting in a list."""

    id: int
    title: str
    room: str
    starts: datetime
    ends: datetime
    organizer: str
    attendees: tuple[str, ...]
    your_answer: InvitationStatus
    answered: dict[str, InvitationStatus]
    """The answers so far of the people invited, by id."""
    cancelled: bool
    attended: bool


class MeetingPage(BaseModel):
    """A page of meetings, ordered by start."""

    meetings: tuple[MeetingLine, ...]
    total: int


class MeetingDetails(BaseModel):
    """One meeting, with everything that the caller may see."""

    meeting: MeetingLine
    agenda: str
    answers: dict[str, InvitationStatus]
    minutes_text: str | None
    announcements: tuple[str, ...]


class FreeRooms(BaseModel):
    """Free rooms and their seats."""

    rooms: dict[str, int]


class BusyTimes(BaseModel):
    """Each person's busy times on that day, by id."""

    day: date
    busy: dict[str, tuple[BusySpan, ...]]


class AttendResult(BaseModel):
    """The result of attending a meeting."""

    meeting: int
    arrived: datetime
    on_time: bool
    missed_minutes: int
    minutes_text: str
    announcements: tuple[str, ...]


class CalendarExport(BaseModel):
    """The written file and the number of meetings in it."""

    path: str
    meetings: int


@TOOLS.tool(read_only=True)
def calendar_list(
    tx: Transaction,
    day: Annotated[str, Field(description="YYYY-MM-DD; default: today and all days after")] = "",
    offset: Annotated[int, Field(ge=0, description="Meetings to skip")] = 0,
) -> Result[MeetingPage]:
    """List the meetings you are invited to or have booked, ten at a time. The last line of the
    result says how to continue."""
    first = _day(tx, day)
    meetings = Calendar(tx).meetings_of(tx.actor, first, first if day else None)
    shown = meetings[offset : offset + PAGE]
    lines = [_line(tx, meeting) for meeting in shown]
    text = "\n".join(_in_words(line) for line in lines) or "No meetings."
    if offset + len(shown) < len(meetings):
        text += f"\n({offset + PAGE} of {len(meetings)}; continue with offset={offset + PAGE})"
    return Result(text, MeetingPage(meetings=tuple(lines), total=len(meetings)))


@TOOLS.tool(read_only=True)
def calendar_read_meeting(tx: Transaction, meeting: MeetingId) -> Result[MeetingDetails]:
    """Read one of your meetings: agenda, answers, and the minutes if you were there. Minutes do
    not contain everything that was said."""
    found = Calendar(tx).own_meeting(meeting)
    heard = Calendar(tx).meeting_content(tx.actor, meeting)
    line = _line(tx, found)
    answers = {invitation.person: invitation.answer for invitation in found.invitations}
    announced = tuple(item.text for item in heard.announcements if not item.aloud) if heard else ()
    unanswered = line.model_copy(update={"answered": {}})
    parts = [_in_words(unanswered), "Answers: " + ", ".join(f"{p} {a}" for p, a in answers.items())]
    if found.agenda:
        parts.append(f"Agenda: {found.agenda}")
    if heard:
        parts.append(_minutes_in_words(heard.minutes_text, announced))
    details = MeetingDetails(
        meeting=line,
        agenda=found.agenda,
        answers=answers,
        minutes_text=heard.minutes_text if heard else None,
        announcements=announced,
    )
    return Result("\n".join(parts), details)


@TOOLS.tool(read_only=True)
def calendar_find_rooms(
    tx: Transaction,
    starts: MeetingTime,
    ends: MeetingTime,
    people: Annotated[int, Field(ge=1, description="Seats needed, including yours")] = 1,
) -> Result[FreeRooms]:
    """Find rooms that are free the whole time and have enough seats. Use it before booking."""
    free = Calendar(tx).free_rooms(_moment(tx, starts), _moment(tx, ends), people)
    seats = company_rooms(tx)
    rooms = {room: seats[room] for room in free}
    named = ", ".join(f"{room} ({seats} seats)" for room, seats in rooms.items())
    named = named or "No room that large is free then; try another time."
    return Result(named, FreeRooms(rooms=rooms))


@TOOLS.tool(read_only=True)
def calendar_find_busy(
    tx: Transaction,
    people: Annotated[
        tuple[str, ...],
        Field(min_length=1, max_length=MAX_PEOPLE, description="Ids, full names or addresses"),
    ],
    day: DayText = "",
) -> Result[BusyTimes]:
    """Show when up to 10 people are busy on a day, according to their calendars. Duties outside the
    calendar are not shown: ask people whether they can come."""
    on, calendar, directory = _day(tx, day), Calendar(tx), Directory(tx)
    ids = dict.fromkeys(directory.find(who).id for who in people)
    busy = {person: calendar.busy(person, on) for person in ids}
    lines = [
        f"{person}: {', '.join(f'{s.starts:%H:%M}-{s.ends:%H:%M}' for s in spans) or 'no entries'}"
        for person, spans in busy.items()
    ]
    return Result("\n".join([f"Busy on {on}:", *lines]), BusyTimes(day=on, busy=busy))


@TOOLS.tool(minutes=5)
def calendar_book(
    tx: Transaction,
    title: MeetingTitle,
    room: Annotated[str, Field(description="Room_01 to Room_10")],
    starts: MeetingTime,
    ends: MeetingTime,
    attendees: Attendees,
    agenda: Agenda = "",
) -> Result[MeetingLine]:
    """Book a room and invite people. Meetings start between 09:00 and 17:00 and end by 18:00. The
    room, you and everyone you invite must be free. People answer within about an hour (see
    calendar_read_meeting); those who decline write to you. Attend with calendar_attend."""
    return _booked(tx, title, room, (starts, ends), attendees, agenda)


@TOOLS.variant("calendar_book", "own_rooms")
def calendar_book_own_rooms(
    tx: Transaction,
    title: MeetingTitle,
    room: Annotated[str, Field(description="A room's name, as calendar_find_rooms shows it")],
    starts: MeetingTime,
    ends: MeetingTime,
    attendees: Attendees,
    agenda: Agenda = "",
) -> Result[MeetingLine]:
    """Book a room and invite people. Meetings start between 09:00 and 17:00 and end by 18:00. The
    room, you and everyone you invite must be free. People answer within about an hour (see
    calendar_read_meeting); those who decline write to you. Attend with calendar_attend."""
    return _booked(tx, title, room, (starts, ends), attendees, agenda)


@TOOLS.tool(destructive=True, once="meeting")
def calendar_cancel(tx: Transaction, meeting: MeetingId) -> Result[MeetingLine]:
    """Cancel a meeting that you booked, before it begins. Everyone invited is told."""
    line = _line(tx, Calendar(tx).cancel(meeting))
    return Result(f"Cancelled: {_in_words(line)}", line)


@TOOLS.tool(once="meeting")
def calendar_respond(
    tx: Transaction,
    meeting: MeetingId,
    answer: Annotated[
        Literal["accepted", "tentative", "declined"], Field(description="Whether you will come")
    ],
) -> Result[MeetingLine]:
    """Answer an invitation. The organizer is told. You may attend without answering."""
    line = _line(tx, Calendar(tx).respond(meeting, InvitationStatus(answer)))
    return Result(f"Answered {answer}: {_in_words(line)}", line)


@TOOLS.tool(once="meeting", lasts="until the meeting ends")
def calendar_attend(tx: Transaction, meeting: MeetingId) -> Result[AttendResult]:
    """Go to a meeting and stay until it ends. You get the minutes and the announcements. You may
    come from 5 minutes before the start until the end; more than 5 minutes after the start is
    recorded as late."""
    came, heard = Calendar(tx).attend(meeting)
    announced = tuple(item.text for item in heard.announcements)
    late = "on time" if came.on_time else f"late, you missed the first {came.missed_minutes} min"
    text = f"Meeting {meeting}: you came at {came.arrived:%H:%M}, {late}."
    return Result(
        f"{text}\n{_minutes_in_words(heard.minutes_text, announced)}",
        AttendResult(
            meeting=meeting,
            arrived=came.arrived,
            on_time=came.on_time,
            missed_minutes=came.missed_minutes,
            minutes_text=heard.minutes_text,
            announcements=announced,
        ),
    )


@TOOLS.tool(files=FileUse.WRITES, copies=True)
def calendar_export(
    tx: Transaction,
    path: Annotated[str, Field(description="e.g. workspace:/meetings.ics")],
    day: Annotated[str, Field(description="YYYY-MM-DD; default: today and all days after")] = "",
) -> Result[CalendarExport]:
    """Write your meetings to an iCalendar file (.ics), which any calendar program can read."""
    if parse_file_path(path).extension != "ics":
        raise Invalid(f"The file name must end in .ics, such as workspace:/{'meetings.ics'}.")
    first = _day(tx, day)
    meetings = Calendar(tx).meetings_of(tx.actor, first, first if day else None)
    directory = Directory(tx)
    ids = {invitation.person for meeting in meetings for invitation in meeting.invitations}
    people = {id: directory.person(id) for id in sorted(ids)}
    info = Files(tx).write_text(
        path,
        to_ics(meetings, people, tx.now, company=directory.company_name, domain=directory.domain),
    )
    exported = CalendarExport(path=info.path, meetings=len(meetings))
    return Result(f"{len(meetings)} meetings written to {info.path}.", exported)


def _booked(
    tx: Transaction,
    title: str,
    room: str,
    times: tuple[str, str],
    attendees: tuple[str, ...],
    agenda: str,
) -> Result[MeetingLine]:
    starts, ends = (_moment(tx, text) for text in times)
    line = _line(tx, Calendar(tx).book(title, room, starts, ends, attendees, agenda))
    return Result(f"Booked: {_in_words(line)}", line)


def _line(tx: Transaction, meeting: Meeting) -> MeetingLine:
    part = meeting.invitation(tx.actor)
    assert part is not None
    return MeetingLine(
        id=meeting.id,
        title=meeting.title,
        room=meeting.room,
        starts=meeting.starts,
        ends=meeting.ends,
        organizer=meeting.organizer,
        attendees=meeting.attendees,
        your_answer=part.answer,
        answered={
            invitation.person: invitation.answer
            for invitation in meeting.invitations[1:]
            if invitation.answer is not InvitationStatus.INVITED
        },
        cancelled=meeting.cancelled,
        attended=part.arrived is not None,
    )


def _in_words(line: MeetingLine) -> str:
    """Return a meeting in one line, as the model reads it."""
    state = "cancelled" if line.cancelled else "attended" if line.attended else None
    state = state or f"you: {line.your_answer}"
    own = line.your_answer is InvitationStatus.ORGANIZER and not line.cancelled
    people = ", ".join(
        f"{person} ({line.answered[person]})" if own and person in line.answered else person
        for person in line.attendees
    )
    people = people or "nobody else"
    hours = f"{line.starts:%Y-%m-%d %H:%M}-{line.ends:%H:%M}"
    head = f"{line.id} {line.title!r} {hours} {line.room}"
    return f"{head} by {line.organizer}, with {people} [{state}]"


def _minutes_in_words(minutes_text: str, announced: tuple[str, ...]) -> str:
    """Return the minutes and announcements of a meeting, as the model reads them."""
    parts = [f"Minutes:\n{minutes_text}" if minutes_text else "No minutes were taken."]
    parts += [f"Announced: {text}" for text in announced]
    return "\n".join(parts)


def _day(tx: Transaction, text: str) -> date:
    """Parse *text* as a day, today if it is empty. Raises Invalid."""
    if not text:
        return tx.now.date()
    try:
        return datetime.strptime(text.strip(), "%Y-%m-%d").date()
    except ValueError:
        raise Invalid(f"{text[:40]!r} is not a day; write it like {tx.now:%Y-%m-%d}.") from None


def _moment(tx: Transaction, text: str) -> datetime:
    """Parse *text* as a time, today if it names no day. Raises Invalid."""
    given = text.strip()
    if len(given) <= len("HH:MM"):
        given = f"{tx.now:%Y-%m-%d}T{given}"
    for form in ("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S"):
        try:
            return datetime.strptime(given, form)
        except ValueError:
            continue
    raise Invalid(f"{text[:40]!r} is not a time; write 14:30 or {tx.now:%Y-%m-%d}T14:30.")
