"""The session of an agent for one day: tools, prompt, limits."""
