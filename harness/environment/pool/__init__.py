"""Many days at once in worker processes, for training: `DayPool`."""
