"""Documents of a payment review, the figures it needs, and a module for each kind of review."""
