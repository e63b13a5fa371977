"""verifiers: a taskset of days, with one tool server for all rollouts.

``vf-eval trainee-bench`` finds it through the package `trainee_bench`, which exports the taskset.
"""
