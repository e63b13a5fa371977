"""``python -m harness.run`` in a checkout: `trainee-bench run`, which evaluates in batches."""

import sys

from trainee_bench.harness.__main__ import main

if __name__ == "__main__":
    sys.argv.insert(1, "run")
    main()
