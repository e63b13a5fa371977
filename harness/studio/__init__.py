"""The studio: a page on this machine that shows runs, days as they were and as they happen."""
