"""Declares tools, binds them to a world and an employee, and serves them over MCP."""
