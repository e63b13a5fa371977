"""An export holds nothing of this machine that a run only leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.test_run import config, day, invoke
from trainee_bench.harness.exports.recorded_episodes import (
    CannotExport,
    picture_url,
    recorded_episodes,
)


def test_a_trajectory_that_is_a_link_out_of_the_run_is_not_exported(tmp_path: Path) -> None:
    path, out = config(tmp_path, one=[day("kb_fix.easy")]), tmp_path / "run"
    assert invoke("--config", path, "--agent", "nothing", "--out", out).exit_code == 0
    (trajectory,) = (out / "trajectories").glob("*.json")
    trajectory.rename(tmp_path / "secret.json")
    trajectory.symlink_to(tmp_path / "secret.json")
    with pytest.raises(CannotExport, match="is a link out of the run's folder; it is not read"):
        next(recorded_episodes(out))


def test_a_picture_elsewhere_is_not_exported(tmp_path: Path) -> None:
    (tmp_path / "id_rsa").write_bytes(b"secret")
    (tmp_path / "run").mkdir()
    source = {"path": "../id_rsa", "media_type": "image/png"}
    with pytest.raises(CannotExport, match="is not in the run's folder; it is not read"):
        picture_url(dict(source), tmp_path / "run")
