"""Models are named by alias, services by name or class path; what is wrong is said early."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.harness.days import composed_day
from tests.scripted_endpoint import KEY, ScriptedEndpoint, says, scripted_endpoint
from trainee_bench.harness.agents.llm.model_services import open_model_service
from trainee_bench.harness.agents.scripted import GRADED_MODELS, SCRIPTED_MODELS
from trainee_bench.harness.batch.agent_configs import build_agent_configs, build_model_settings
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.models.conversation import ModelReply, ModelRequest, UserMessage
from trainee_bench.harness.models.openai_service import OpenAIService
from trainee_bench.harness.records.plan import AgentConfig, ModelSettings, PlanError
from trainee_bench.harness.session.turns import InfrastructureFault
from trainee_bench.mcp_servers.llm.api_config import ModelConfig

HERE = "tests.harness.agents.llm.test_model_services"
DAY = composed_day("kb_fix.easy", name="s")
ASKED = ModelRequest("", (UserMessage("Begin."),))
ENTRY = {"model_name": "m", "api_key_var": KEY, "base_url": "http://127.0.0.1:9/v1"}


class Plain:
    """A service of somebody's own, without anything to open."""

    def __init__(self, config: ModelConfig):
        self.model = f"mine, for {config.alias}"
        self.incidents: Counter[str] = Counter()

    async def reply(self, request: ModelRequest) -> ModelReply:
        return ModelReply("I am my own.")


class Louder(OpenAIService):
    """One that builds on ours."""

    async def reply(self, request: ModelRequest) -> ModelReply:
        return ModelReply((await super().reply(request)).text.upper())


class Empty:
    """One that lacks all of it."""

    def __init__(self, config: ModelConfig):
        pass


def config(tmp_path: Path, document: dict[str, Any]) -> Path:
    path = tmp_path / "api_config.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def served(
    server: ScriptedEndpoint, tmp_path: Path, service: str = ""
) -> tuple[AgentConfig, ModelSettings]:
    path = config(tmp_path, server.described("mine"))
    made = AgentConfig(name="mine", agent="openai", model="mine", service=service)
    return made, ModelSettings(api_config=str(path))


@pytest.mark.parametrize(
    ("service", "streams", "text"),
    [
        ("", False, "So."),
        ("completions", False, "So."),
        ("streaming", True, "So."),
        (f"{HERE}:Louder", False, "SO."),
    ],
)
async def test_a_service_is_opened_by_its_name(
    tmp_path: Path, service: str, streams: bool, text: str
) -> None:
    async with (
        scripted_endpoint(says("So.")) as server,
        open_model_service(*served(server, tmp_path, service), DAY) as model,
    ):
        assert (await model.reply(ASKED)).text == text
        assert model.model == "scripted-model"
    assert server.asked[0].get("stream", False) is streams and server.keys == [KEY]


async def test_a_class_of_ones_own_needs_nothing_of_ours(tmp_path: Path) -> None:
    made = AgentConfig(name="a", agent="openai", model="a", service=f"{HERE}:Plain")
    there = ModelSettings(api_config=str(config(tmp_path, {"a": ENTRY})))
    async with open_model_service(made, there, DAY) as model:
        assert (model.model, (await model.reply(ASKED)).text) == ("mine, for a", "I am my own.")


async def test_own_prices_beside_api_config_are_taken(tmp_path: Path) -> None:
    prices = {"as_of": "x", "models": {"scripted-model": {"input": 1, "output": 1}}}
    (tmp_path / "prices.json").write_text(json.dumps(prices), "utf-8")
    async with (
        scripted_endpoint(says("So.", usage=(400_000, 100_000))) as server,
        open_model_service(*served(server, tmp_path), DAY) as model,
    ):
        assert (await model.reply(ASKED)).thought.cost_usd == pytest.approx(0.5)


async def test_a_scripted_model_needs_no_file() -> None:
    alias = next(iter(SCRIPTED_MODELS))
    made = AgentConfig(name=alias, agent="openai", model=alias)
    async with open_model_service(made, ModelSettings(), DAY) as model:
        assert model.model == alias


@pytest.mark.parametrize(
    ("alias", "service", "says_what"),
    [
        ("b", "", "defines no model 'b'"),
        ("a", f"{HERE}:Nobody", "Nobody"),
        ("a", f"{HERE}:Empty", "no model and no incidents and no reply"),
    ],
)
async def test_a_change_since_the_plan_breaks_the_episode_with_a_reason(
    tmp_path: Path, alias: str, service: str, says_what: str
) -> None:
    made = AgentConfig(name="x", agent="openai", model=alias, service=service)
    there = ModelSettings(api_config=str(config(tmp_path, {"a": ENTRY})))
    with pytest.raises(InfrastructureFault, match=says_what):
        async with open_model_service(made, there, DAY):
            pass


def test_scripted_stands_for_all_that_differ_in_skill(tmp_path: Path) -> None:
    path = config(tmp_path, {"a": ENTRY})
    asked = RunOptions(model=["scripted", "a", "scripted-novice", "a"], api_config=path)
    assert [one.model for one in build_agent_configs(asked)] == [*GRADED_MODELS, "a"]
    assert build_model_settings(asked).api_config == str(path)


def test_scripted_models_ask_for_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asked = RunOptions(model=["scripted"])
    assert (
        len(build_agent_configs(asked)) == len(GRADED_MODELS)
        and build_model_settings(asked) == ModelSettings()
    )


def test_the_file_is_looked_for_where_the_run_is_asked_for_and_recorded_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = config(tmp_path, {"a": ENTRY})
    asked = RunOptions(model=["a"], npc_model="a")
    assert [one.model for one in build_agent_configs(asked)] == ["a"]
    assert build_model_settings(asked) == ModelSettings(
        api_config=str(path.resolve()), npc_model="a"
    )


@pytest.mark.parametrize(
    ("asked", "says_what"),
    [
        ({"model": ["gtp"]}, "--model gtp: .*available: a, keyless.*scripted-expert"),
        ({"model": ["keyless"]}, "MY_OWN_API_KEY, which is not set"),
        ({"npc_model": "b"}, "--npc-model b: .*available: a, keyless"),
        ({"npc_model": "keyless"}, "MY_OWN_API_KEY"),
        ({"npc_model": "scripted"}, "can only be an agent"),
        ({"npc_model": "scripted-able"}, "can only be an agent"),
        ({"model": ["a"], "service": "quick"}, "completions, streaming"),
        ({"model": ["a"], "service": f"{HERE}:Nobody"}, "no class 'Nobody'"),
        ({"model": ["scripted"], "service": "streaming"}, "scripted-expert"),
        ({"service": "streaming"}, "--model ALIAS"),
    ],
)
def test_an_unavailable_model_is_refused_before_anything_is_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], says_what: str
) -> None:
    monkeypatch.delenv("MY_OWN_API_KEY", raising=False)
    keyless = {**ENTRY, "api_key_var": "MY_OWN_API_KEY"}
    path = config(tmp_path, {"a": ENTRY, "keyless": keyless})
    with pytest.raises(PlanError, match=says_what) as refused:
        build_plan(RunOptions(api_config=path, **asked))
    assert KEY not in str(refused.value)


def test_a_missing_file_is_answered_with_its_format_and_with_what_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlanError, match='"api_key_var".*scripted-expert'):
        build_plan(RunOptions(model=["gpt-4o"]))


def test_a_flawed_price_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text("{}", "utf-8")
    with pytest.raises(PlanError, match="as_of"):
        build_plan(RunOptions(model=["a"], api_config=config(tmp_path, {"a": ENTRY})))
