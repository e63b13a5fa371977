"""The experiment ``thinking``: the same days at several paces, and what a wordy model loses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.analysis.experiments.test_experiment import invoke, plan_of
from tests.harness.runs import LINKS, config, day
from tests.harness.test_thinking_runs import both, worked_by
from trainee_bench.harness.analysis.experiments import thinking


def test_one_command_shows_the_score_over_tokens_per_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinking, "PACES", (1_000_000, 300))
    path, out = config(tmp_path, one=[day(LINKS)]), tmp_path / "out"
    worked_by(both(path), tmp_path, "experiment", "thinking", "--config", path, "--out", out)
    assert plan_of(out, "off").limits.tokens_per_minute is None
    assert plan_of(out, "tokens-300").limits.tokens_per_minute == 300
    text = (out / "experiment.md").read_text(encoding="utf-8")
    assert "| score by tokens per minute | off | 1,000,000 | 300 |" in text
    assert "| terse | 1.00 | 1.00 | 1.00 |" in text
    assert "| wordy | 1.00 | 1.00 | 0.00 |" in text
    assert "(figure.svg)" in text and (out / "figure-complete.svg").exists()
    assert "wordy tokens-300" in text and "No pair of runs" not in text


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--model", "scripted-fair"), "scripted-fair: nobody reports the tokens"),
        (("--agent", "oracle", "--thinking", "300"), "omit --thinking"),
    ],
)
def test_it_refuses_agents_without_tokens_and_a_pace_of_ones_own(
    tmp_path: Path, options: tuple[str, ...], why: str
) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke("thinking", *options, "--config", path, "--out", tmp_path / "out", exits=2)
    assert why in " ".join(done.output.split())
    assert not (tmp_path / "out").exists()
