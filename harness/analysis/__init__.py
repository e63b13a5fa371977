"""The meaning of results: statistics, reports, comparisons, experiments."""
