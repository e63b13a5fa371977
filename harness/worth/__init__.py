"""The worth of each step of an episode: the best score still possible before and after it."""
