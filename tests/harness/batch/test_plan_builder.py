"""Before a run begins: what is wrong with the asking, and what it would take.

The last tests show how it goes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from rich.console import Console

from tests.harness.builders import episode, plan, task
from tests.harness.runs import LINKS, MEETING, config, day, invoke
from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.batch.forecast import (
    DEFAULT_MEASUREMENT,
    Forecast,
    ForecastRange,
    forecast_assumptions,
    forecast_plan,
    forecast_rows,
    measure_workload,
)
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import show_progress
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, shipped_benchmark_names


def benchmark_file(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def scenario(name: str = "one", rule: str = "kb_fix.easy", **more: object) -> dict[str, object]:
    return {"name": name, "days": [{"tasks": [{"rule": rule}]}], **more}


def test_without_arguments_it_is_the_quickstart_with_oracle_sprayer_and_a_scripted_model() -> None:
    plan = build_plan(RunOptions())
    assert plan.benchmark == "quickstart"
    assert [agent.name for agent in plan.agents] == ["oracle", "sprayer", "scripted-fair"]
    assert [agent.model for agent in plan.agents] == [None, None, "scripted-fair"]
    assert plan.scenarios == load_shipped_benchmark("quickstart").scenarios


@pytest.mark.parametrize("name", shipped_benchmark_names())
def test_every_shipped_benchmark_makes_a_plan_by_its_name(name: str) -> None:
    assert build_plan(RunOptions(config=Path(name))).benchmark == name


def test_a_seed_replaces_those_of_the_file(tmp_path: Path) -> None:
    path = benchmark_file(tmp_path, {"name": "mine", "scenarios": [scenario(seed=4)]})
    assert load_benchmark(path, None).scenarios[0].seed == 4
    assert load_benchmark(path, 9).scenarios[0].seed == 9


def test_a_limit_takes_the_first_scenarios_and_names_take_the_named_ones(tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    path = benchmark_file(tmp_path, {"name": "mine", "scenarios": [*map(scenario, names)]})
    taken = build_plan(RunOptions(config=path, limit=2)).scenarios
    assert [one.name for one in taken] == ["one", "two"]
    taken = build_plan(RunOptions(config=path, scenario=["three", "one"])).scenarios
    assert [one.name for one in taken] == ["one", "three"]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"name": "mine", "scenarios": [scenario(speed=2)]}, "speed: unknown key"),
        ({"name": "mine", "scenarios": [scenario(rule="kb_fix.impossible")]}, "kb_fix.easy"),
        ({"name": "mine", "scenarios": [scenario(), scenario()]}, "more than one scenario"),
        ({"name": "mine", "scenarios": []}, "scenarios"),
        ({"name": "mine", "scenarios": [scenario(tools=["desk", "mial"])]}, "app 'mial': try mail"),
        ({"name": "mine", "scenarios": [scenario(tools=[])]}, "tools"),
        ({"name": "mine", "scenarios": [scenario(minutes={"mail_sent": 9})]}, "try mail_send"),
        ({"name": "mine", "scenarios": [scenario(minutes={"mail_send": -1})]}, "greater than or"),
        ({"name": "mine", "scenarios": [scenario(ends="18:00Z")]}, "has no zone"),
        ({"name": "mine", "scenarios": [{"name": "x", "days": [{"tasks": []}]}]}, "no tasks"),
        ({"name": "a b", "scenarios": [scenario()]}, "name"),
        ([], "the whole text"),
    ],
)
def test_a_flaw_of_the_file_is_named(tmp_path: Path, document: object, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        build_plan(RunOptions(config=benchmark_file(tmp_path, document)))


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (RunOptions(config=Path("missing.json")), "quickstart"),
        (RunOptions(agent=["orakel"]), "There are .*oracle"),
        (RunOptions(agent=["no.such.module:Agent"]), "no module"),
        (RunOptions(agent=["json:JSONEncoder"]), "async def work"),
        (RunOptions(scenario=["first_dya"]), "try first_day"),
    ],
)
def test_wrong_options_are_answered_with_what_would_be_right(asked: RunOptions, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        build_plan(asked)


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(PlanError, match="cannot be read"):
        build_plan(RunOptions(config=path))


def test_scenarios_whose_episodes_would_share_a_file_are_refused(tmp_path: Path) -> None:
    path = benchmark_file(tmp_path, {"name": "mine", "scenarios": [*map(scenario, ("a/b", "a-b"))]})
    with pytest.raises(PlanError, match=r"a-b\.day_1\.oracle\.1"):
        build_plan(RunOptions(config=path))


def test_agents_and_models_are_mixed_in_one_run() -> None:
    options = RunOptions(agent=["oracle", "nothing"], model=["scripted-fair", "scripted-expert"])
    plan = build_plan(options)
    assert [(agent.name, agent.agent, agent.model) for agent in plan.agents] == [
        ("oracle", "oracle", None),
        ("nothing", "nothing", None),
        ("scripted-fair", "openai", "scripted-fair"),
        ("scripted-expert", "openai", "scripted-expert"),
    ]


def test_an_agent_that_uses_models_is_the_only_one_to_use_them() -> None:
    plan = build_plan(RunOptions(agent=["oracle", "learner"], model=["scripted-fair"]))
    assert [agent.name for agent in plan.agents] == ["oracle", "learner-scripted-fair"]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (RunOptions(agent=["oracle"], history="whole"), "--history whole needs an agent with"),
        (RunOptions(service="streaming"), "--service streaming needs a model"),
        (RunOptions(system_prompt="bare"), "--system-prompt bare needs an agent with a model"),
        (RunOptions(record_tokens=True), "--record-tokens needs a model"),
        (RunOptions(agent=["oracle", "openai"]), "--agent openai needs a model"),
    ],
)
def test_options_for_models_need_a_named_model(asked: RunOptions, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        build_plan(asked)


def test_an_agent_named_twice_runs_once() -> None:
    (only,) = build_plan(RunOptions(agent=["nothing", "nothing"])).agents
    assert only.name == "nothing"


def described(folder: Path) -> Path:
    path = folder / "api_config.json"
    entry = {
        "api_key_var": "NOBODYS_OWN_API_KEY",
        "base_url": "http://127.0.0.1:1/v1",
        "proxy_url": "",
    }
    models = {"priced": {"model_name": "our-model", **entry}, "odd": {"model_name": "x", **entry}}
    path.write_text(json.dumps(models), encoding="utf-8")
    prices = {"as_of": "2026-01-01", "models": {"our-model": {"input": 2, "output": 10}}}
    (folder / "prices.json").write_text(json.dumps(prices), encoding="utf-8")
    return path


def told(folder: Path, *models: str, **more: Any) -> list[Forecast]:
    """The forecasts for three days of two tasks, measured as usual."""
    path = config(folder, one=[day(LINKS, MEETING)] * 3)
    asked = RunOptions(
        config=path, model=list(models), api_config=described(folder), dry_run=True, **more
    )  # fmt: skip
    return forecast_plan(build_plan(asked), DEFAULT_MEASUREMENT)


def test_a_dry_run_tells_tokens_and_cost_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    described(tmp_path)
    path = config(tmp_path, one=[day(LINKS)])
    before = set(tmp_path.rglob("*"))
    done = invoke("--config", path, "--model", "priced", "--model", "odd", "--dry-run")
    assert "our-model" in done.output and "unknown" in done.output
    assert "Measured on 1 of its days" in done.output
    assert set(tmp_path.rglob("*")) == before
    assert "NOBODYS_OWN_API_KEY" in invoke("--config", path, "--model", "priced", exits=2).output


@pytest.mark.parametrize("option", ["--out", "--resume"])
def test_a_dry_run_has_no_folder(tmp_path: Path, option: str) -> None:
    done = invoke("--dry-run", option, tmp_path / "x", exits=2)
    assert "does not combine with --out" in " ".join(done.output.split())


def test_measurements_are_of_the_plans_own_days(tmp_path: Path) -> None:
    plan = build_plan(RunOptions(config=config(tmp_path, one=[day(LINKS)], two=[day(MEETING)])))
    by = anyio.run(measure_workload, plan)
    assert by.days == 2
    assert by.tools > 1_000 and by.opening > 100
    assert by.calls > 3 and by.messages > 0
    assert by.answer > 10 and by.arguments > 1


def test_tokens_cost_and_steps_go_from_low_to_high(tmp_path: Path) -> None:
    (one,) = told(tmp_path, "priced")
    assert one.episodes == 3 and one.steps == ForecastRange(27, 54, 108)
    assert one.prompt_tokens and one.completion_tokens and one.cost_usd
    for span in (one.prompt_tokens, one.completion_tokens, one.cost_usd):
        assert 0 < span.low < span.expected < span.high
    dollars = (one.prompt_tokens.expected * 2 + one.completion_tokens.expected * 10) / 1e6
    assert one.cost_usd.expected == pytest.approx(dollars, rel=1e-3)


def test_an_unknown_price_is_unknown_and_a_scripted_model_costs_nothing(tmp_path: Path) -> None:
    odd, scripted = told(tmp_path, "odd", "scripted-able")
    assert odd.cost_usd is None and odd.prompt_tokens is not None
    assert scripted.cost_usd == ForecastRange(0, 0, 0)
    assert [row[-1] for row in forecast_rows([odd, scripted])] == ["unknown", "0.00", "unknown"]


def test_limits_bound_it(tmp_path: Path) -> None:
    (few,) = told(tmp_path, "priced", max_steps=10)
    assert few.steps is not None and few.steps.high == 30
    (short,) = told(tmp_path, "priced", max_tokens=50_000)
    assert short.prompt_tokens is not None and short.completion_tokens is not None
    assert short.prompt_tokens.high + short.completion_tokens.high < 3 * 70_000
    (cheap,) = told(tmp_path, "priced", max_cost=0.01)
    assert cheap.cost_usd is not None and cheap.cost_usd.high == pytest.approx(0.03)


def test_a_history_that_summarises_reads_less_than_a_whole_one(tmp_path: Path) -> None:
    read = [
        told(tmp_path, "priced", history=history)[0].prompt_tokens
        for history in ("summarising:10000", "", "whole")
    ]
    highs = [span.high for span in read if span is not None]
    assert highs == sorted(highs) and highs[0] < highs[1]


def test_agents_without_a_model_take_nothing_and_colleagues_with_one_are_told(
    tmp_path: Path,
) -> None:
    asked = RunOptions(
        config=config(tmp_path, one=[day(LINKS)]), agent=["nothing"], npc_model="priced",
        api_config=described(tmp_path), dry_run=True,
    )  # fmt: skip
    plan = build_plan(asked)
    nothing, colleagues = forecast_plan(plan, DEFAULT_MEASUREMENT)
    assert nothing.prompt_tokens is None and nothing.cost_usd is None
    assert colleagues.prompt_tokens is not None and colleagues.cost_usd is not None
    assert colleagues.cost_usd.expected > 0
    assert "Default estimate" in forecast_assumptions(plan, DEFAULT_MEASUREMENT, [nothing])[0]


def shown(terminal: bool, finished: int = 0) -> str:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, color_system=None)
    orders = list(plan("one", "two", agents=("good", "bad")).episode_specs())
    with show_progress(console, orders, finished) as watch:
        watch.done(episode("good", "one", task(1.0)))
        watch.done(episode("bad", "one", task(0.25), attempt=2))
        watch.done(episode("bad", "two", task(None), error="the line is dead"))
    return out.getvalue()


def test_elsewhere_each_episode_is_a_plain_line_with_its_place() -> None:
    assert shown(terminal=False, finished=3).splitlines() == [
        "[4/7] good · one · day_1: 1.00 (complete)",
        "[5/7] bad · one · day_1 · attempt 2: 0.25",
        "[6/7] bad · two · day_1: broken (the line is dead)",
    ]


def test_on_a_terminal_each_agent_has_a_bar() -> None:
    out = shown(terminal=True)
    assert "good" in out and "1/2" in out
    assert "bad" in out and "2/2" in out
