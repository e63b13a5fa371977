"""Attacks on a benchmark: the best score that agents reach without doing its work."""
