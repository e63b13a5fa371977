"""Simulated colleagues: what they know, when they answer, and how they phrase it."""
