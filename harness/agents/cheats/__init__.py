"""Agents that try to score without doing the work; certificates hold them near 0."""
