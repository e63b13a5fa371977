"""A run: from options to a plan, and from the plan through executors to results."""
