"""Many rollouts at once in verifiers and TRL, with a scripted model: calls a second, memory.

    python benchmarks/rollouts.py verifiers [--rollouts N] [--harness ID]
    python benchmarks/rollouts.py trl [--rollouts N]

Each rollout works `first_day` with the oracle's calls. verifiers runs its own `vf-eval`; TRL's
`GRPOTrainer` plays through its own loop. A rollout is lost if it ends with an error or without the
day's full score. Memory is the largest proportional share (PSS) of all processes that were started.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from threading import Event, Thread
from typing import Any

from pydantic import JsonValue

from trainee_bench.harness.integrations.training.episode import Episode, EpisodeStep
from trainee_bench.harness.parity.doors.trl import scripted_trainer
from trainee_bench.harness.parity.script import ParityScript, parity_scripts
from trainee_bench.harness.parity.scripted_model import MODEL, ScriptedModelServer, serve_in_thread

SAMPLE_SECONDS = 1.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Usage:
    """The processes below one process: their largest memory in MB, and CPU seconds by program."""

    megabytes: float = 0.0
    cpu: dict[int, tuple[str, float]] | None = None


def descendants(root: int) -> list[int]:
    """Return *root* and all processes below it."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(folder.name))
    found, queue = [], [root]
    while queue:
        found.append(queue.pop())
        queue += children.get(found[-1], [])
    return found


def sample(root: int, usage: Usage) -> None:
    """Add the present memory and CPU time of *root* and the processes below it to *usage*."""
    kilobytes = 0
    assert usage.cpu is not None
    for pid in descendants(root):
        with suppress(OSError, ValueError, StopIteration):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            kilobytes += int(
                next(line for line in rollup.splitlines() if line.startswith("Pss:")).split()[1]
            )
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
            usage.cpu[pid] = (program(command), (int(fields[11]) + int(fields[12])) / TICKS)
    usage.megabytes = max(usage.megabytes, kilobytes / 1024)


def program(command: str) -> str:
    """Return a short name for *command*."""
    known = {
        "rollouts.py": "benchmark and scripted model", "vf-eval": "vf-eval",
        "verifiers.toolset": "tool server", "--base-url": "chat programs",
        "spawn_main": "day workers",
    }  # fmt: skip
    return next((name for part, name in known.items() if part in command), "other")


@contextmanager
def watched() -> Iterator[Usage]:
    """Measure this process and those below it while the block runs."""
    usage, ended = Usage(cpu={}), Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            sample(os.getpid(), usage)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield usage
    finally:
        ended.set()
        thread.join()


def evaluate(script: ParityScript, rollouts: int, harness: str, out: Path) -> list[dict[str, Any]]:
    """Return the traces of that many rollouts at once."""
    programs = Path(sys.executable).parent
    with serve_in_thread(ScriptedModelServer(script.calls)) as address:
        command = [
            str(programs / "vf-eval"), "trainee-bench", "-m", MODEL, "-r", str(rollouts),
            "-c", str(rollouts), "--client.base-url", f"{address}/v1",
            "--client.api-key-var", "NO_KEY", "--env.taskset.split", "quickstart",
            "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich", "-o", str(out),
            "--select.include.names", json.dumps([f"{script.scenario.name}.day_1"]),
        ]  # fmt: skip
        if harness:
            command += ["--env.agent.harness.id", harness]
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        with (out / "log").open("w") as log:
            subprocess.run(
                command,
                env={**os.environ, "NO_KEY": "none", "PATH": path},
                cwd=out,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=True,
            )
    lines = next(out.glob("*/traces.jsonl")).read_text(encoding="utf-8").splitlines()
    return [trace for line in lines for trace in json.loads(line)["traces"]]


def measure_verifiers(script: ParityScript, rollouts: int, harness: str) -> None:
    """Print the figures of verifiers."""
    out = Path(tempfile.mkdtemp())
    began = time.monotonic()
    with watched() as usage:
        traces = evaluate(script, rollouts, harness, out)
    whole = time.monotonic() - began
    spans = [trace["timing"]["agent"] for trace in traces]
    working = max(span["end"] for span in spans) - min(span["start"] for span in spans)
    calls = sum(trace["metrics"].get("calls", 0) for trace in traces)
    scores = [trace["rewards"].get("day_score", {"score": 0})["score"] for trace in traces]
    wanted = script.at_the_seat().score or 0.0
    kept = [
        not trace["errors"] and abs(score - wanted) < 1e-9
        for trace, score in zip(traces, scores, strict=True)
    ]
    report("verifiers", rollouts, kept.count(True), calls, working, whole, usage)


class RolloutsEnded(Exception):
    """The rollouts have ended; the optimiser's step is not measured."""


def measure_trl(script: ParityScript, rollouts: int) -> None:
    """Print the figures of TRL's rollouts, whose calls it makes one after the other."""
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    in_office: list[float] = []
    made = Episode.call

    def timed(episode: Episode, name: str, arguments: Mapping[str, JsonValue]) -> EpisodeStep:
        began = time.monotonic()
        try:
            return made(episode, name, arguments)
        finally:
            in_office.append(time.monotonic() - began)

    Episode.call = timed  # type: ignore[method-assign]
    began = time.monotonic()
    with watched() as usage, tempfile.TemporaryDirectory() as folder:
        trainer = scripted_trainer(script, Path(folder), {}, rollouts)
        working: list[float] = []
        plays = trainer._tool_call_loop

        def played(*given: object) -> None:
            started = time.monotonic()
            plays(*given)
            working.append(time.monotonic() - started)
            raise RolloutsEnded

        trainer._tool_call_loop = played
        with (
            redirect_stdout(StringIO()),
            warnings.catch_warnings(action="ignore"),
            suppress(RolloutsEnded),
        ):
            trainer.train()
        scores = [environment.get_reward() for environment in trainer.environments]
    wanted = script.at_the_seat().score or 0.0
    kept = sum(abs(score - wanted) < 1e-9 for score in scores)
    calls = len(in_office)
    report("trl", rollouts, kept, calls, working[0], time.monotonic() - began, usage)
    print(f"  {calls / sum(in_office):.1f} calls/s of the office alone")


def report(
    name: str, rollouts: int, kept: int, calls: float, working: float, whole: float, usage: Usage
) -> None:
    """Print the figures of one measurement."""
    print(f"{name}: {rollouts} rollouts at once, {rollouts - kept} lost, {calls:.0f} calls")
    print(f"  {calls / working:.1f} calls/s in {working:.1f} s of working; {whole:.1f} s in all")
    print(f"  {usage.megabytes:.0f} MB; load {os.getloadavg()[0]:.1f}")
    totals: dict[str, float] = {}
    for kind, seconds in (usage.cpu or {}).values():
        totals[kind] = totals.get(kind, 0.0) + seconds
    for kind, seconds in sorted(totals.items()):
        print(f"  CPU of {kind}: {seconds:.1f} s, {1000 * seconds / max(calls, 1):.1f} ms a call")


def main() -> None:
    """Measure the framework that the command line names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("framework", choices=("verifiers", "trl"))
    parser.add_argument("--rollouts", type=int, default=64)
    parser.add_argument("--harness", default="")
    given = parser.parse_args()
    script = parity_scripts()[0]
    if given.framework == "verifiers":
        measure_verifiers(script, given.rollouts, given.harness)
    else:
        measure_trl(script, given.rollouts)


if __name__ == "__main__":
    main()
