"""What a run records: its plan, its results, its folder."""
