"""Pictures that are stored as data and drawn when they are viewed."""
