"""Figures over results: means, breakdowns, intervals."""
