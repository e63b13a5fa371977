"""What other frameworks load, a folder each; only there is a framework imported."""
