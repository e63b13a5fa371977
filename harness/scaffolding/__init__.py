"""Skeletons of a new family and a new app, each complete, commented and tested."""
