"""What a run would take is told without a key, a folder, or anybody asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.harness.test_run import config, day, invoke
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
from trainee_bench.harness.batch.plan_builder import build_plan

LINKS, MEETING = "kb_fix.easy", "meeting_attend.sum.u1"


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
    assert done.exit_code == 0, done.output
    assert "our-model" in done.output and "unknown" in done.output
    assert "Measured on 1 of its days" in done.output
    assert set(tmp_path.rglob("*")) == before
    refused = invoke("--config", path, "--model", "priced")
    assert refused.exit_code == 2, "without --dry-run the key is missed"
    assert "NOBODYS_OWN_API_KEY" in refused.output


@pytest.mark.parametrize("option", ["--out", "--resume"])
def test_a_dry_run_has_no_folder(tmp_path: Path, option: str) -> None:
    done = invoke("--dry-run", option, tmp_path / "x")
    assert done.exit_code == 2
    assert "does not combine with --out" in " ".join(done.output.split())


def test_what_is_measured_is_of_the_plans_own_days(tmp_path: Path) -> None:
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
