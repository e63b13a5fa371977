"""Commands of ``trainee-bench`` that nobody calls as a module of their own."""
