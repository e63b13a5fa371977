"""Submissions of runs to a public board: their rules, and the file that holds one."""
