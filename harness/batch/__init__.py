"""A batch of episodes: options, plan, executors, progress."""
