"""Agents that are external programs: any command line that speaks MCP.

    command ══ HTTP with a token ══► Gateway ──turn──► AgentSession ──► servers

The gateway makes turns as any other agent does, so limits, counts and the record apply to it.
``isolation.py`` decides what the command can access on this machine.
"""
