"""A forecast as text: a table, and the assumptions behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from trainee_bench.harness.batch import forecast
from trainee_bench.harness.batch.forecast import Forecast, ForecastRange, WorkloadMeasurement
from trainee_bench.harness.records.plan import RunPlan

UNKNOWN_COST = "unknown"
_NONE = "–"


def show_forecast(console: Console, plan: RunPlan) -> None:
    """Print the forecast of *plan*. Asks no model, needs no key, writes nothing."""
    by = anyio.run(forecast.measure_workload, plan)
    forecasts = forecast.forecast_plan(plan, by)
    console.print(_table(forecasts))
    for line in forecast_assumptions(plan, by, forecasts):
        console.print(line, markup=False, soft_wrap=True)


def forecast_rows(forecasts: Sequence[Forecast]) -> list[list[str]]:
    """Agent, model, episodes, steps per episode, tokens in and out, dollars; a total last."""
    told = [_row(one) for one in forecasts]
    costs = [one.cost_usd for one in forecasts if one.prompt_tokens is not None]
    known = [cost for cost in costs if cost is not None]
    if len(costs) > 1:
        total = _span(sum(known, forecast.ZERO_RANGE), _dollars)
        told.append(
            ["all", "", "", "", "", "", total if len(known) == len(costs) else UNKNOWN_COST]
        )
    return told


def forecast_assumptions(
    plan: RunPlan, by: WorkloadMeasurement, forecasts: Sequence[Forecast]
) -> list[str]:
    """The assumptions behind the table, a sentence each."""
    limits = plan.limits
    bounds = [f"{limits.steps} steps"]
    bounds += [f"{limits.tokens:,} tokens"] if limits.tokens is not None else []
    bounds += [f"${limits.cost_usd:g}"] if limits.cost_usd is not None else []
    measured = (
        f"Measured on {by.days} of its days"
        if by.days
        else "Default estimate (no day could be measured)"
    )
    told = [
        (
            f"{measured}: {by.tools:,.0f} tokens of tools and {by.opening:,.0f} of tasks in every "
            f"request; {by.calls:.0f} calls a task by the oracle, {by.arguments:.0f} tokens to "
            f"make one and {by.answer:.0f} to read its answer."
        ),
        (
            f"Taken from the paper: {forecast.CALLS_PER_STEP:.0f} calls a step, and from "
            f"{forecast.LOW_FACTOR:.1f} to {forecast.HIGH_FACTOR:.0f} times as many steps from "
            "model to model. The upper bound is for a model that thinks at length "
            f"({forecast.REASONING_TOKENS:,} tokens a step)."
        ),
        (
            f"Limited to {', '.join(bounds)} per episode. Not included: retries, and discounts for "
            "cached prompts."
        ),
    ]
    if any(one.cost_usd is None and one.prompt_tokens is not None for one in forecasts):
        told.append("Add unknown prices to a file prices.json beside api_config.json.")
    return told


def _table(forecasts: Sequence[Forecast]) -> Table:
    table = Table(box=SIMPLE, pad_edge=False, padding=(0, 1))
    headings = ("who", "model", "episodes", "steps each", "tokens in", "tokens out", "cost $")
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="left" if place < 2 else "right", overflow="fold")
    for row in forecast_rows(forecasts):
        table.add_row(*row)
    return table


def _row(one: Forecast) -> list[str]:
    each = None
    if one.steps is not None and one.episodes:
        each = ForecastRange(*(steps / one.episodes for steps in _three(one.steps)))
    cost = _span(one.cost_usd, _dollars)
    if one.cost_usd is None and one.prompt_tokens is not None:
        cost = UNKNOWN_COST
    return [
        one.name, one.model, str(one.episodes), _span(each, _whole),
        _span(one.prompt_tokens, _short), _span(one.completion_tokens, _short), cost,
    ]  # fmt: skip


def _span(span: ForecastRange | None, shown: Callable[[float], str]) -> str:
    """The expected value and its bounds: "1.2M (0.5M-3.0M)"."""
    if span is None:
        return _NONE
    low, expected, high = (shown(value) for value in _three(span))
    return expected if low == high else f"{expected} ({low}-{high})"


def _three(span: ForecastRange) -> tuple[float, float, float]:
    return span.low, span.expected, span.high


def _whole(value: float) -> str:
    return f"{value:.0f}"


def _dollars(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def _short(value: float) -> str:
    """Tokens, in thousands or millions."""
    return f"{value / 1e6:.1f}M" if value >= 1e6 else f"{value / 1e3:.0f}k"
