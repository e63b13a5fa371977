"""Help in three tiers for each kind of meeting."""

from __future__ import annotations

from trainee_bench.meta_tasks.families.meeting_book.participants import MeetingKind
from trainee_bench.meta_tasks.meta_task import Hints

_MORE = {
    MeetingKind.MANAGER: "",
    MeetingKind.DEPARTMENT: " When all others have answered, ask the manager in one message about those "
    "who left it to the manager, with their names.",
    MeetingKind.CAPACITY: " Add up the seats: yourself, all you invite, all visitors. Then go through "
    "the free rooms from the smallest and hold each against the list of rooms.",
    MeetingKind.MOVED: " Work out the start again after every message, cancel a booking that no longer "
    "holds with calendar_cancel, and book anew.",
}


def hints(kind: MeetingKind) -> Hints:
    """The hints of one kind of meeting."""
    return Hints(
        strategy="Who comes and who else is to be invited stands nowhere; each person knows it for "
        "themselves. Send all questions first, since answers take time, and book when the last "
        "one is there.",
        where="Find people and write to them in the chat; their answers come as messages. Rooms "
        "and invitations are in the calendar. Calendars say nothing about who comes.",
        how="Ask with chat_send_message, quoting the meeting's code, and read with "
        "chat_read_history. Note for each answer who comes and who is named. Look for a room with "
        "calendar_find_rooms, book with calendar_book, wait until a minute or two before the start "
        "with desk_wait, and call calendar_attend." + _MORE[kind],
    )
