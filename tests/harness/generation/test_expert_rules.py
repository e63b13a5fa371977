"""Which rules the hardest days have, and what is kept of a generation that is interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainee_bench.harness.generation.benchmark_file import (
    FinishedScenarios,
    generate_scenarios,
    parse_slack,
)
from trainee_bench.harness.generation.chosen_rules import complicate_rules
from trainee_bench.harness.generation.spec import (
    GenerationSpec,
    InvalidGenerationSpec,
    most_demanding,
    rule_demand,
)
from trainee_bench.meta_tasks.catalog import find_rule
from trainee_bench.meta_tasks.complications import discover_complications
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.random_streams import random_stream


def families(*globs: str) -> GenerationSpec:
    """A specification for rules of these globs, of which the more demanding half is drawn."""
    given = {"name": "x", "scenarios": 2, "fewest": 1, "most": 1, "globs": globs}
    return GenerationSpec.model_validate({**given, "hardest": 0.5})


def test_the_hardest_half_of_a_family_asks_for_more_than_what_it_leaves_out() -> None:
    every = families("kb_fix.*", "resume_select.*").model_copy(update={"hardest": 1}).rules()
    kept = most_demanding(every, 0.5)
    for name, rules in every.items():
        hard = [rule for rule in rules if rule.difficulty is Difficulty.HARD]
        left = [rule for rule in hard if rule not in kept[name]]
        least = min(rule_demand(rule.id) for rule in kept[name])
        assert all(rule_demand(rule.id) <= least for rule in left)
    ids = {rule.id for rules in kept.values() for rule in rules}
    assert "kb_fix.easy" not in ids and "resume_select.pool9" not in ids


def test_a_fact_more_makes_a_rule_more_demanding() -> None:
    assert rule_demand("kb_fix.split.medium") > rule_demand("kb_fix.medium")


def test_complications_of_a_day_are_of_many_kinds_and_go_together_with_its_seed() -> None:
    spec = families("sales.*", "transactions.*").model_copy(
        update={"fewest_complications": 2, "most_complications": 2}
    )
    rules = [find_rule("sales.cross_depts_top_n"), find_rule("transactions.n4.a0")]
    day = DaySpec(tasks=tuple(TaskSpec(rule=rule.id) for rule in rules))
    scenario = Scenario(name="many kinds", seed=7, days=(day,))
    made = complicate_rules(spec, scenario, rules, random_stream("many kinds"))
    names = [name for one in made for name in one.rule.id.split("+")[1:]]
    assert len(names) == 4 and len(set(names)) == 4


def test_so_many_complications_as_asked_for_are_announced_by_nobody() -> None:
    spec = families("sales.*", "kb_fix.*", "event_planning.*").model_copy(
        update={"fewest_complications": 3, "most_complications": 3, "unannounced": 2}
    )
    rules = [
        find_rule(id) for id in ("sales.cross_depts_top_n", "kb_fix.hard", "event_planning.B1")
    ]
    day = DaySpec(tasks=tuple(TaskSpec(rule=rule.id) for rule in rules))
    scenario = Scenario(name="unannounced", seed=7, days=(day,))
    made = complicate_rules(spec, scenario, rules, random_stream("unannounced"))
    known = discover_complications()
    quiet = [
        [name for name in one.rule.id.split("+")[1:] if not known[name].announced] for one in made
    ]
    assert [len(names) for names in quiet] == [2, 1, 0]  # as many as fit
    assert all(len(one.rule.id.split("+")) == 4 for one in made)


def test_more_unannounced_complications_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="--unannounced"):
        GenerationSpec(
            name="x", scenarios=1, fewest_complications=1, most_complications=2, unannounced=2
        )


def test_what_is_finished_is_read_again_for_the_same_specification_only(tmp_path: Path) -> None:
    spec = families("kb_fix.*")
    one, two = (
        Scenario(name=f"x-{number}", days=(DaySpec(tasks=(TaskSpec(rule="kb_fix.hard"),)),))
        for number in (1, 2)
    )
    finished = FinishedScenarios(tmp_path / "mine.json", spec)
    finished.begin({1: one})
    finished.add(2, two)
    assert finished.read() == {1: one, 2: two}
    text = finished.path.read_text()
    finished.path.write_text(text[:-20])  # interrupted while it was written
    assert finished.read() == {1: one}
    other = FinishedScenarios(tmp_path / "mine.json", spec.model_copy(update={"seed": 1}))
    assert other.read() == {}
    finished.remove()
    assert not list(tmp_path.iterdir())


def test_only_the_scenarios_whose_lines_were_removed_are_made_again(tmp_path: Path) -> None:
    spec = families("kb_fix.*").model_copy(update={"scenarios": 3})
    finished = FinishedScenarios(tmp_path / "mine.json", spec)
    made = list(generate_scenarios(spec, 1, finished))
    lines = finished.path.read_text().splitlines(keepends=True)
    kept = made[2].model_copy(update={"seed": 12_345})
    finished.begin({1: made[0], 3: kept})
    assert finished.path.read_text().splitlines(keepends=True)[:2] == lines[:2]
    assert list(generate_scenarios(spec, 1, finished)) == [made[0], made[1], kept]
    assert finished.read() == {1: made[0], 2: made[1], 3: kept}


@pytest.mark.parametrize("text", ["1.05", "a-b", "1.05-", "1,05-1,35"])
def test_slack_that_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(InvalidGenerationSpec, match="--slack"):
        parse_slack(text)


def test_slack_is_a_range_of_numbers_with_or_without_decimals() -> None:
    assert parse_slack("1.05-1.35") == (1.05, 1.35)
    assert parse_slack("1.5-2") == (1.5, 2)
