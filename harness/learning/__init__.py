"""Learning from one day for the next: what an agent is shown of its day, and what it keeps."""
