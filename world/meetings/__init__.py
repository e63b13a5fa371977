"""What the calendar app is made of: the meeting model, rooms, storage, iCalendar export."""
