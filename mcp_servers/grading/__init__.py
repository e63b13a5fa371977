"""Grading in a process of its own, which a deadline can end."""
