"""What other frameworks load: each has a folder, and only there its package is imported."""
