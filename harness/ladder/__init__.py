"""Climbs: one agent on worlds of more and fewer tasks, until its capacity is known."""
