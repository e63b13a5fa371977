"""Provenance: which facts an agent had seen before it delivered its work, and how well it asked."""
