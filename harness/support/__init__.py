"""Terminal, text, files and plugins, independent of the benchmark."""
