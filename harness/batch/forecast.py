"""Forecast of the tokens and cost of a run before it starts: ``--dry-run``.

    RunPlan ──the oracle works some of its days──► WorkloadMeasurement ──► Forecast per agent

No model is asked. The length of prompts, tools and results is measured on the plan's own days. The
difference between models and the oracle comes from the paper's results. Retries and discounts for
cached prompts are not included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio
from rich.console import Console

from trainee_bench.harness.agents.builtin.oracle import OracleFailed
from trainee_bench.harness.agents.llm.histories import history_token_limit
from trainee_bench.harness.agents.llm.model_selection import server_model_name
from trainee_bench.harness.agents.llm.tokens import text_tokens, tool_tokens
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.batch.thinking import thinking_in_words
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.documents.document import Document, Grid, Paragraph, Row
from trainee_bench.harness.documents.formatting import NO_VALUE, UNKNOWN, pluralize
from trainee_bench.harness.models.prices import PriceTable, prices_for
from trainee_bench.harness.records.plan import AgentConfig, EpisodeSpec, RunPlan
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.llm.api_config import DEFAULT_API_CONFIG
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.task_context import CompositionError

MAX_MEASURED_DAYS = 6
"""The most days that are measured; the others are assumed to be similar."""
CALLS_PER_STEP = 2.0
"""Calls per step; the paper's seven models made 0.7 to 2.8."""
LOW_FACTOR, HIGH_FACTOR = 0.5, 2.0
"""Fewest and most steps of the paper's models relative to their mean: 23 to 90 around 45."""
TEXT_TOKENS, REASONING_TOKENS = 80, 1_500
"""Tokens per step of a model's text beside its calls, and of long reasoning, which is billed,
too."""
SYSTEM_PROMPT_TOKENS = 400
NOTES_TOKENS = 800
"""Tokens of a summary or of a learning agent's notes."""
NPC_PROMPT_TOKENS, NPC_COMPLETION_TOKENS = 1_000, 120
"""Tokens of one reply of a colleague that a model plays."""
SEND_MESSAGE_TOOL = "chat_send_message"


@dataclass(frozen=True)
class ForecastRange:
    """An expected value with a lower and an upper bound."""

    low: float
    expected: float
    high: float

    def __add__(self, other: ForecastRange) -> ForecastRange:
        return ForecastRange(
            self.low + other.low, self.expected + other.expected, self.high + other.high
        )


ZERO_RANGE = ForecastRange(0, 0, 0)


@dataclass(frozen=True)
class WorkloadMeasurement:
    """Means over the ``days`` measured.

    ``opening`` and ``tools`` are the tokens of a day's prompt and of all tools. ``calls`` and
    ``messages`` are the oracle's calls and chat messages per task. ``arguments`` and ``answer`` are
    tokens per call.
    """

    days: int
    opening: float
    tools: float
    calls: float
    messages: float
    answer: float
    arguments: float


DEFAULT_MEASUREMENT = WorkloadMeasurement(0, 900, 6_000, 18, 4, 120, 40)
"""Means of the shipped benchmarks, for a plan without a day that can be measured."""


@dataclass(frozen=True)
class Forecast:
    """Totals of one agent's episodes.

    Tokens are None if they cannot be known, ``cost_usd`` if the price is unknown.
    """

    name: str
    model: str
    episodes: int
    steps: ForecastRange | None
    prompt_tokens: ForecastRange | None
    completion_tokens: ForecastRange | None
    cost_usd: ForecastRange | None


