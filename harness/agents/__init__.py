"""Agents: built-in, cheating, language-model, external and scripted."""
