"""Compute an upper bound on the worth of a day with more work than hours.

day ──least_day──► the least that each task takes ──solver──► a worth that no agent can exceed
"""
