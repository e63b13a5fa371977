"""Our benchmarks as tasks of Inspect AI, and our runs as its logs.

    inspect eval trainee_bench/core_50 ─► registry ─► a sample per day ─► stage ─► solver ─► score

A day is worked in Inspect's process through `Day`, without a server.
"""
