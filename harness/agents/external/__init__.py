"""Agents that are external programs: any command line that speaks MCP.

    command ══ HTTP with a token ══► Gateway ──turn──► AgentSession ──► servers

The gateway makes the same turns as any agent, so that limits, counts and the record hold.
``isolation.py`` says what of this machine the command can access.
"""
