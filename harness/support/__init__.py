"""Small services that know nothing of the benchmark."""
