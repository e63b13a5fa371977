"""Model agents: the system prompt, the history, and the loop that uses a model."""
