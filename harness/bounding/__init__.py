"""An upper bound of the worth that a day with more work than hours can bring.

day ──least_day──► what nobody can do without ──a solver──► a worth that nobody exceeds
"""
