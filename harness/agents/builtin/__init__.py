"""Agents that can be named with --agent and aim to do the work."""
