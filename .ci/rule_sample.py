"""Print a sixth of all rules for CI to certify: the first of each family and every sixth after it.

All of them are certified before a release.
"""

from itertools import groupby

from trainee_bench.meta_tasks.catalog import all_rules

STEP = 6

for _, rules in groupby(all_rules().values(), key=lambda rule: rule.meta_task.family_class.family):
    print(*(rule.id for rule in list(rules)[::STEP]), sep="\n")