async def measure_workload(plan: RunPlan) -> WorkloadMeasurement:
    """Measure some of the plan's days, evenly chosen, by letting the oracle work them."""
    days = {(o.scenario.name, o.day): o for o in plan.episode_specs() if o.tasks}
    chosen = list(days.values())
    step = max(1, -(-len(chosen) // MAX_MEASURED_DAYS))
    worked = []
    for spec in chosen[::step]:
        with suppress(CompositionError, OracleFailed):
            worked.append((spec, await _work_day(spec)))
    if not worked:
        return DEFAULT_MEASUREMENT
    sessions = [session for _, of_episode in worked for session in of_episode]
    tasks = sum(len(spec.tasks) for spec, _ in worked)
    calls = [call for session in sessions for turn in session.record for call in turn.calls]
    answers = [answer for session in sessions for turn in session.record for answer in turn.answers]
    return WorkloadMeasurement(
        days=len(sessions),
        opening=_mean(text_tokens(session.prompt) for session in sessions),
        tools=_mean(tool_tokens(session.tools) for session in sessions),
        calls=len(calls) / tasks,
        messages=sum(call.name == SEND_MESSAGE_TOOL for call in calls) / tasks,
        answer=_mean(text_tokens(answer.text) for answer in answers),
        arguments=_mean(text_tokens(str(dict(call.arguments))) for call in calls),
    )


async def _work_day(spec: EpisodeSpec) -> list[AgentSession]:
    """Let the oracle work the day or week of *spec*; return the session of each day."""
    day = await stage_day(composed(spec.scenario, spec.day))
    async with day.world:
        return await run_agent_on_day("oracle", day)


def forecast_plan(plan: RunPlan, measured: WorkloadMeasurement) -> list[Forecast]:
    """Return the forecast of each agent, and of the colleagues if a model plays them."""
    path = Path(plan.model_settings.api_config) if plan.model_settings.api_config else None
    table = prices_for(path or DEFAULT_API_CONFIG)
    forecasts = [
        _forecast(
            agent,
            [o for o in plan.episode_specs() if o.agent == agent.name],
            measured,
            path,
            table,
        )
        for agent in plan.agents
    ]
    if plan.model_settings.npc_model is not None:
        forecasts.append(_colleagues(plan, measured, path, table))
    return forecasts


def _forecast(
    agent: AgentConfig,
    specs: Sequence[EpisodeSpec],
    measured: WorkloadMeasurement,
    api_config: Path | None,
    table: PriceTable,
) -> Forecast:
    if agent.model is None:
        model = "external program" if agent.command else "none"
        return Forecast(agent.name, model, len(specs), None, None, None, None)
    steps, prompt, completion = ZERO_RANGE, ZERO_RANGE, ZERO_RANGE
    for spec in specs:
        episode = [
            _episode(spec, agent, measured, share) for share in (LOW_FACTOR, 1.0, HIGH_FACTOR)
        ]
        # A limit may end a longer variant before a shorter one.
        steps += ForecastRange(*sorted(variant[0] for variant in episode))
        prompt += ForecastRange(*sorted(variant[1] for variant in episode))
        completion += ForecastRange(*sorted(variant[2] for variant in episode))
    name = server_model_name(agent, api_config)
    cost = _cost(table, name, prompt, completion)
    most = specs[0].limits.cost_usd if specs else None
    if cost is not None and most is not None:
        ceiling = most * sum(len(o.scenario.days_in_world(o.day)) for o in specs)
        cost = ForecastRange(*(min(c, ceiling) for c in (cost.low, cost.expected, cost.high)))
    if agent.model in SCRIPTED_MODELS:
        cost = ZERO_RANGE
    return Forecast(agent.name, name or agent.model, len(specs), steps, prompt, completion, cost)


def _episode(
    spec: EpisodeSpec, agent: AgentConfig, measured: WorkloadMeasurement, share: float
) -> tuple[float, float, float]:
    """Return steps, prompt and completion tokens of an episode with *share* of the expected steps.

    Each day of a week has the same share of its tasks.
    """
    days = len(spec.scenario.days_in_world(spec.day))
    steps, prompt, completion = _day(spec, agent, measured, share, len(spec.tasks) / days)
    return steps * days, prompt * days, completion * days


def _day(
    spec: EpisodeSpec,
    agent: AgentConfig,
    measured: WorkloadMeasurement,
    share: float,
    tasks: float,
) -> tuple[float, float, float]:
    """Return steps, prompt and completion tokens of one day with this many *tasks*."""
    wanted = max(1.0, tasks * measured.calls * share / CALLS_PER_STEP)
    steps = min(round(wanted), spec.limits.steps)
    thinking = REASONING_TOKENS if share > 1 else 0
    spoken = measured.arguments * CALLS_PER_STEP + TEXT_TOKENS
    grows = spoken + measured.answer * CALLS_PER_STEP
    fixed = SYSTEM_PROMPT_TOKENS + measured.tools + measured.opening
    most, most_tokens = history_token_limit(agent.history), spec.limits.tokens
    size, prompt, completion = fixed, 0.0, 0.0
    for step in range(steps):
        if most is not None and size > most and grows < most - fixed:
            prompt, completion = prompt + size, completion + NOTES_TOKENS
            size = fixed + NOTES_TOKENS + 0.4 * (most - fixed)
        prompt, completion, size = prompt + size, completion + spoken + thinking, size + grows
        if most_tokens is not None and prompt + completion >= most_tokens:
            return step + 1, prompt, completion
    if agent.agent == "learner":
        prompt, completion = prompt + size - measured.tools, completion + NOTES_TOKENS + thinking
    return steps, prompt, completion


def _colleagues(
    plan: RunPlan, measured: WorkloadMeasurement, api_config: Path | None, table: PriceTable
) -> Forecast:
    specs = list(plan.episode_specs())
    tasks = sum(len(spec.tasks) for spec in specs)
    sent = tasks * measured.messages
    prompt = ForecastRange(
        LOW_FACTOR * sent * NPC_PROMPT_TOKENS,
        sent * NPC_PROMPT_TOKENS,
        HIGH_FACTOR * sent * NPC_PROMPT_TOKENS,
    )
    completion = ForecastRange(
        LOW_FACTOR * sent * NPC_COMPLETION_TOKENS,
        sent * NPC_COMPLETION_TOKENS,
        HIGH_FACTOR * sent * NPC_COMPLETION_TOKENS,
    )
    alias = plan.model_settings.npc_model or ""
    name = server_model_name(AgentConfig(name="colleagues", agent="", model=alias), api_config)
    cost = _cost(table, name, prompt, completion)
    return Forecast("colleagues", name or alias, len(specs), None, prompt, completion, cost)


def _cost(
    table: PriceTable, name: str | None, prompt: ForecastRange, completion: ForecastRange
) -> ForecastRange | None:
    """Return the cost, None if the price is unknown."""
    costs = [
        table.cost_usd(name, round(tokens_in), round(tokens_out)) if name else None
        for tokens_in, tokens_out in (
            (prompt.low, completion.low),
            (prompt.expected, completion.expected),
            (prompt.high, completion.high),
        )
    ]  # fmt: skip
    known = [cost for cost in costs if cost is not None]
    return ForecastRange(*known) if len(known) == len(costs) else None


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else 0.0


_TITLES = ("agent", "model", "episodes", "steps each", "tokens in", "tokens out", "cost $")


def show_forecast(console: Console, plan: RunPlan) -> None:
    """Print the tokens and cost that *plan* would take. Calls no model, needs no key, writes
    nothing."""
    print_document(forecast_document(plan, anyio.run(measure_workload, plan)), console)


def forecast_document(plan: RunPlan, by: WorkloadMeasurement) -> Document:
    """Return the forecast of *plan* and the assumptions behind it, given its workload."""
    forecasts = forecast_plan(plan, by)
    grid = Grid.from_rows(_TITLES, forecast_rows(forecasts), left_columns=2)
    notes = map(Paragraph, forecast_assumptions(plan, by, forecasts))
    return Document("Forecast", (grid, *notes))


def forecast_rows(forecasts: Sequence[Forecast]) -> list[Row]:
    """Return a row per agent: model, episodes, steps each, tokens in and out, dollars; a total
    last."""
    rows: list[Row] = [_row(forecast) for forecast in forecasts]
    costs = [f.cost_usd for f in forecasts if f.prompt_tokens is not None]
    known = [cost for cost in costs if cost is not None]
    if len(costs) > 1:
        total = _span(sum(known, ZERO_RANGE), _dollars)
        rows.append(["all", "", "", "", "", "", total if len(known) == len(costs) else UNKNOWN])
    return rows


def forecast_assumptions(
    plan: RunPlan, by: WorkloadMeasurement, forecasts: Sequence[Forecast]
) -> list[str]:
    """Return the assumptions behind the table, in sentences."""
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
            f"From the paper: {CALLS_PER_STEP:.0f} calls per step, and between "
            f"{LOW_FACTOR:.1f} and {HIGH_FACTOR:.0f} times the expected steps, "
            "depending on the model. The upper bound is for a reasoning model "
            f"({REASONING_TOKENS:,} reasoning tokens per step)."
        ),
        (
            f"Limits: {', '.join(bounds)} per day. Not included: retries after failures, and "
            "discounts for cached prompts."
        ),
    ]
    if told := thinking_in_words(plan):
        lines.append(f"Thinking takes time: {told}.")
    if any(f.cost_usd is None and f.prompt_tokens is not None for f in forecasts):
        lines.append("Add unknown prices to a file prices.json beside api_config.json.")
    return lines


def _row(forecast: Forecast) -> list[str]:
    each = None
    if forecast.steps is not None and forecast.episodes:
        each = ForecastRange(*(steps / forecast.episodes for steps in _three(forecast.steps)))
    cost = _span(forecast.cost_usd, _dollars)
    if forecast.cost_usd is None and forecast.prompt_tokens is not None:
        cost = UNKNOWN
    return [
        forecast.name, forecast.model, str(forecast.episodes), _span(each, _whole),
        _span(forecast.prompt_tokens, _short), _span(forecast.completion_tokens, _short), cost,
    ]  # fmt: skip


def _span(span: ForecastRange | None, shown: Callable[[float], str]) -> str:
    """Return the expected value and its bounds: "1.2M (0.5M-3.0M)"."""
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
    """Return tokens in thousands or millions."""
    return f"{value / 1e6:.1f}M" if value >= 1e6 else f"{value / 1e3:.0f}k"
