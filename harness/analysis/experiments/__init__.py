"""The paper's experiments on our benchmarks, each as runs, a table and a figure; one per file."""
