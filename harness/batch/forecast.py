"""What a run would take, told before anything is spent: ``--dry-run``.

    Plan ──a few of its days worked by the oracle──► Measured ──► Forecast per candidate

Nothing is asked of any model. How long prompts, tools and answers are is measured on the plan's
own days; how models differ from an oracle is taken from what the paper found. Not in it: what
is tried again, and what services give off for prompts they remember.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trainee_bench.harness.agents.builtin.oracle import OracleFailed
from trainee_bench.harness.agents.llm.histories import history_token_limit
from trainee_bench.harness.agents.llm.model_selection import server_model_name
from trainee_bench.harness.agents.llm.tokens import text_tokens, tool_tokens
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.agents.scripted import SCRIPTED_MODELS
from trainee_bench.harness.models.prices import PriceTable, prices_for
from trainee_bench.harness.records.plan import AgentConfig, EpisodeSpec, RunPlan
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.testbench.staged_day import stage_day
from trainee_bench.mcp_servers.llm.api_config import DEFAULT_API_CONFIG
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.task_context import CompositionError

MAX_MEASURED_DAYS = 6
"""How many days are worked to measure them; a plan's others are taken to be like these."""
CALLS_PER_STEP = 2.0
"""The paper's seven models made 0.7 to 2.8 calls in a step."""
LOW_FACTOR, HIGH_FACTOR = 0.5, 2.0
"""Steps of the paper's models, as shares of their mean: 23 to 90 around 45."""
TEXT_TOKENS, REASONING_TOKENS = 80, 1_500
"""Tokens that a model says beside its calls in a step, and that one which thinks at length
thinks besides; services bill these, too."""
SYSTEM_PROMPT_TOKENS = 400
NOTES_TOKENS = 800
"""Tokens of a summary or of a learner's notes."""
NPC_PROMPT_TOKENS, NPC_COMPLETION_TOKENS = 1_000, 120
"""Tokens of a colleague's reply, for one message."""
SEND_MESSAGE_TOOL = "chat_send_message"


@dataclass(frozen=True)
class ForecastRange:
    """An expected value, between what is low and what is high."""

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
    """The plan's days: ``opening`` and ``tools`` are tokens of a day's prompt and of the tools,
    ``calls`` and ``prompt_messages`` what an oracle makes for a task, ``compute_answer`` and ``arguments``
    tokens of a call; ``days`` is how many were worked."""

    days: int
    opening: float
    tools: float
    calls: float
    messages: float
    answer: float
    arguments: float


DEFAULT_MEASUREMENT = WorkloadMeasurement(0, 900, 6_000, 18, 4, 120, 40)
"""What the shipped benchmarks come to, for a plan none of whose days can be worked."""


@dataclass(frozen=True)
class Forecast:
    """What one candidate would take in all its episodes; tokens are None where that cannot be
    known, ``cost_usd`` where the price is unknown."""

    name: str
    model: str
    episodes: int
    steps: ForecastRange | None
    prompt_tokens: ForecastRange | None
    completion_tokens: ForecastRange | None
    cost_usd: ForecastRange | None


