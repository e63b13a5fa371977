"""Parts that all training frameworks share: the days of a split, and episodes with rewards."""
