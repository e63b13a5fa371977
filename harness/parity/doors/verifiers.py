"""verifiers: its evaluation command with our taskset and a scripted model.

The agent is our chat program, whose calls go straight to the day, or that of verifiers, which makes
them through MCP.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from trainee_bench.harness.parity.door import Door, DoorFailed, DoorRun
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.harness.parity.scripted_model import MODEL, ScriptedModelServer, serve_in_thread
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.benchmark import Benchmark

_LONGEST = 600.0
"""Seconds after which an evaluation that has not ended is killed."""
_KEPT_CHARS = 600


class VerifiersDoor(Door):
    """``vf-eval`` with the package's own chat program."""

    name = "verifiers-direct"
    packages: ClassVar[tuple[str, ...]] = ("verifiers",)
    harness = "trainee-bench"

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Evaluate the scripted model on the script's day."""
        benchmark = folder / "script.json"
        days = Benchmark(name="script", scenarios=(script.scenario,))
        benchmark.write_text(days.model_dump_json(), encoding="utf-8")
        model = ScriptedModelServer(script.calls)
        with serve_in_thread(model) as address:
            _evaluate(folder, benchmark, f"{address}/v1", script.number, self.harness)
        (written,) = folder.glob("out/*/traces.jsonl")
        (trace,) = json.loads(written.read_text(encoding="utf-8"))["traces"]
        if trace["errors"]:
            raise DoorFailed(str(trace["errors"][0]["message"]))
        info, score = trace["info"], trace["rewards"]["day_score"]["score"]
        if abs(sum(info["rewards"].values()) - score) > 1e-9:
            raise DoorFailed(f"the calls' rewards {info['rewards']} do not add up to {score}")
        arrived = [ToolCall(name, arguments) for name, arguments in info["arrived"]]
        refused = script.refused(arrived)
        return DoorRun(info["digest"], score, refused, model.results, model.pictures)


class VerifiersMcpDoor(VerifiersDoor):
    """``vf-eval`` with the harness ``null``, which offers only the office's tools.

    For that program, verifiers makes an environment with uv, which must be installed.
    """

    name = "verifiers-mcp"
    packages = ("verifiers", "uv")
    harness = "null"


def _evaluate(folder: Path, benchmark: Path, address: str, number: int, harness: str) -> None:
    """Run the evaluation. Raises DoorFailed if it fails or does not end."""
    programs = Path(sys.executable).parent
    command = [
        str(programs / "vf-eval"), "trainee-bench",
        "--model", MODEL, "--client.base-url", address, "--client.api-key-var", "NO_KEY",
        "--no-push", "--no-rich", "--output-dir", str(folder / "out"),
        "--env.agent.harness.id", harness, "--env.agent.runtime.type", "subprocess",
        "--env.taskset.split", str(benchmark),
        "--select.include.idx", json.dumps([number]),
    ]  # fmt: skip
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "NO_KEY": "none"}
    try:
        done = subprocess.run(  # noqa: S603 - the command that the user wants to test
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DoorFailed(f"it did not end within {_LONGEST:.0f} s") from None
    if done.returncode:
        raise DoorFailed(f"it ended with {done.returncode}: {done.stdout[-_KEPT_CHARS:].strip()}")
