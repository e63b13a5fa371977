"""What a run stores: its plan, its results, its folder."""
