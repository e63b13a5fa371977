"""Whatever is wrong with the asking is said before anything is staged, with what would be right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainee_bench.harness.batch.benchmarks import load_benchmark
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark, shipped_benchmark_names


def config(tmp_path: Path, document: object) -> Path:
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
    path = config(tmp_path, {"name": "mine", "scenarios": [scenario(seed=4)]})
    assert load_benchmark(path, None).scenarios[0].seed == 4
    assert load_benchmark(path, 9).scenarios[0].seed == 9


def test_a_limit_takes_the_first_scenarios_and_names_take_the_named_ones(tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    path = config(tmp_path, {"name": "mine", "scenarios": [scenario(name) for name in names]})
    taken = build_plan(RunOptions(config=path, limit=2)).scenarios
    assert [one.name for one in taken] == ["one", "two"]
    taken = build_plan(RunOptions(config=path, scenario=["three", "one"])).scenarios
    assert [one.name for one in taken] == ["one", "three"]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"name": "mine", "scenarios": [scenario(speed=2)]}, "speed: there is no such key"),
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
        build_plan(RunOptions(config=config(tmp_path, document)))


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
    path = config(tmp_path, {"name": "mine", "scenarios": [scenario("a/b"), scenario("a-b")]})
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
def test_what_is_for_models_needs_one_that_is_named(asked: RunOptions, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        build_plan(asked)


def test_an_agent_named_twice_runs_once() -> None:
    (only,) = build_plan(RunOptions(agent=["nothing", "nothing"])).agents
    assert only.name == "nothing"
