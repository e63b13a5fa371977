"""Generating scenarios: which rules they have, how tasks depend on each other, when they are
due."""
