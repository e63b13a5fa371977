"""Skeletons as text files; they are Python once the placeholder has been replaced."""
