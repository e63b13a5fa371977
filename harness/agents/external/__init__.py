"""Agents that are programs of their own: any command line that speaks MCP.

    command ══ HTTP, a token ══► gateway ──office.turn──► Workplace ──► servers

The gateway makes the same turns as any agent, so that limits, counts, endings and the record hold
whatever the office's transport. ``housing.py`` says what of this machine the command can see.
"""
