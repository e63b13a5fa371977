"""The simulated company, its clock and its apps, in one SQLite file."""
