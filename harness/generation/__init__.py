"""Generating scenarios: their rules, the links between tasks, and their deadlines."""
