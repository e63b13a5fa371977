"""Attacking days and complications: who plays, at which seeds, and what the command says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.harness.days import one_day, twice
from tests.harness.runs import LINKS, call, config, day
from trainee_bench.harness.agents.runtime.registry import discover_agents
from trainee_bench.harness.attack import self_attack
from trainee_bench.harness.attack.day_attacks import attack_days, attack_names, with_new_seed
from trainee_bench.harness.attack.self_attack import AttackOptions, attack_benchmark
from trainee_bench.harness.attack.trials import AttackReport, DayTrial
from trainee_bench.harness.attack.worker_trials import complicated_rules, try_workers
from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.commands import attack
from trainee_bench.harness.testbench.staged_day import single_task_day
from trainee_bench.meta_tasks.task_context import CompositionError

PAGE = "website_analysis.slow_page"
QUICK = ("empty_files", "rote", "rote_renamed")


def test_every_cheat_and_both_players_by_rote_attack() -> None:
    cheats = {name for name, agent in discover_agents().items() if agent.score_ceiling is not None}
    assert set(attack_names()) == cheats | {"rote", "rote_renamed"}
    assert {"parrot", "rehearsed", "sprayer"} <= cheats


async def test_a_player_by_rote_knows_the_own_seed_and_no_new_one() -> None:
    scenario = one_day(LINKS, PAGE, seed=5)
    own = {trial.attack: trial for trial in await attack_days(scenario, scenario, QUICK)}
    assert {name: trial.score for name, trial in own.items()} == {
        "empty_files": 0, "rote": 1, "rote_renamed": 1,
    }  # fmt: skip
    attacked = with_new_seed(scenario, 1)
    assert attacked is not None and attacked.seed != scenario.seed
    new = await attack_days(attacked, scenario, QUICK)
    assert all(trial.score <= 0.05 and trial.seed == attacked.seed for trial in new), new
    assert [task.rule for task in new[0].tasks] == [LINKS, PAGE]


async def test_every_day_of_a_scenario_is_attacked() -> None:
    scenario = twice(LINKS, name="two")
    trials = await attack_days(scenario, scenario, ("empty_files",))
    assert [(trial.day, trial.score) for trial in trials] == [(0, 0), (1, 0)]


def test_a_new_seed_is_one_at_which_all_days_compose(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = one_day(LINKS, seed=5)
    first, second = (with_new_seed(scenario, number) for number in (1, 2))
    assert first is not None and second is not None
    assert len({scenario.seed, first.seed, second.seed}) == 3
    assert first.days == scenario.days

    def refuse(*_: object) -> None:
        raise CompositionError("never")

    monkeypatch.setattr("trainee_bench.harness.testbench.other_seeds.composed", refuse)
    assert with_new_seed(scenario, 1) is None


def test_the_late_worker_needs_each_complication_alone() -> None:
    rules = ["kb_fix.easy+outside_mail+sign_off", "kb_fix.easy", "kb_fix.easy+sign_off"]
    assert complicated_rules(rules) == [
        "kb_fix.easy+outside_mail",
        "kb_fix.easy+outside_mail+sign_off",
        "kb_fix.easy+sign_off",
    ]


async def test_three_workers_do_not_handle_a_complication_without_looking() -> None:
    trials = await try_workers("kb_fix.easy+outside_mail", 1, named=True)
    assert [(trial.worker, trial.handled) for trial in trials] == [
        ("blind", 0), ("early", 0), ("late", 0),
    ]  # fmt: skip
    assert all(trial.trials for trial in trials)
    late = await try_workers("kb_fix.easy+outside_mail", 1, named=False)
    assert [trial.worker for trial in late] == ["late"]


async def test_where_a_complication_asks_for_nothing_no_worker_can_ignore_it() -> None:
    rule = "sales.top_sales_employee+nobody_knows"
    (late,) = await try_workers(rule, 6, named=False)
    seeds = range(10_000, 10_006)
    missing = [single_task_day(rule, seed).tasks[0].instance.graded.missing for seed in seeds]
    assert None in missing, "a seed at which it asks for nothing"
    assert late.handled == 0 < late.trials


async def test_no_worker_is_late_for_a_complication_that_asks_for_nothing() -> None:
    rule = "kb_fix.easy+nobody_knows"  # at two of the four new seeds, somebody does know
    (trial,) = await try_workers(rule, 4, named=False)
    assert (trial.worker, trial.handled) == ("late", 0)
    (alone,) = await try_workers(rule, 1, named=False)
    assert trial.trials == 2 * alone.trials > 0


def test_what_cannot_be_attacked_is_named_and_does_not_lower_the_mean(tmp_path: Path) -> None:
    path = tmp_path / "published.json"
    tasks = [
        [{"name": "KB Link Fix", "arguments": {"task_params": {"difficulty": "easy"}}}],
        [{"name": "Moon Landing", "arguments": {}}],
    ]
    days = [{"name": f"day_{number}", "tasks": told} for number, told in enumerate(tasks, 1)]
    path.write_text(json.dumps({"scenarios": [{"name": "one", "days": days}]}), encoding="utf-8")
    done = call("attack", path, "--same-seeds", "--jobs", 1, "--attack", "rote")
    said = " ".join(done.output.split())
    assert "Exploit bound: 1.000 (rote)" in said and "on 1 day from 1 scenario" in said
    assert "one: there is no family for its task Moon Landing" in said
    again = call("attack", path, "--seeds", 1, "--jobs", 1, "--attack", "empty_files")
    assert "on 1 day from 1 scenario, with 1 new seed" in " ".join(again.output.split())


def test_a_benchmark_of_which_nothing_composes_at_new_seeds_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_attack, with_new_seed.__name__, lambda *_: None)
    path = config(tmp_path, one=[day(LINKS)])
    said = call("attack", path, "--seeds", 1, "--jobs", 1, exits=2).output
    assert "nothing was attacked" in said and "--same-seeds" in " ".join(said.split())


def test_a_sample_takes_scenarios_at_equal_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios = tuple(one_day(LINKS, name=str(number)) for number in range(10))
    assert [one.name for one in self_attack._sample(scenarios, 3)] == ["0", "3", "6"]
    assert self_attack._sample(scenarios, None) == self_attack._sample(scenarios, 99) == scenarios


def test_the_command_writes_its_report_in_every_form(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    files = {option: tmp_path / f"report.{option}" for option in ("json", "html", "markdown")}
    options = [word for option, file in files.items() for word in (f"--{option}", file)]
    done = call("attack", path, "--seeds", 1, "--jobs", 1, *options)
    assert "Exploit bound: " in done.output and "1/1 one, new seed 1" in done.output
    data = json.loads(files["json"].read_text(encoding="utf-8"))
    assert set(data["attacks"]) == set(attack_names())
    assert data["exploit_bound"] <= data["bound"] == 0.05
    assert all("Exploit bound" in files[form].read_text() for form in ("html", "markdown"))


def test_with_the_own_seeds_the_player_by_rote_gets_everything_and_that_is_no_error(
    tmp_path: Path,
) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    done = call("attack", path, "--same-seeds", "--jobs", 1)
    assert "Exploit bound: 1.000 (rote)" in done.output


def test_a_broken_bound_is_exit_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(benchmark: LoadedBenchmark, options: AttackOptions, _: object) -> AttackReport:
        days = tuple(DayTrial("one", 0, seed, "a", 0.5, ()) for seed in (1, 2))
        return AttackReport(benchmark.name, 1, options.seeds, days, ())

    monkeypatch.setattr(attack, attack_benchmark.__name__, broken)
    path = config(tmp_path, one=[day(LINKS)])
    assert "a scores 0.500" in call("attack", path, exits=1).output


def test_a_worker_process_that_ends_is_an_error_and_no_broken_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_attack, with_new_seed.__name__, lambda *_: os._exit(9))
    path = config(tmp_path, one=[day(LINKS)])
    assert "fewer --jobs" in " ".join(call("attack", path, "--jobs", 1, exits=2).output.split())


def test_an_unknown_benchmark_and_seeds_that_nobody_draws_are_wrong_use() -> None:
    said = " ".join(call("attack", "no-such", exits=2).output.split())
    assert "attack: no-such: there is no such file. Shipped benchmarks: " in said
    both = call("attack", "quickstart", "--same-seeds", "--seeds", 2, exits=2)
    assert "leave out --seeds" in " ".join(both.output.split())


def test_single_attacks_are_made_alone_and_an_unknown_one_is_wrong_use(tmp_path: Path) -> None:
    path = config(tmp_path, one=[day("kb_fix.easy+outside_mail")])
    done = call("attack", path, "--seeds", 1, "--jobs", 1, "--attack", "empty_files")
    assert "1/1 one, new seed 1" in done.output  # nor is any complication tried
    assert "empty_files" in done.output and "sprayer" not in done.output
    assert "there is no attack 'x'" in call("attack", path, "--attack", "x", exits=2).output
