"""Agents that try to score without doing the work; certificates test that they fail."""
