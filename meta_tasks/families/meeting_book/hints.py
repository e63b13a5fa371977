"""Help with meetings, in three tiers, by the kind of meeting."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import Hints
from trainee_bench.meta_tasks.families.meeting_book.data import MeetingKind

_MORE_HINTS = {
    MeetingKind.MANAGER: "",
    MeetingKind.DEPARTMENT: " When all others have answered, ask the manager in one message, by "
    "name, about those who left it to the manager.",
    MeetingKind.CAPACITY: " Count the seats: yourself, everyone you invite, all visitors. Then "
    "go through the free rooms from the smallest and check each against the list of rooms.",
    MeetingKind.MOVED: " Work out the start again after every message, cancel a booking at an "
    "earlier time with calendar_cancel, and book again.",
}
HINTS = {
    kind: Hints(
        strategy="No document lists who will come or whom else to invite; each person knows only "
        "their own answer. Send all questions first, since answers take time, and book when the "
        "last one has arrived.",
        where="Find people and write to them in the chat; their answers arrive as messages. Rooms "
        "and invitations are in the calendar. Calendars do not show who will come.",
        how="Ask with chat_send_message, quoting the meeting's code, and read with "
        "chat_read_history. Note from each answer who comes and who is named. Look for a room with "
        "calendar_find_rooms, book with calendar_book, wait until a minute or two before the start "
        "with desk_wait, and call calendar_attend." + more,
    )
    for kind, more in _MORE_HINTS.items()
}
