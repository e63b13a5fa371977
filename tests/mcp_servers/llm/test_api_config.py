"""api_config.json is read as the original's is, and a key is shown to nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainee_bench.mcp_servers.llm.api_config import (
    NO_KEY,
    ApiConfigError,
    ModelConfig,
    load_api_config,
)

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
def test_what_no_header_can_carry_is_refused_unseen(key: str) -> None:
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


def test_what_others_write_is_shown_without_the_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
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
