"""What a run's results say: figures, their uncertainty, and how people read them."""
