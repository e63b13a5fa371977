"""Agents for --agent that do the work, and the baseline ``nothing``."""
