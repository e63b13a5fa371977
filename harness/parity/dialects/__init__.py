"""The dialects, one file for each: a file that lies here is found."""
