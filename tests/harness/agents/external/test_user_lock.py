"""Two runs do not use one user of this machine at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from tests.harness.builders import plan
from trainee_bench.harness.agents.external import user_lock
from trainee_bench.harness.agents.external.user_lock import locked_users
from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.records.plan import AgentConfig, PlanError


def agent_as(isolation: str) -> AgentConfig:
    return AgentConfig(name=isolation[-4:], agent="command", command="x", isolation=isolation)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_lock, "LOCK_FOLDERS", (tmp_path / "none", tmp_path))


def test_a_run_waits_for_nobody_but_says_that_another_uses_its_user(tmp_path: Path) -> None:
    made = plan("one").model_copy(update={"agents": (agent_as("user:worker"),)})
    with locked_users([agent_as("user:worker")]):
        run = create_run(made, tmp_path / "run")
        with pytest.raises(PlanError, match="another run uses this user now"):
            execute(run, Console(quiet=True))
    with locked_users(made.agents):
        pass


def test_other_users_and_other_isolation_are_not_locked(tmp_path: Path) -> None:
    with locked_users([agent_as("user:one"), agent_as("user:one")]):
        with locked_users([agent_as("user:two"), agent_as("none"), agent_as("sandbox")]):
            assert len(list(tmp_path.glob("*.lock"))) == 2
        assert {file.stat().st_mode & 0o777 for file in tmp_path.glob("*.lock")} == {0o600}


def test_a_lock_that_cannot_be_kept_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_lock, "LOCK_FOLDERS", (tmp_path / "missing",))
    with (
        pytest.raises(PlanError, match="cannot be written"),
        locked_users([agent_as("user:worker")]),
    ):
        pass
