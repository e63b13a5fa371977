"""Evaluate with verifiers' own command; a scripted model makes the oracle's calls.

    pip install 'trainee-bench[verifiers]'
    python examples/training/verifiers_eval.py

For a real model, replace the scripted model's name and `--client.base-url` by its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.harness.parity.scripted_model import MODEL, ScriptedModelServer, serve_in_thread

PROGRAMS = Path(sys.executable).parent


def main() -> None:
    """Two rollouts of one day."""
    script = next(iter(parity_scripts()))
    out = Path(tempfile.mkdtemp())
    with serve_in_thread(ScriptedModelServer(script.calls)) as address:
        subprocess.run(
            [
                PROGRAMS / "vf-eval", "trainee-bench", "-m", MODEL, "-r", "2",
                "--client.base-url", f"{address}/v1", "--client.api-key-var", "NO_KEY",
                "--env.taskset.split", "quickstart", "--env.agent.runtime.type", "subprocess",
                "--no-push", "--no-rich", "-o", out,
                "--select.include.names", json.dumps([f"{script.scenario.name}.day_1"]),
            ],
            env={**os.environ, "NO_KEY": "none", "PATH": f"{PROGRAMS}:{os.environ['PATH']}"},
            stdout=subprocess.DEVNULL,
            check=True,
        )  # fmt: skip
    for line in next(out.glob("*/traces.jsonl")).read_text(encoding="utf-8").splitlines():
        for trace in json.loads(line)["traces"]:
            score, calls = trace["rewards"]["day_score"]["score"], trace["metrics"]["calls"]
            earned = trace["info"]["rewards"]
            print(f"score {score:.2f} after {calls:.0f} calls, of which {len(earned)} earned it")


if __name__ == "__main__":
    main()
