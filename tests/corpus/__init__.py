"""What is frozen: digests of the shipped benchmarks, and recorded days with their grades."""
