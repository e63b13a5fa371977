"""What other programs read of a run: training data and traces, made from its trajectories."""
