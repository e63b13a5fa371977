"""Prices are data; what no table names is unknown, never free."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainee_bench.harness.models.prices import PricesError, cost_usd, prices_for, shipped_prices


def beside(tmp_path: Path, document: object) -> Path:
    (tmp_path / "prices.json").write_text(json.dumps(document), "utf-8")
    return tmp_path / "api_config.json"


def own(**price: object) -> dict[str, object]:
    return {"as_of": "2026-11-01", "models": {"my-model": price}}


def test_a_reply_costs_what_its_tokens_do() -> None:
    # gpt-4o: 2.50 in, 1.25 cached, 10.00 out per million
    assert cost_usd("gpt-4o", 1_000_000, 0) == pytest.approx(2.5)
    assert cost_usd("gpt-4o", 1000, 100) == pytest.approx(0.0035)
    assert cost_usd("gpt-4o", 1000, 100, cached_tokens=800) == pytest.approx(0.0025)


@pytest.mark.parametrize("dated", ["gpt-4o-2024-08-06", "gpt-4o@20240806", "gpt-4o-latest"])
def test_a_date_makes_no_other_model(dated: str) -> None:
    assert cost_usd(dated, 10, 10) == cost_usd("gpt-4o", 10, 10)


def test_a_longer_name_that_is_listed_goes_before_a_shorter_one() -> None:
    assert cost_usd("gpt-4o-mini-2024-07-18", 10, 10) == cost_usd("gpt-4o-mini", 10, 10)
    assert cost_usd("gpt-4o-2024-05-13", 1_000_000, 0) == pytest.approx(5)


@pytest.mark.parametrize(
    "name", ["", "gpt", "gpt-4o-audio-preview", "gpt-4ox", "my-model", "openai/gpt-4o", "GPT-4O"]
)
def test_a_price_that_nobody_listed_is_unknown(name: str) -> None:
    assert cost_usd(name, 10, 10) is None


def test_where_cached_tokens_have_no_price_they_cost_as_much_as_others() -> None:
    assert cost_usd("gpt-4", 100, 0, cached_tokens=100) == cost_usd("gpt-4", 100, 0)


def test_every_listed_output_costs_at_least_its_input_and_no_cache_more() -> None:
    table = shipped_prices()
    assert table.as_of
    for name, price in table.models.items():
        assert 0 < price.input <= price.output, name
        assert price.cached is None or price.cached < price.input, name


def test_a_table_beside_api_config_adds_and_goes_before(tmp_path: Path) -> None:
    document = own(input=1, output=2)
    assert isinstance(document["models"], dict)
    document["models"]["gpt-4o"] = {"input": 0, "output": 0}
    table = prices_for(beside(tmp_path, document))
    assert table.cost_usd("my-model", 1_000_000, 1_000_000) == pytest.approx(3)
    assert table.cost_usd("gpt-4o", 1_000_000, 0) == 0
    assert table.cost_usd("gpt-4o-mini", 1_000_000, 0) == pytest.approx(0.15)
    assert "2026-11-01" in table.as_of


def test_without_a_table_of_ones_own_the_shipped_one_holds(tmp_path: Path) -> None:
    assert prices_for(tmp_path / "api_config.json") == shipped_prices()


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (own(input=-1, output=2), "models.my-model.input"),
        (own(input=1), "models.my-model.output"),
        (own(input=1, output=2, per="token"), "models.my-model.per"),
        ({**own(input=1, output=2), "currency": "EUR"}, "currency"),
        ({"models": {}}, "as_of"),
        ([], "prices.json"),
    ],
)
def test_a_flaw_of_such_a_table_is_named(tmp_path: Path, document: object, says: str) -> None:
    with pytest.raises(PricesError, match=says):
        prices_for(beside(tmp_path, document))
