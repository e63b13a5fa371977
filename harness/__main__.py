"""``python -m harness``: the same program as ``trainee-bench``."""

from trainee_bench.harness.cli import main

main()
