"""Grades worlds in a separate process, which a deadline can end."""
