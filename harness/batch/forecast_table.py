"""A forecast as a table of what a run would take, and what that rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio
from rich.console import Console

from trainee_bench.harness.batch import forecast
from trainee_bench.harness.batch.forecast import Forecast, ForecastRange, WorkloadMeasurement
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Document, Grid, Paragraph, Row
from trainee_bench.harness.documents.formatting import NO_VALUE, UNKNOWN, pluralize
from trainee_bench.harness.records.plan import RunPlan

_TITLES = ("agent", "model", "episodes", "steps each", "tokens in", "tokens out", "cost $")


def show_forecast(console: Console, plan: RunPlan) -> None:
    """Print what *plan* would take. Calls no model, needs no key, writes nothing."""
    print_document(forecast_document(plan, anyio.run(forecast.measure_workload, plan)), console)


def forecast_document(plan: RunPlan, by: WorkloadMeasurement) -> Document:
    """What *plan* would take and the assumptions behind it, given its workload."""
    forecasts = forecast.forecast_plan(plan, by)
    grid = Grid.from_rows(_TITLES, forecast_rows(forecasts), left_columns=2)
    notes = map(Paragraph, forecast_assumptions(plan, by, forecasts))
    return Document("Forecast", (grid, *notes))


def forecast_rows(forecasts: Sequence[Forecast]) -> list[Row]:
    """A row per agent: model, episodes, steps each, tokens in and out, dollars; a total last."""
    rows: list[Row] = [_row(one) for one in forecasts]
    costs = [one.cost_usd for one in forecasts if one.prompt_tokens is not None]
    known = [cost for cost in costs if cost is not None]
    if len(costs) > 1:
        total = _span(sum(known, forecast.ZERO_RANGE), _dollars)
        rows.append(["all", "", "", "", "", "", total if len(known) == len(costs) else UNKNOWN])
    return rows


def forecast_assumptions(
    plan: RunPlan, by: WorkloadMeasurement, forecasts: Sequence[Forecast]
) -> list[str]:
    """What the table rests on, in sentences."""
    limits = plan.limits
    bounds = [pluralize(limits.steps, "step")]
    bounds += [f"{limits.tokens:,} tokens"] if limits.tokens is not None else []
    bounds += [f"${limits.cost_usd:g}"] if limits.cost_usd is not None else []
    if by.days:
        source = f"Measured on {by.days} of its days"
    else:
        source = "Default estimate (no day could be measured)"
    lines = [
        (
            f"{source}: every request carries {by.tools:,.0f} tokens of tools and "
            f"{by.opening:,.0f} of tasks; the oracle needs {pluralize(round(by.calls), 'call')} "
            "per task, each "
            f"with {by.arguments:.0f} tokens of arguments and {by.answer:.0f} of answer."
        ),
        (
            f"From the paper: {forecast.CALLS_PER_STEP:.0f} calls per step, and between "
            f"{forecast.LOW_FACTOR:.1f} and {forecast.HIGH_FACTOR:.0f} times the expected steps, "
            "depending on the model. The upper bound is for a reasoning model "
            f"({forecast.REASONING_TOKENS:,} reasoning tokens per step)."
        ),
        (
            f"Limits: {', '.join(bounds)} per day. Not included: retries after failures, and "
            "discounts for cached prompts."
        ),
    ]
    if any(one.cost_usd is None and one.prompt_tokens is not None for one in forecasts):
        lines.append("Add unknown prices to a file prices.json beside api_config.json.")
    return lines


def _row(one: Forecast) -> list[str]:
    each = None
    if one.steps is not None and one.episodes:
        each = ForecastRange(*(steps / one.episodes for steps in _three(one.steps)))
    cost = _span(one.cost_usd, _dollars)
    if one.cost_usd is None and one.prompt_tokens is not None:
        cost = UNKNOWN
    return [
        one.name, one.model, str(one.episodes), _span(each, _whole),
        _span(one.prompt_tokens, _short), _span(one.completion_tokens, _short), cost,
    ]  # fmt: skip


def _span(span: ForecastRange | None, shown: Callable[[float], str]) -> str:
    """The expected value and its bounds: "1.2M (0.5M-3.0M)"."""
    if span is None:
        return NO_VALUE
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
