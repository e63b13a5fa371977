"""Generating scenarios: which rules, how tasks depend on each other, when they are due."""
