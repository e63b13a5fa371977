"""Exports of a run for other programs: training data and traces, made from its trajectories."""
