"""Connecting MCP clients: their configuration files, and what registries are given."""
