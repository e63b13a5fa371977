"""The dialects, one file for each; files in this folder are found automatically."""
