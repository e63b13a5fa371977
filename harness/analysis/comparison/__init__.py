"""Comparisons of runs on the same instances and under the same conditions, or not at all."""
