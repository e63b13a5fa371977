"""``python -m trainee_bench.harness``: the program ``trainee-bench``."""

from trainee_bench.harness.cli import main

main()
