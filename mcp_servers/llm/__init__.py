"""A client for language models behind OpenAI-compatible endpoints, and their configuration."""
