"""A person at work in a terminal: the lines that are typed, and what is shown."""
