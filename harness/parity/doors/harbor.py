"""Harbor: an exported task, run by Harbor's own command in boxes instead of containers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import anyio

from trainee_bench.harness.integrations.harbor.box import NoBubblewrap, bubblewrap
from trainee_bench.harness.integrations.harbor.task_folder import TaskDay
from trainee_bench.harness.integrations.harbor.tasks import TaskOptions, prompt_of, write_task
from trainee_bench.harness.parity.door import (
    Door,
    DoorFailed,
    DoorRun,
    DoorUnavailable,
    run_in_world,
)
from trainee_bench.harness.parity.script import ParityScript
from trainee_bench.meta_tasks.kept_days import composed

BOXES = "trainee_bench.harness.integrations.harbor.environment:OfficeBoxes"
_SECONDS = 300
_SHOWN = 1_000
_JOB = "parity"


class HarborDoor(Door):
    """A door in which the script is the task's solution: Harbor's agent ``oracle`` plays it to the
    sidecar. The score is the reward that the separate verifier writes."""

    name = "harbor"
    packages = ("harbor",)

    def versions(self) -> Mapping[str, str]:
        """Return Harbor's version. Raises DoorUnavailable also if bubblewrap is missing."""
        found = super().versions()
        try:
            bubblewrap()
        except NoBubblewrap:
            raise DoorUnavailable("bubblewrap is not installed") from None
        return found

    def play(self, script: ParityScript, folder: Path) -> DoorRun:
        """Export the day with the script as its solution, and run the task."""
        prompt = anyio.run(prompt_of, composed(script.scenario, script.number))
        day = TaskDay("parity", script.scenario, script.number, prompt, script.calls)
        write_task(day, folder / "task", TaskOptions())
        output = _run_harbor(folder / "task", folder / "jobs")
        (rewards, *_), (world, *_) = (
            [*(folder / "jobs" / _JOB).glob(f"*/{path}"), None]
            for path in ("verifier/reward.json", "artifacts/data/final.world")
        )
        if rewards is None or world is None:
            raise DoorFailed(f"Harbor gave no reward: {output[-_SHOWN:]}")
        run = anyio.run(run_in_world, world, script)
        score = json.loads(rewards.read_text(encoding="utf-8"))["reward"]
        return DoorRun(run.digest, score, run.refused)


def _run_harbor(task: Path, jobs: Path) -> str:
    """Run the task, and return Harbor's output."""
    harbor = Path(sys.executable).with_name("harbor")
    words = [str(harbor), "run", "--path", str(task), "--agent", "oracle", "--env", BOXES]
    done = subprocess.run(  # noqa: S603 -- the framework under test
        [*words, "--jobs-dir", str(jobs), "--job-name", _JOB, "--quiet"],
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=_SECONDS,
        check=False,
    )
    return done.stdout
