"""How a day was scheduled: measured from its log, and beside the oracle's own day."""
