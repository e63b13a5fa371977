"""Making scenarios: which rules, how they hang together, when they are due."""
