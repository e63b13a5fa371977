"""verl: an agent loop in which a rollout works a day."""
