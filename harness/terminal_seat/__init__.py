"""A person's work in a terminal: the typed lines, and the answers shown."""
