"""The experiment on weeks measures learning and nothing else.

An agent that learns gains if there is something to learn, one that learns nothing gains nothing,
and false notes cost an agent that trusts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.harness.days import day_spec
from tests.harness.runs import carried_out
from trainee_bench.harness.analysis.statistics.week_learning import (
    PartFilter,
    PartGain,
    followed_by_offset,
    gain,
    paired_gains,
    part_mean,
)
from trainee_bench.harness.analysis.statistics.week_parts import DayPart, Familiarity
from trainee_bench.harness.records.plan import AgentConfig, MemoryMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.meta_tasks.scenario import Scenario

Found = Mapping[MemoryMode, Sequence[EpisodeResult]]
ON, OFF, WIPED, POISONED = MemoryMode
LINKS, MORE_LINKS, SALES = "kb_fix.easy", "kb_fix.medium", "sales.per_dept_top_n"
TASKS = ((MORE_LINKS,), (MORE_LINKS, SALES), (LINKS, SALES))
"""On the second day a known rule and a new family; on the third another rule of a known family, and
again a known rule."""
POLICY = (("week.claims",), (), (), (), ())


def weeks(days: Sequence[Sequence[str]], seeds: Iterable[int]) -> tuple[Scenario, ...]:
    made = tuple(day_spec(*rules) for rules in days)
    return tuple(Scenario(name=f"w{seed}", seed=seed, days=made, week=True) for seed in seeds)


def worked(
    agent: str, model: str | None, scenarios: tuple[Scenario, ...], path: Path, *modes: MemoryMode
) -> dict[MemoryMode, list[EpisodeResult]]:
    agents = tuple(
        AgentConfig(name=mode.value, agent=agent, model=model, memory=mode) for mode in modes
    )
    plan = RunPlan(benchmark="test", scenarios=scenarios, agents=agents)
    results = carried_out(plan, path)
    return {mode: [result for result in results if result.agent == mode.value] for mode in modes}


def gains(found: Found, mode: MemoryMode, than: MemoryMode = WIPED) -> list[PartGain]:
    return paired_gains(found[mode], found[than])


def everything(part: DayPart) -> bool:
    return True


def familiar(*kinds: Familiarity) -> PartFilter:
    return lambda part: part.familiarity in kinds


KNOWN = familiar(Familiarity.RULE, Familiarity.FAMILY)


def mean(of: Sequence[PartGain], keep: PartFilter = everything) -> float:
    found = part_mean(of, keep)
    assert found is not None
    return found.mean


@pytest.mark.sweep
def test_an_agent_that_learns_rules_gains_on_known_rules_only(tmp_path: Path) -> None:
    found = worked(
        "learner", "scripted-learner", weeks(TASKS, range(8)), tmp_path / "run", ON, OFF, WIPED
    )
    remembered = gains(found, ON)
    assert mean(remembered, KNOWN) > 0.15
    assert mean(remembered, familiar(Familiarity.RULE)) > 0
    for nothing in (familiar(Familiarity.NOTHING), lambda part: part.day == 0):
        assert mean(remembered, nothing) == 0
    thrown_away = gains(found, WIPED, OFF)
    assert {learner.gain for learner in thrown_away} == {0}


@pytest.mark.parametrize(
    ("model", "seeds"),
    [
        pytest.param("scripted-memoriser", (1,), id="one week"),
        pytest.param("scripted-memoriser", range(8), marks=pytest.mark.sweep, id="by heart"),
        pytest.param("scripted-forgetful", range(8), marks=pytest.mark.sweep, id="nothing"),
    ],
)
def test_an_agent_that_memorises_values_or_learns_nothing_gains_nothing(
    model: str, tmp_path: Path, seeds: Iterable[int]
) -> None:
    found = worked("learner", model, weeks(TASKS, seeds), tmp_path / "run", ON, WIPED)
    overall = gain(gains(found, ON), everything)
    assert overall is not None
    assert overall.mean <= 0.02


def shares(found: Found, mode: MemoryMode) -> list[float]:
    return [share.mean for _, share in sorted(followed_by_offset(found[mode]).items())]


@pytest.mark.parametrize("seeds", [(1,), pytest.param(range(5), marks=pytest.mark.sweep)])
def test_a_policy_is_followed_from_the_day_on_which_its_change_is_noted(
    tmp_path: Path, seeds: Iterable[int]
) -> None:
    policies = weeks(POLICY, seeds)
    model = ("learner", "scripted-note-taker", policies)
    found = worked(*model, tmp_path / "note-taker", ON, OFF, WIPED, POISONED)
    assert shares(found, ON) == [1, 1, 1, 1, 1]
    assert shares(found, WIPED) == shares(found, OFF) == [1, 0, 0, 0, 0]
    first, *later = shares(found, POISONED)
    assert first == 1
    assert (
        sum(later) <= 1
    )  # of four days: a false limit may decide a day's claims as the true one does
    slow = worked("learner", "scripted-habitual", policies, tmp_path / "habitual", ON)
    assert shares(slow, ON) == [1, 1, 0, 1, 1]


def test_false_notes_in_the_office_cost_an_agent_that_trusts_them(tmp_path: Path) -> None:
    found = worked("oracle", None, weeks(POLICY, [1]), tmp_path / "run", ON, WIPED, POISONED)
    assert shares(found, ON) == [1, 1, 1, 1, 1]
    assert shares(found, WIPED) == [1, 0, 0, 0, 0]
    assert sum(shares(found, POISONED)[1:]) <= 1
    (week,) = found[POISONED]
    seen = {check.name: check.seen for check in week.tasks[0].checkpoints}
    assert seen["tuesday"].endswith("were decided in time, but not all of them correctly")
