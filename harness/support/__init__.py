"""Terminal, text, files and plugins: knows nothing of the benchmark."""
