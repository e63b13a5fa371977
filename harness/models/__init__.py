"""Language models for agents: conversations, services, and prices."""