async def measure_workload(plan: RunPlan) -> WorkloadMeasurement:
    """Let the oracle work some of the plan's days, evenly chosen."""
    days = {
        (o.scenario.name, o.day): o for o in plan.episode_specs() if o.scenario.days[o.day].tasks
    }
    chosen = list(days.values())
    step = max(1, -(-len(chosen) // MAX_MEASURED_DAYS))
    worked = []
    for order in chosen[::step]:
        with suppress(CompositionError, OracleFailed):
            worked.append((order, await _worked(order)))
    if not worked:
        return DEFAULT_MEASUREMENT
    offices = [office for _, office in worked]
    tasks = sum(len(order.scenario.days[order.day].tasks) for order, _ in worked)
    calls = [call for office in offices for turn in office.record for call in turn.calls]
    answers = [answer for office in offices for turn in office.record for answer in turn.answers]
    return WorkloadMeasurement(
        days=len(offices),
        opening=_mean(text_tokens(office.prompt) for office in offices),
        tools=_mean(tool_tokens(office.tools) for office in offices),
        calls=len(calls) / tasks,
        messages=sum(call.name == SEND_MESSAGE_TOOL for call in calls) / tasks,
        answer=_mean(text_tokens(answer.text) for answer in answers),
        arguments=_mean(text_tokens(str(dict(call.arguments))) for call in calls),
    )


async def _worked(order: EpisodeSpec) -> AgentSession:
    """The office of *order*'s day after the oracle has worked it."""
    day = await stage_day(compose_day(order.scenario, order.day))
    async with day.world:
        return await run_agent_on_day("oracle", day)


def forecast_plan(plan: RunPlan, by: WorkloadMeasurement) -> list[Forecast]:
    """A line per candidate, and one for the colleagues if a model plays them."""
    path = Path(plan.backing.api_config) if plan.backing.api_config else None
    table = prices_for(path or DEFAULT_API_CONFIG)
    found = [
        _forecast(
            candidate,
            [o for o in plan.episode_specs() if o.agent == candidate.name],
            by,
            path,
            table,
        )
        for candidate in plan.candidates
    ]
    if plan.backing.npc_model is not None:
        found.append(_colleagues(plan, by, path, table))
    return found


def _forecast(
    candidate: AgentConfig,
    orders: Sequence[EpisodeSpec],
    by: WorkloadMeasurement,
    api_config: Path | None,
    table: PriceTable,
) -> Forecast:
    if candidate.model is None:
        told = "a program of yours" if candidate.command else "none"
        return Forecast(candidate.name, told, len(orders), None, None, None, None)
    steps, read, said = ZERO_RANGE, ZERO_RANGE, ZERO_RANGE
    for order in orders:
        episode = [
            _episode(order, candidate, by, share) for share in (LOW_FACTOR, 1.0, HIGH_FACTOR)
        ]
        # Limits may cut the longer ones shorter than the others.
        steps += ForecastRange(*sorted(one[0] for one in episode))
        read += ForecastRange(*sorted(one[1] for one in episode))
        said += ForecastRange(*sorted(one[2] for one in episode))
    name = server_model_name(candidate, api_config)
    cost = _cost(table, name, read, said)
    most = orders[0].limits.cost_usd if orders else None
    if cost is not None and most is not None:
        ceiling = most * len(orders)
        cost = ForecastRange(*(min(one, ceiling) for one in (cost.low, cost.expected, cost.high)))
    if candidate.model in SCRIPTED_MODELS:
        cost = ZERO_RANGE
    return Forecast(candidate.name, name or candidate.model, len(orders), steps, read, said, cost)


def _episode(
    order: EpisodeSpec, candidate: AgentConfig, by: WorkloadMeasurement, share: float
) -> tuple[float, float, float]:
    """Steps and tokens read and said in one episode, at *share* of the expected steps."""
    tasks = len(order.scenario.days[order.day].tasks)
    wanted = max(1.0, tasks * by.calls * share / CALLS_PER_STEP)
    steps = min(round(wanted), order.limits.steps)
    thinking = REASONING_TOKENS if share > 1 else 0
    spoken = by.arguments * CALLS_PER_STEP + TEXT_TOKENS
    grows = spoken + by.answer * CALLS_PER_STEP
    fixed = SYSTEM_PROMPT_TOKENS + by.tools + by.opening
    most, most_tokens = history_token_limit(candidate.history), order.limits.tokens
    size, read, said = fixed, 0.0, 0.0
    for step in range(steps):
        if most is not None and size > most and grows < most - fixed:
            read, said = read + size, said + NOTES_TOKENS
            size = fixed + NOTES_TOKENS + 0.4 * (most - fixed)
        read, said, size = read + size, said + spoken + thinking, size + grows
        if most_tokens is not None and read + said >= most_tokens:
            return step + 1, read, said
    if candidate.agent == "learner":
        read, said = read + size - by.tools, said + NOTES_TOKENS + thinking
    return steps, read, said


def _colleagues(
    plan: RunPlan, by: WorkloadMeasurement, api_config: Path | None, table: PriceTable
) -> Forecast:
    orders = list(plan.episode_specs())
    tasks = sum(len(order.scenario.days[order.day].tasks) for order in orders)
    sent = tasks * by.messages
    read = ForecastRange(
        LOW_FACTOR * sent * NPC_PROMPT_TOKENS,
        sent * NPC_PROMPT_TOKENS,
        HIGH_FACTOR * sent * NPC_PROMPT_TOKENS,
    )
    said = ForecastRange(
        LOW_FACTOR * sent * NPC_COMPLETION_TOKENS,
        sent * NPC_COMPLETION_TOKENS,
        HIGH_FACTOR * sent * NPC_COMPLETION_TOKENS,
    )
    alias = plan.backing.npc_model or ""
    name = server_model_name(AgentConfig(name="colleagues", agent="", model=alias), api_config)
    cost = _cost(table, name, read, said)
    return Forecast("colleagues", name or alias, len(orders), None, read, said, cost)


def _cost(
    table: PriceTable, name: str | None, read: ForecastRange, said: ForecastRange
) -> ForecastRange | None:
    """What it costs, None if nobody knows the price."""
    found = [
        table.cost_usd(name, round(prompt), round(words)) if name else None
        for prompt, words in (
            (read.low, said.low), (read.expected, said.expected), (read.high, said.high),
        )
    ]  # fmt: skip
    known = [cost for cost in found if cost is not None]
    return ForecastRange(*known) if len(known) == len(found) else None


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
