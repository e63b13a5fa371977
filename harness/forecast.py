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

from harness.agents.oracle import OracleFailed
from harness.employment import model_name, prices
from harness.in_process import stage_day
from harness.models.prices import PriceTable
from harness.models.scripted import SCRIPTED
from harness.plan import Candidate, Order, Plan
from harness.rehearsal import work
from harness.thinking.histories import threshold
from harness.thinking.tokens import text_tokens, tool_tokens
from harness.workplace import Workplace
from meta_tasks.composition import compose
from meta_tasks.stage import CompositionError

MOST_DAYS = 6
"""How many days are worked to measure them; a plan's others are taken to be like these."""
CALLS_PER_STEP = 2.0
"""The paper's seven models made 0.7 to 2.8 calls in a step."""
LOW, HIGH = 0.5, 2.0
"""Steps of the paper's models, as shares of their mean: 23 to 90 around 45."""
WORDS, THINKING = 80, 1_500
"""Tokens that a model says beside its calls in a step, and that one which thinks at length
thinks besides; services bill these, too."""
SYSTEM = 400
NOTES = 800
"""Tokens of a summary or of a learner's notes."""
NPC_IN, NPC_OUT = 1_000, 120
"""Tokens of a colleague's reply, for one message."""
SEND = "chat_send_message"


@dataclass(frozen=True)
class Span:
    """An expected value, between what is low and what is high."""

    low: float
    expected: float
    high: float

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.expected + other.expected, self.high + other.high)


NOTHING = Span(0, 0, 0)


@dataclass(frozen=True)
class Measured:
    """The plan's days: ``opening`` and ``tools`` are tokens of a day's prompt and of the tools,
    ``calls`` and ``messages`` what an oracle makes for a task, ``answer`` and ``arguments``
    tokens of a call; ``days`` is how many were worked."""

    days: int
    opening: float
    tools: float
    calls: float
    messages: float
    answer: float
    arguments: float


ASSUMED = Measured(0, 900, 6_000, 18, 4, 120, 40)
"""What the shipped benchmarks come to, for a plan none of whose days can be worked."""


@dataclass(frozen=True)
class Forecast:
    """What one candidate would take in all its episodes; tokens are None where that cannot be
    known, ``cost_usd`` where the price is unknown."""

    name: str
    model: str
    episodes: int
    steps: Span | None
    prompt_tokens: Span | None
    completion_tokens: Span | None
    cost_usd: Span | None


