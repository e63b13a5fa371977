"""One agent on one day: staging, serving, supervising, grading."""
