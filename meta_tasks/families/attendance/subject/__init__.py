"""Attendance: its questions, the rules for counting punches, a month of punches, and its files."""
