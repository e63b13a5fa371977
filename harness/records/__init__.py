"""Records of a run: its plan, its results, its folder."""
