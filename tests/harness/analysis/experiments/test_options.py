"""What an experiment can be asked for."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

from typer.testing import CliRunner

from tests.harness.test_run import config, day
from trainee_bench.harness.cli import app
from trainee_bench.harness.commands import experiment, run
from trainee_bench.harness.records.plan import RunPlan


def test_an_experiment_takes_the_options_of_a_run_but_for_the_tier_of_hints() -> None:
    theirs, ours = (set(signature(one.command).parameters) for one in (run, experiment))
    assert theirs - ours == {"guidance"}


def test_which_scenarios_with_which_seed_and_pictures_is_for_the_caller_to_say(
    tmp_path: Path,
) -> None:
    path, out = config(tmp_path, a=[day("kb_fix.easy")], b=[day("kb_fix.easy")]), tmp_path / "out"
    asked = ["--scenario", "b", "--seed", 5, "--modality", "tables", "--agent", "nothing"]
    words = ["experiment", "main", "--config", path, *asked, "--out", out]
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    (made,) = RunPlan.model_validate_json((out / "run" / "run.json").read_bytes()).scenarios
    assert (made.name, made.seed, made.modality) == ("b", 5, "tables")
