"""The commands of ``trainee-bench``, one module each; each is imported when it is called."""
