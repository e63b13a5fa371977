"""api_config.json is read as the original's is, and what a server wants otherwise is said so."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_servers.llm.one_request import ASKED, ask, both_ways
from tests.scripted_endpoint import Answer, fails, says, scripted_endpoint
from trainee_bench.mcp_servers.llm.api_config import (
    NO_KEY,
    ApiConfigError,
    ModelConfig,
    load_api_config,
)
from trainee_bench.mcp_servers.llm.client import ChatClient, ModelUnavailable

SECRET = "sk-secret-0123456789"


def written(tmp_path: Path, document: object) -> Path:
    path = tmp_path / "api_config.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return path


def entry(**changed: object) -> dict[str, object]:
    usual = {"model_name": "m-1", "api_key_var": SECRET, "base_url": "https://host/v1"}
    return {**usual, "proxy_url": "", **changed}


def test_each_alias_is_a_model_in_the_order_of_the_file(tmp_path: Path) -> None:
    models = load_api_config(written(tmp_path, {"b": entry(), "a": entry(model_name="m-2")}))
    assert list(models) == ["b", "a"]
    assert (models["a"].alias, models["a"].model_name) == ("a", "m-2")
    assert models["b"].base_url == "https://host/v1"


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_blank_address_is_none(tmp_path: Path, blank: str | None) -> None:
    path = written(tmp_path, {"a": entry(base_url=blank, proxy_url=blank, api_key_var=blank)})
    model = load_api_config(path)["a"]
    assert (model.base_url, model.proxy_url, model.key()) == (None, None, NO_KEY)


def test_addresses_and_key_may_be_left_out(tmp_path: Path) -> None:
    model = load_api_config(written(tmp_path, {"a": {"model_name": "m"}}))["a"]
    assert (model.base_url, model.proxy_url, model.key()) == (None, None, NO_KEY)


def test_a_key_is_that_of_the_variable_if_there_is_one_else_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = ModelConfig(alias="a", model_name="m", api_key_var="SOME_NAME")
    assert model.key() == "SOME_NAME"
    monkeypatch.setenv("SOME_NAME", f" {SECRET}\n")
    assert model.key() == SECRET


@pytest.mark.parametrize("set_to", [None, "", " "])
def test_a_variable_that_is_not_set_is_named(
    monkeypatch: pytest.MonkeyPatch, set_to: str | None
) -> None:
    monkeypatch.delenv("MY_OWN_API_KEY", raising=False)
    if set_to is not None:
        monkeypatch.setenv("MY_OWN_API_KEY", set_to)
    with pytest.raises(ApiConfigError, match="MY_OWN_API_KEY, which is not set"):
        ModelConfig(alias="a", model_name="m", api_key_var="MY_OWN_API_KEY").key()


@pytest.mark.parametrize("key", ["sk-schlüssel-123456", "sk-two\nlines-123456"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ApiConfigError) as refused:
        ModelConfig(alias="a", model_name="m", api_key_var=key).key()
    assert key not in str(refused.value)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"a": entry(speed="fast")}, "a.speed: unknown field"),
        ({"a": entry(alias="b")}, "a.alias: unknown field"),
        ({"a": entry(model_name=" ")}, "a.model_name"),
        ({"a": {"base_url": "https://host/v1"}}, "a.model_name"),
        ({"a": entry(base_url="host/v1")}, "a.base_url: is not a URL"),
        ({"a": entry(base_url="https://host:99999/v1")}, "a.base_url: is not a URL"),
        ({"a": entry(base_url=f"https://me:{SECRET}@host/v1")}, "put a key into api_key_var"),
        ({"a": entry(base_url=f"https://host/v1?key={SECRET}")}, "put a key into api_key_var"),
        ({"a": entry(base_url="socks5://host/v1")}, "begins with http"),
        ({"a": entry(proxy_url=SECRET)}, "a.proxy_url: is not a URL"),
        ({"a": entry(api_key_var=[SECRET])}, "a.api_key_var"),
        ({"a": SECRET}, "a: "),
        ({"": entry()}, "alias"),
        ([entry()], "the format is|The format is"),
        (f'{{"a": {{"api_key_var": "{SECRET}"', "JSON"),
    ],
)
def test_a_flaw_is_named_and_nothing_of_the_file_is_quoted(
    tmp_path: Path, document: object, says: str
) -> None:
    with pytest.raises(ApiConfigError, match=says) as refused:
        load_api_config(written(tmp_path, document))
    assert SECRET not in str(refused.value)
    assert "model_name" in str(refused.value)  # the format is shown


def test_a_missing_file_is_answered_with_the_format(tmp_path: Path) -> None:
    with pytest.raises(ApiConfigError, match='"api_key_var": "MY_API_KEY"'):
        load_api_config(tmp_path / "api_config.json")


def test_neither_a_key_nor_a_proxy_with_its_password_is_shown() -> None:
    proxy = "http://me:pass-word-1@proxy:3128"
    model = ModelConfig(alias="a", model_name="m", api_key_var=SECRET, proxy_url=proxy)
    for shown in (repr(model), str(model), f"{model}"):
        assert SECRET not in shown and "pass-word-1" not in shown
    with pytest.raises(ValueError) as refused:
        ModelConfig(alias="", model_name="m", api_key_var=SECRET, proxy_url="none")
    assert SECRET not in str(refused.value)


def test_texts_of_others_are_shown_without_the_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_NAME", SECRET)
    proxy = "http://me:pass-word-1@proxy:3128"
    model = ModelConfig(alias="a", model_name="m", api_key_var="SOME_NAME", proxy_url=proxy)
    assert model.without_secrets(f"{SECRET}, {proxy}, pass-word-1") == "[key], [key], [key]"
    plain = ModelConfig(alias="a", model_name="m", api_key_var="EMPTY")
    assert plain.without_secrets("EMPTY reply") == "EMPTY reply"  # a word is no secret


@pytest.mark.parametrize("length", [8, 12, len(SECRET) - 1])
def test_a_secret_that_was_cut_is_not_shown_either(length: int) -> None:
    model = ModelConfig(alias="a", model_name="m", api_key_var=SECRET)
    assert model.without_secrets(f"Not {SECRET[:length]}…") == "Not [key]…"
    assert model.without_secrets(SECRET[:3]) == SECRET[:3]  # the maker's mark


SCHEMA: Any = {"type": "json_schema", "json_schema": {"name": "ids", "schema": {}}}


@pytest.mark.parametrize(
    ("words", "asked", "missing", "instead"),
    [
        ("Unknown parameter: 'max_completion_tokens'.", {"max_completion_tokens": 9},
         "max_completion_tokens", {"max_tokens": 9}),
        ("'temperature' does not support 0.2 with this model.", {"temperature": 0.2},
         "temperature", {}),
        ("response_format.type json_schema is unavailable now", {"response_format": SCHEMA},
         None, {"response_format": {"type": "json_object"}}),
        ("Unknown name \"strict\" at 'tools[0].function'",
         {"tools": [{"type": "function", "function": {"name": "a", "strict": False}}]},
         None, {"tools": [{"type": "function", "function": {"name": "a"}}]}),
    ],
)  # fmt: skip
async def test_a_parameter_that_a_server_does_not_know_is_given_up_once_and_for_good(
    words: str, asked: dict[str, Any], missing: str | None, instead: dict[str, Any]
) -> None:
    async with (
        scripted_endpoint(fails(400, words), says("So."), says("Again.")) as server,
        ChatClient(server.config()) as endpoint,
    ):
        await endpoint.complete(ASKED, **asked)
        await endpoint.complete(ASKED, **asked)
    for sent in server.asked[1:]:
        assert missing not in sent
        assert {name: sent[name] for name in instead} == instead
    assert not endpoint.incidents


@both_ways
@pytest.mark.parametrize(
    "refusal",
    [
        fails(400, "messages[0]: unknown variant `image_url`, expected `text`"),
        fails(400, "scripted-model is not a multimodal model"),
        fails(404, "No endpoints found that support image input"),
        fails(500, "image input is not supported - hint: you may need to provide the mmproj"),
    ],
)
async def test_a_model_that_sees_nothing_is_told_of_pictures_in_words(
    refusal: Answer, stream: bool
) -> None:
    url = "data:image/png;base64,AAAA"
    shown: Any = {
        "role": "user",
        "content": [
            {"type": "text", "text": "Shown:"},
            {"type": "image_url", "image_url": {"url": url}},
        ],
    }
    async with (
        scripted_endpoint(refusal, says("So."), says("Again.")) as server,
        ChatClient(server.config(), stream=stream) as endpoint,
    ):
        for _ in range(2):
            await endpoint.complete([*ASKED, shown])
    first, *later = server.asked
    assert first["messages"][1] == shown
    for asked in later:
        assert asked["messages"][0] == ASKED[0]
        assert [part["type"] for part in asked["messages"][1]["content"]] == ["text", "text"]
    assert endpoint.incidents == {"pictures_not_shown": 1}


async def test_thinking_is_sent_back_only_where_a_server_demands_it() -> None:
    thought: Any = {"role": "assistant", "content": "So.", "reasoning_content": "Hm."}
    demand = fails(400, "Missing `reasoning_content` field in the assistant message at index 1")
    async with (
        scripted_endpoint(says("A."), demand, says("B."), says("C.")) as server,
        ChatClient(server.config()) as endpoint,
    ):
        for _ in range(3):
            await endpoint.complete([*ASKED, thought])
    sent = [asked["messages"][1].get("reasoning_content") for asked in server.asked]
    assert sent == [None, None, "Hm.", "Hm."] and not endpoint.incidents


async def test_words_about_pictures_where_there_are_none_are_refused_as_any_other() -> None:
    with pytest.raises(ModelUnavailable):
        await ask(fails(400, "image input is not supported"))


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
async def test_a_filtered_request_gives_an_empty_reply(code: str) -> None:
    tried = await ask(fails(400, "The prompt was filtered.", code=code))
    assert (tried.text, tried.said.choices[0].finish_reason) == (None, "content_filter")


async def test_a_server_that_goes_on_objecting_is_given_up() -> None:
    with pytest.raises(ModelUnavailable):
        await ask(*[fails(400, "max_completion_tokens?")] * 3, max_completion_tokens=5)


async def test_a_stream_is_had_without_its_usage_where_that_is_not_known() -> None:
    refusal = fails(400, "stream_options is not supported")
    tried = await ask(refusal, says("So.", usage=None), stream=True)
    assert "stream_options" in tried.server.asked[0]
    assert "stream_options" not in tried.server.asked[1]


async def test_two_requests_that_meet_the_same_objection_both_get_through() -> None:
    def objects(asked: dict[str, Any]) -> Answer:
        return fails(400, "temperature?") if "temperature" in asked else says("So.")

    async with (
        scripted_endpoint(then=objects) as server,
        ChatClient(server.config()) as endpoint,
    ):
        said = await asyncio.gather(*(endpoint.complete(ASKED, temperature=0.5) for _ in range(4)))
    assert [one.choices[0].message.content for one in said] == ["So."] * 4
