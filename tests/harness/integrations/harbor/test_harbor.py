"""Harbor itself takes an exported task: its settings are valid, the oracle earns 1, doing nothing
earns 0.

Skipped if Harbor is not installed; `trainee-bench parity harbor` also plays its scripts.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.runs import call
from tests.mcp_servers.sandbox.boxes import needs_bubblewrap
from trainee_bench.harness.parity.doors.harbor import BOXES

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("harbor") is None, reason="Harbor is not installed"
)
HARBOR = Path(sys.executable).with_name("harbor")
VALID = """
import sys
from pathlib import Path
from harbor.models.task.task import Task
task = Task(Path(sys.argv[1]))
(server,) = task.config.environment.mcp_servers
print(task.config.verifier.environment_mode.value, server.transport, task.has_steps)
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "tasks"
    call("export", "harbor", "quickstart", folder, "--limit", "1")
    return folder / "first_day.day_1"


def run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_harbor_reads_the_task(task: Path) -> None:
    assert run(sys.executable, "-c", VALID, task).split() == [
        "separate",
        "streamable-http",
        "False",
    ]


@needs_bubblewrap
@pytest.mark.parametrize(
    ("agent", "rewards"),
    [
        ("oracle", {"reward": 1.0, "success": 1, "graded": 1.0, "T1": 1.0, "T2": 1.0, "T3": 1.0}),
        ("nop", {"reward": 0.0, "success": 0, "graded": 1.0, "T1": 0.0, "T2": 0.0, "T3": 0.0}),
    ],
)
def test_the_oracle_is_rewarded_and_doing_nothing_is_not(
    task: Path, agent: str, rewards: dict[str, float], tmp_path: Path
) -> None:
    run(
        HARBOR, "run", "-p", task, "-a", agent, "-e", BOXES, "-o", tmp_path, "--job-name", "j", "-q"
    )
    (given,) = tmp_path.glob("j/*/verifier/reward.json")
    assert json.loads(given.read_text(encoding="utf-8")) == rewards
    (result,) = tmp_path.glob("j/*/result.json")
    found = json.loads(result.read_text(encoding="utf-8"))
    assert found["verifier_result"]["rewards"] == rewards
    assert found["exception_info"] is None
