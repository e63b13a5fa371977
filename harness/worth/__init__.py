"""What each step of an episode was worth: the score that could still be reached after it."""
