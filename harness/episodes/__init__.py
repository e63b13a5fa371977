"""Episodes of one agent on one day: staging, serving, supervising, grading."""
