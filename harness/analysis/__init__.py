"""What results mean: statistics, reports, comparisons, experiments."""
