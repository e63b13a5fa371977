"""Runs handed in for a public board: what they must be, and the file that holds one."""
