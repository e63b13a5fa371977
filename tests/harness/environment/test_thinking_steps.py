"""Days and episodes for training on which thinking takes time: what each step has to tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.harness.runs import LINKS, config, day
from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.environment.day import Day
from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.meta_tasks.scenario import Scenario, ScenarioDay

PACE = 300


def scenario(path: Path) -> Scenario:
    return load_benchmark(path, None).scenarios[0]


@pytest.mark.parametrize("pace", [0, -300, 0.5, "300"])
def test_a_day_with_an_impossible_pace_is_refused_when_it_is_made(
    tmp_path: Path, pace: Any
) -> None:
    given = scenario(config(tmp_path, one=[day(LINKS)]))
    with pytest.raises(ValueError, match="tokens_per_minute"):
        Day(given, tokens_per_minute=pace)
    with pytest.raises(ValueError, match="tokens_per_minute"):
        Episode.begin(ScenarioDay(scenario=given, day=0), tokens_per_minute=pace)


@pytest.mark.parametrize("tokens", [None, -1, "900", 900.5, float("nan")])
def test_a_step_with_impossible_tokens_is_refused_and_changes_nothing(
    tmp_path: Path, tokens: Any
) -> None:
    worked = Day(scenario(config(tmp_path, one=[day(LINKS)])), tokens_per_minute=PACE)
    worked.reset()
    before = worked.digest()
    with pytest.raises(ValueError, match="output_tokens"):
        worked.step([ToolCall("desk_now")], tokens)
    assert worked.digest() == before
    worked.step([ToolCall("desk_now")], 299)
    worked.step([ToolCall("desk_now")], 1)
    assert f"{worked.now:%H:%M}" == "08:03"


def test_an_episode_s_snapshot_keeps_the_tokens_that_took_no_whole_minute(tmp_path: Path) -> None:
    given = scenario(config(tmp_path, one=[day(LINKS)]))
    episode = Episode.begin(ScenarioDay(scenario=given, day=0), tokens_per_minute=PACE)
    episode.call("desk_now", {}, output_tokens=299)
    again = Episode.from_snapshot(episode.snapshot())
    answer = again.call("desk_now", {}, output_tokens=1).answer
    assert answer.time is not None and f"{answer.time:%H:%M}" == "08:03"


def test_steps_of_such_a_day_need_their_tokens_and_other_days_ignore_them(tmp_path: Path) -> None:
    given = scenario(config(tmp_path, one=[day(LINKS)]))
    episode = Episode.begin(ScenarioDay(scenario=given, day=0), tokens_per_minute=PACE)
    assert "one minute for every 300 tokens" in episode.start.prompt
    with pytest.raises(ValueError, match="output_tokens"):
        episode.call("desk_now", {})
    answer = episode.call("desk_now", {}, output_tokens=900).answer
    assert answer.time is not None and f"{answer.time:%H:%M}" == "08:04"
    again = Episode.from_snapshot(episode.snapshot())
    later = again.call("desk_now", {}, output_tokens=300).answer
    assert later.time is not None and f"{later.time:%H:%M}" == "08:06"
    plain = Episode.begin(ScenarioDay(scenario=given, day=0))
    same = plain.call("desk_now", {}, output_tokens=900).answer
    assert same.time is not None and f"{same.time:%H:%M}" == "08:01"
