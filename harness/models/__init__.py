"""Language models as agents think with them: conversations, services, and what they cost."""
