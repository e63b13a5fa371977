"""The parts of the calendar app: the meeting model, rooms, storage, iCalendar export."""