async def measured(plan: Plan) -> Measured:
    """Let the oracle work some of the plan's days, evenly chosen."""
    days = {(o.scenario.name, o.day): o for o in plan.orders() if o.scenario.days[o.day].tasks}
    chosen = list(days.values())
    step = max(1, -(-len(chosen) // MOST_DAYS))
    worked = []
    for order in chosen[::step]:
        with suppress(CompositionError, OracleFailed):
            worked.append((order, await _worked(order)))
    if not worked:
        return ASSUMED
    offices = [office for _, office in worked]
    tasks = sum(len(order.scenario.days[order.day].tasks) for order, _ in worked)
    calls = [call for office in offices for turn in office.record for call in turn.calls]
    answers = [answer for office in offices for turn in office.record for answer in turn.answers]
    return Measured(
        days=len(offices),
        opening=_mean(text_tokens(office.prompt) for office in offices),
        tools=_mean(tool_tokens(office.tools) for office in offices),
        calls=len(calls) / tasks,
        messages=sum(call.name == SEND for call in calls) / tasks,
        answer=_mean(text_tokens(answer.text) for answer in answers),
        arguments=_mean(text_tokens(str(dict(call.arguments))) for call in calls),
    )


async def _worked(order: Order) -> Workplace:
    """The office of *order*'s day after the oracle has worked it."""
    day = await stage_day(compose(order.scenario, order.day))
    async with day.world:
        return await work("oracle", day)


def forecasts(plan: Plan, by: Measured) -> list[Forecast]:
    """A line per candidate, and one for the colleagues if a model plays them."""
    path = Path(plan.backing.api_config) if plan.backing.api_config else None
    table = prices(path)
    found = [
        _forecast(
            candidate, [o for o in plan.orders() if o.agent == candidate.name], by, path, table
        )
        for candidate in plan.candidates
    ]
    if plan.backing.npc_model is not None:
        found.append(_colleagues(plan, by, path, table))
    return found


def _forecast(
    candidate: Candidate,
    orders: Sequence[Order],
    by: Measured,
    api_config: Path | None,
    table: PriceTable,
) -> Forecast:
    if candidate.model is None:
        told = "a program of yours" if candidate.command else "none"
        return Forecast(candidate.name, told, len(orders), None, None, None, None)
    steps, read, said = NOTHING, NOTHING, NOTHING
    for order in orders:
        episode = [_episode(order, candidate, by, share) for share in (LOW, 1.0, HIGH)]
        # Limits may cut the longer ones shorter than the others.
        steps += Span(*sorted(one[0] for one in episode))
        read += Span(*sorted(one[1] for one in episode))
        said += Span(*sorted(one[2] for one in episode))
    name = model_name(candidate, api_config)
    cost = _cost(table, name, read, said)
    most = orders[0].limits.cost_usd if orders else None
    if cost is not None and most is not None:
        ceiling = most * len(orders)
        cost = Span(*(min(one, ceiling) for one in (cost.low, cost.expected, cost.high)))
    if candidate.model in SCRIPTED:
        cost = NOTHING
    return Forecast(candidate.name, name or candidate.model, len(orders), steps, read, said, cost)


def _episode(
    order: Order, candidate: Candidate, by: Measured, share: float
) -> tuple[float, float, float]:
    """Steps and tokens read and said in one episode, at *share* of the expected steps."""
    tasks = len(order.scenario.days[order.day].tasks)
    wanted = max(1.0, tasks * by.calls * share / CALLS_PER_STEP)
    steps = min(round(wanted), order.limits.steps)
    thinking = THINKING if share > 1 else 0
    spoken = by.arguments * CALLS_PER_STEP + WORDS
    grows = spoken + by.answer * CALLS_PER_STEP
    fixed = SYSTEM + by.tools + by.opening
    most, most_tokens = threshold(candidate.history), order.limits.tokens
    size, read, said = fixed, 0.0, 0.0
    for step in range(steps):
        if most is not None and size > most and grows < most - fixed:
            read, said = read + size, said + NOTES
            size = fixed + NOTES + 0.4 * (most - fixed)
        read, said, size = read + size, said + spoken + thinking, size + grows
        if most_tokens is not None and read + said >= most_tokens:
            return step + 1, read, said
    if candidate.agent == "learner":
        read, said = read + size - by.tools, said + NOTES + thinking
    return steps, read, said


def _colleagues(plan: Plan, by: Measured, api_config: Path | None, table: PriceTable) -> Forecast:
    orders = list(plan.orders())
    tasks = sum(len(order.scenario.days[order.day].tasks) for order in orders)
    sent = tasks * by.messages
    read = Span(LOW * sent * NPC_IN, sent * NPC_IN, HIGH * sent * NPC_IN)
    said = Span(LOW * sent * NPC_OUT, sent * NPC_OUT, HIGH * sent * NPC_OUT)
    alias = plan.backing.npc_model or ""
    name = model_name(Candidate(name="colleagues", agent="", model=alias), api_config)
    cost = _cost(table, name, read, said)
    return Forecast("colleagues", name or alias, len(orders), None, read, said, cost)


def _cost(table: PriceTable, name: str | None, read: Span, said: Span) -> Span | None:
    """What it costs, None if nobody knows the price."""
    found = [
        table.cost_usd(name, round(prompt), round(words)) if name else None
        for prompt, words in (
            (read.low, said.low), (read.expected, said.expected), (read.high, said.high),
        )
    ]  # fmt: skip
    known = [cost for cost in found if cost is not None]
    return Span(*known) if len(known) == len(found) else None


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
