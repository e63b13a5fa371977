"""Execution of a plan's episodes: in this process, in several, or on a Ray cluster."""
