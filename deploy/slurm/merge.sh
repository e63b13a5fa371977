#!/bin/bash
#SBATCH --job-name=trainee-bench-merge
#SBATCH --cpus-per-task=1
#SBATCH --mem=8G
#SBATCH --time=2:00:00
#SBATCH --output=%x-%j.log
#
# Merge the parts of a run into RUN/merged, and verify it; see array.sh.
set -euo pipefail
: "${RUN:?set RUN to the folder of the run, as for array.sh}"
missing=0
trainee-bench merge "$RUN"/parts/*/ --out "$RUN/merged" || missing=$?
if [ "$missing" -gt 1 ]; then
    exit "$missing"
fi
trainee-bench verify "$RUN/merged"
