"""Judges the regular expressions of the packages by their structure."""
