"""Connections of MCP clients: their configuration files, and the entries for registries."""
