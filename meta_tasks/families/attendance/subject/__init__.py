"""Attendance: what can be asked, by which rules punches count, a month of them, and its files."""
