"""Trainee-Bench: a simulated company of MCP servers in which an AI agent spends its first days."""
