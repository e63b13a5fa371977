"""Which facts of an agent's work it had seen before it delivered it, and how well it asked."""
