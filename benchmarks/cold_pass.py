"""The cost of a first pass over a benchmark, as a ratio to the same pass once more.

    python -m benchmarks.cold_pass [--scenarios N] [--seeds N] [--rewards] [--folder FOLDER]

A pass works each day with the oracle's recorded calls: each scenario of core-50 in turn, with so
many seeds of an agent, and with a reward for each call if asked. The calls do not depend on the
seed, so the days after the first are as cheap as they can be: the hardest case for the ratio.
Times are CPU time of a new process, without its imports, in which all results fit into memory:
first without a folder, then while the folder is filled, then with the filled folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pydantic import JsonValue

from tests.corpus.frozen import RECORDED, recorded
from trainee_bench.harness.environment.morning import begun_morning
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.catalog import all_rules
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay
from trainee_bench.world.kept_results import keep_results

AGENT = "oracle"
WANTED = 1.5
Calls = list[tuple[str, dict[str, JsonValue]]]


def work_all(
    scenarios: list[Scenario], calls: dict[str, Calls], seeds: int, *, rewards: bool
) -> float:
    """CPU seconds of one pass."""
    began = time.process_time()
    for scenario in scenarios:
        for _ in range(seeds):
            day = begun_morning(ScenarioDay(scenario=scenario, day=0)).day(rewards=rewards)
            for tool, arguments in calls[scenario.name]:
                day.step([ToolCall(tool, arguments)])
            day.grade()
            day.close()
    return time.process_time() - began


def passes(count: int, seeds: int, folder: Path | None, *, rewards: bool) -> list[float]:
    """CPU seconds of a cold and of a warm pass in this process."""
    scenarios = list(load_shipped_benchmark(RECORDED).scenarios[:count])
    calls: dict[str, Calls] = {day.scenario: day.calls for day in recorded() if day.agent == AGENT}
    all_rules()  # imports the families
    keep_results(days=len(scenarios), folder=folder)
    return [work_all(scenarios, calls, seeds, rewards=rewards) for _ in range(2)]


def in_new_process(count: int, seeds: int, folder: Path | None, *, rewards: bool) -> list[float]:
    """Return the result of `passes` in a new process."""
    command = [sys.executable, "-m", "benchmarks.cold_pass", "--worker"]
    command += ["--scenarios", str(count), "--seeds", str(seeds)]
    command += ["--folder", str(folder)] if folder else []
    command += ["--rewards"] if rewards else []
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(seconds) for seconds in json.loads(done.stdout)]


def report(count: int, seeds: int, folder: Path, *, rewards: bool) -> None:
    """Print the table."""
    print(f"{'a first pass':<28} {'first, s':>9} {'warm, s':>9} {'ratio':>6} wanted")
    kinds = {"without a folder": None, "filling the folder": folder, "with a filled folder": folder}
    for kind, used in kinds.items():
        first, warm = in_new_process(count, seeds, used, rewards=rewards)
        ratio = first / warm
        verdict = "held" if ratio <= WANTED else "MISSED"
        print(
            f"{kind:<28} {first:>9.2f} {warm:>9.2f} {ratio:>6.2f} <= {WANTED} {verdict}",
            flush=True,
        )
    sizes = [file.stat().st_size for file in folder.iterdir()]
    print(
        f"the folder: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB; load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Print the table, or as a worker the seconds of each pass as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenarios", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--rewards", action="store_true")
    parser.add_argument("--folder", type=Path, help="default: a new one, removed afterwards")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        print(json.dumps(passes(given.scenarios, given.seeds, given.folder, rewards=given.rewards)))
        return
    with tempfile.TemporaryDirectory() as new:
        report(given.scenarios, given.seeds, given.folder or Path(new), rewards=given.rewards)


if __name__ == "__main__":
    main()
