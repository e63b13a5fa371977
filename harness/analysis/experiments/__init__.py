"""The paper's experiments on our benchmarks, one per file: runs, a table and a figure."""
