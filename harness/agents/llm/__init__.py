"""How an agent thinks with a model: its system prompt, its history, and the loop around them."""
