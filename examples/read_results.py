"""Read a run's results: one line per episode, as typed models.

    python examples/read_results.py

Runs two agents on the quickstart, then prints scores by family and every checkpoint that the
agent `careless` missed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean

from trainee_bench.harness.records.results import ResultFile


def main() -> None:
    """Run, read, print."""
    out = Path(tempfile.mkdtemp()) / "run"
    command = ["-m", "trainee_bench.harness", "run", "--agent", "careless"]
    subprocess.run(
        [sys.executable, *command, "--agent", "in_order", "--out", out],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    results = ResultFile(out / "results.jsonl").read()

    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for episode in results:
        for task in episode.tasks:
            if task.score is not None:  # None: an outage, not the agent's fault
                scores[episode.agent, task.family].append(task.score)
    for (agent, family), values in sorted(scores.items()):
        print(f"{agent:10} {family:18} {mean(values):.2f}  ({len(values)} tasks)")

    for episode in results:
        for task in episode.tasks:
            for checkpoint in task.checkpoints:
                if episode.agent == "careless" and not checkpoint.passed:
                    print(f"missed in {task.rule}: {checkpoint.sentence}. Seen: {checkpoint.seen}")


if __name__ == "__main__":
    main()
