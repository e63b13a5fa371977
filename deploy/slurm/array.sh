#!/bin/bash
#SBATCH --job-name=trainee-bench
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=12:00:00
#SBATCH --output=%x-%A-%a.log
#SBATCH --requeue
#
# Run one part of a benchmark in each task of an array, each in a folder of its own:
#
#     PARTS=16 RUN=/shared/run-1 sbatch --array=1-16 deploy/slurm/array.sh --config core-50 --agent my:Agent
#     RUN=/shared/run-1 sbatch --dependency=afterany:JOB deploy/slurm/merge.sh
#
# A task that is sent again, by Slurm or by you, goes on with its folder. Of its options only
# --max-concurrency may differ then; others are refused, because they would make another run.
set -euo pipefail
: "${PARTS:?set PARTS to the number of parts, the same for each task of the run}"
: "${RUN:?set RUN to a folder that all nodes share}"
: "${SLURM_ARRAY_TASK_ID:?this is a task of an array: sbatch --array=1-$PARTS}"
number=$SLURM_ARRAY_TASK_ID
if [ "$number" -lt 1 ] || [ "$number" -gt "$PARTS" ]; then
    echo "There is no part $number of $PARTS: give --array=1-$PARTS." >&2
    exit 2
fi
folder=$RUN/parts/$(printf '%05d' "$number")
workers=${SLURM_CPUS_PER_TASK:-1}

# How the part is worked, and what it is: one word a line, quoted.
execution=() run=()
while [ $# -gt 0 ]; do
    case "$1" in
    --max-concurrency) execution+=("$1" ${2+"$2"}) && shift ;;
    --max-concurrency=*) execution+=("$1") ;;
    *) run+=("$1") ;;
    esac
    if [ $# -gt 0 ]; then shift; fi
done
written=$(printf '%q\n' "PARTS=$PARTS" ${run[@]+"${run[@]}"})
record=$folder.options

mkdir -p "$RUN/parts"
if [ -f "$folder/run.json" ]; then
    if [ ! -f "$record" ]; then
        echo "$record is missing, so it is unknown with which options $folder was begun. Go on with it" \
            "yourself: trainee-bench run --resume $folder" >&2
        exit 2
    fi
    if [ "$(cat "$record")" != "$written" ]; then
        echo "$folder was begun with other options (<) than it is sent with now (>):" >&2
        diff "$record" <(printf '%s\n' "$written") | grep '^[<>]' >&2 || true
        echo "Send it again with its own options, or set RUN to a new folder." >&2
        exit 2
    fi
    set -- --resume "$folder"
else
    printf '%s\n' "$written" >"$record.$$"
    mv "$record.$$" "$record"
    set -- ${run[@]+"${run[@]}"} --part "$number/$PARTS" --out "$folder"
fi
set -- "$@" ${execution[@]+"${execution[@]}"}
# The step is the program itself, so that Slurm's SIGTERM reaches it, and it ends in good order.
exec ${SLURM_JOB_ID:+srun} trainee-bench run --executor processes --workers "$workers" "$@"
