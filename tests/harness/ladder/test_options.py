"""The options of a climb: each does what it says, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harness.runs import LINKS, call, config, day, read, week_file
from tests.harness.test_thinking_runs import (
    PACE,
    WORDY,
    honest_calls,
    player,
    scenario,
    worked_by,
)
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.ladder.options import LadderOptions
from trainee_bench.harness.records.climb import ClimbLimits
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits


def refused(folder: Path, *words: object) -> str:
    """What a climb says that these *words* refuse before it writes anything."""
    printed = call("ladder", "--agent", "nothing", *words, "--out", folder / "climb", exits=2)
    assert not (folder / "climb").exists()
    return " ".join(printed.output.split())


def test_every_limit_of_an_episode_holds_in_a_climb_except_those_of_all_episodes_together() -> None:
    own = {"max_steps": 3, "max_seconds": 9.0, "thinking": 50}
    both = {"max_tokens": 10, "max_cost": 1.0}
    whole = RunOptions(**own, **both).limits  # type: ignore[arg-type]
    defaults = EpisodeLimits().model_dump() | {"tokens_per_minute": None}
    offered = {name for name, value in whole.model_dump().items() if value != defaults[name]}
    climb = LadderOptions(**own, **both)  # type: ignore[arg-type]
    assert climb.limits == whole.model_copy(update={"tokens": None, "cost_usd": None})
    assert offered == {"steps", "seconds", "tokens_per_minute", "tokens", "cost_usd"}
    limits = climb.changed_limits(ClimbLimits())
    assert (limits.tokens, limits.cost_usd) == (10, 1.0)


def test_a_model_that_thinks_too_long_does_not_complete_its_world(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    model = player(honest_calls(scenario(path).model_dump_json()), WORDY)
    words = ("--config", path, "--thinking", PACE, "--episodes", 1, "--out", tmp_path / "out")
    (result,) = read(worked_by({"wordy": model}, tmp_path, "ladder", *words))
    assert not result.success and result.ended is EndReason.DAY_OVER


def test_limits_may_be_changed_when_a_climb_is_resumed_and_nothing_else_may() -> None:
    options = LadderOptions(episodes=80, factor=2.0)
    changed = options.changed_limits(ClimbLimits(tokens=5))
    assert changed == ClimbLimits(episodes=80, factor=2.0, tokens=5)
    options.check_resume()
    for other in (LadderOptions(seed=1), LadderOptions(batch=2), LadderOptions(agent=["oracle"])):
        with pytest.raises(PlanError, match="combines only with"):
            other.check_resume()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--factor", "nan"), "--factor"),
        (("--factor", "inf"), "--factor: "),
        (("--max-cost", "nan"), "--max-cost"),
        (("--max-cost", "inf"), "--max-cost: "),
        (("--seed", 10**6), "--seed: "),
        (("--salt", "A" * 32), "--salt: give 32 hexadecimal digits"),
        (("--ask-confidence",), "--ask-confidence"),
    ],
)
def test_a_value_that_no_climb_can_have_is_refused_by_the_name_of_its_option(
    tmp_path: Path, words: tuple[object, ...], said: str
) -> None:
    assert said in refused(tmp_path, *words)


@pytest.mark.parametrize("words", [("--seed", 3), ("--seed", 0), ("--salt", "0" * 32)])
def test_the_worlds_of_a_benchmark_have_no_other_seed(
    tmp_path: Path, words: tuple[object, ...]
) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    assert "leave out --seed and --salt" in refused(tmp_path, "--config", path, *words)


def test_a_benchmark_of_which_a_world_cannot_be_worked_is_refused_as_a_whole(
    tmp_path: Path,
) -> None:
    missing = config(tmp_path, fine=[day(LINKS)], later=[day(LINKS, "no.such_rule")])
    assert "no.such_rule" in refused(tmp_path, "--config", missing)
    duty = config(tmp_path, fine=[day(LINKS)], later=[day("week.appointment")])
    assert "takes several days" in refused(tmp_path, "--config", duty)


def test_a_benchmark_with_tasks_of_unknown_families_is_refused_because_worlds_would_shrink(
    tmp_path: Path,
) -> None:
    tasks = [{"name": "NobodyKnowsThisTask"}]
    published = {"scenarios": [{"name": "x", "days": [{"name": "d", "tasks": tasks}]}]}
    path = tmp_path / "published.json"
    path.write_text(json.dumps(published), encoding="utf-8")
    assert "NobodyKnowsThisTask" in refused(tmp_path, "--config", path)


def test_a_world_without_a_task_is_refused(tmp_path: Path) -> None:
    assert "has no task" in refused(tmp_path, "--config", week_file(tmp_path, day(), day()))


def test_a_climb_goes_on_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config(tmp_path, a=[day(LINKS)], b=[day(LINKS)])
    out, elsewhere = tmp_path / "climb", tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    words = ("--config", "mine.json", "--agent", "nothing", "--episodes", 1)
    call("ladder", *words, "--out", out)
    monkeypatch.chdir(elsewhere)
    call("ladder", "--resume", out, "--episodes", 2)
    assert len(RunFolder.open(out).plan().scenarios) == 2
    call("verify", out)
    (tmp_path / "mine.json").unlink()
    assert "put the benchmark there" in call("verify", out, exits=1).output
    assert "put the benchmark there" in call("ladder", "--resume", out, exits=2).output
