"""Runs set against each other: on the same instances, under the same rules, or not at all."""
