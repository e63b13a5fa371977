"""Running agents on the benchmark, grading them, and reporting; `cli.py` lists the commands."""
