"""Figures on the schedule of a day, measured from its log, and the oracle's day for comparison."""
