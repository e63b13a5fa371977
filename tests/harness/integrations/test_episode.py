"""An episode is a day at the seat, begun from a copy of its morning."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from trainee_bench.harness.environment.day import Day, DayNotBegun
from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.harness.parity.script import parity_scripts
from trainee_bench.meta_tasks.scenario import ScenarioDay

VALID, MALFORMED, _ = parity_scripts()
DAY = ScenarioDay(scenario=VALID.scenario, day=VALID.number)


def test_an_episode_is_the_day_that_reset_begins() -> None:
    day, episode = Day(VALID.scenario, VALID.number), Episode.begin(DAY)
    assert episode.start == day.reset()
    assert (episode.digest(), episode.begins) == (day.digest(), day.now)


def test_rewards_of_all_calls_add_up_to_the_score() -> None:
    episode = Episode.begin(DAY)
    steps = [episode.call(call.name, call.arguments) for call in VALID.calls]
    assert [step.reward for step in steps] == episode.rewards
    assert episode.score == pytest.approx(1)
    assert episode.grade().score == 1
    assert episode.calls() == [*VALID.calls]
    assert not steps[-1].done
    assert episode.call("desk_finish_day", {}).done


def test_malformed_calls_are_answered_and_count() -> None:
    episode = Episode.begin(DAY)
    answers = [episode.call(call.name, call.arguments).answer for call in MALFORMED.calls]
    assert all(answers[place].failed for place in MALFORMED.malformed)
    assert episode.digest() == MALFORMED.at_the_seat().digest


def test_episodes_of_the_same_day_know_nothing_of_each_other() -> None:
    one, other = Episode.begin(DAY), Episode.begin(DAY)
    morning = other.digest()
    one.call("desk_wait", {"minutes": 60})
    assert other.digest() == morning == Episode.begin(DAY).digest()
    one.close()
    with pytest.raises(DayNotBegun):
        one.call("desk_tasks", {})
    assert not other.call("desk_tasks", {}).answer.failed


def test_one_thread_after_the_other_may_go_on_with_an_episode() -> None:
    with ThreadPoolExecutor(1) as first, ThreadPoolExecutor(1) as second:
        episode = first.submit(Episode.begin, DAY).result()
        for place, call in enumerate(VALID.calls):
            thread = (first, second)[place % 2]
            thread.submit(episode.call, call.name, call.arguments).result()
    assert episode.digest() == VALID.at_the_seat().digest
    episode.close()
