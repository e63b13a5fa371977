"""Reports on a run's results: figures, their uncertainty, and what people need to read them."""
