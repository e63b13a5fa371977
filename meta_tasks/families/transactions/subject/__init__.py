"""Payments: what a review reads, the figures it needs, and a file for each kind of review."""
