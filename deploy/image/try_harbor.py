"""Run the image of Harbor's tasks without a daemon, and play a task in it as Harbor does.

    python deploy/image/try_harbor.py IMAGE.tar FOLDER    needs root, bubblewrap, trainee-bench

The container has the image's users and files and a network of its own. Root runs the task's health
check, the agent's user the solution, root the verifier: the solution has to earn 1, and an agent
that does nothing 0. The agent's user must not read the day, and must not write rewards.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from image_archive import unpack

SCENARIO = "core-50-03"
PROGRAM = (sys.executable, "-m", "trainee_bench.harness")
_SECRETS = ("/var/lib/trainee-bench", "/opt/trainee-bench/site", "/proc/1/environ")
"""Places that only root and the office's user may read."""


@dataclass(frozen=True)
class Machine:
    """A running container of *root*, whose first process this machine knows as *first*."""

    root: Path
    first: int

    def run(self, command: Sequence[str], user: str = "root") -> subprocess.CompletedProcess[str]:
        """Run *command* in the container as *user*, and return how it ended."""
        lines = (self.root / "etc/passwd").read_text(encoding="utf-8").splitlines()
        ids = {name: numbers for name, _, *numbers in (line.split(":") for line in lines)}
        uid, gid = ids[user][:2]
        inside = ["nsenter", "--target", str(self.first), "--all", "--root", "--wd"]
        return subprocess.run(
            [*inside, "--setuid", uid, "--setgid", gid, "--", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
        )


def _wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for a container to enter its root: bubblewrap tells its number before that."""
    until = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < until, "the container did not start"
        time.sleep(0.05)


@contextmanager
def running(root: Path) -> Iterator[Machine]:
    """Run a container of *root* as root, with its own processes and network."""
    told, telling = os.pipe()
    command = [
        *("bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),
        *("--cap-add", "ALL", "--die-with-parent", "--as-pid-1", "--info-fd", str(telling)),
        *("sleep", "infinity"),
    ]
    with subprocess.Popen(command, pass_fds=[telling]) as process:
        os.close(telling)
        with os.fdopen(told) as information:
            first = json.load(information)["child-pid"]
        try:
            _wait_until(lambda: Path(f"/proc/{first}/root").samefile(root))
            yield Machine(root, first)
        finally:
            process.kill()


def play(root: Path, task: Path, *, solved: bool) -> dict[str, Any]:
    """Play *task* in a container of *root*, and return the rewards that the verifier wrote."""
    settings = tomllib.loads((task / "task.toml").read_text(encoding="utf-8"))
    agent = settings["agent"]["user"]
    for name in ("solution", "tests"):
        shutil.copytree(task / name, root / name)
    with running(root) as machine:
        started = machine.run(["sh", "-c", settings["environment"]["healthcheck"]["command"]])
        assert started.returncode == 0, started.stderr
        for place in _SECRETS:
            looked = machine.run(["sh", "-c", f"ls {place}/* || cat {place}"], agent)
            assert looked.returncode != 0, f"{agent} reads {place}: {looked.stdout}"
        forged = machine.run(
            ["sh", "-c", "echo '{\"reward\": 1}' > /logs/verifier/reward.json"], agent
        )
        assert forged.returncode != 0, f"{agent} writes rewards"
        if solved:
            solution = machine.run(["sh", "/solution/solve.sh"], agent)
            assert solution.returncode == 0, solution.stderr
        verified = machine.run(["sh", "/tests/test.sh"])
        assert verified.returncode == 0, verified.stderr
    rewards: dict[str, Any] = json.loads((root / "logs/verifier/reward.json").read_text())
    return rewards


def main() -> None:
    """Play the task with its solution, and with an agent that does nothing."""
    archive, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True)
    export = (*PROGRAM, "export", "harbor", "core-50", str(folder / "tasks"), "--limit", "3")
    subprocess.run([*export, "--one-container"], check=True, stdout=subprocess.DEVNULL)
    (task,) = (folder / "tasks").glob(f"*{SCENARIO}*")
    for solved in (True, False):
        root = folder / f"machine-{solved}" / "root"
        unpack(archive, root)
        rewards = play(root, task, solved=solved)
        print(f"{'the solution' if solved else 'doing nothing'}: {rewards}", flush=True)
        assert rewards["graded"] == 1
        assert rewards["reward"] == (1 if solved else 0), rewards
        shutil.rmtree(root.parent)
    print("The image of Harbor's tasks passed.")


if __name__ == "__main__":
    main()
