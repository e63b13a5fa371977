#!/bin/bash
#SBATCH --job-name=trainee-bench-merge
#SBATCH --cpus-per-task=1
#SBATCH --mem=8G
#SBATCH --time=2:00:00
#SBATCH --output=%x-%j.log
#
# Merge the parts of a run into RUN/merged, and verify it; see array.sh. Sent again, it goes on with
# what it has merged. If parts have changed since, set MERGED to a new folder.
set -euo pipefail
: "${RUN:?set RUN to the folder of the run, as for array.sh}"
merged=${MERGED:-$RUN/merged}
missing=0
trainee-bench merge "$RUN"/parts/*/ --out "$merged" || missing=$?
if [ "$missing" -eq 2 ] && [ -f "$merged/run.json" ]; then
    echo "If parts have changed since $merged was made, set MERGED to a new folder, such as $merged-2." >&2
fi
if [ "$missing" -gt 1 ]; then
    exit "$missing"
fi
trainee-bench verify "$merged"
