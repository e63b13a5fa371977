"""What an agent did on one day: its session, and how that ended. A week has one for each day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from trainee_bench.harness.session.agent_session import AgentSession, SessionCounts
from trainee_bench.harness.session.supervision import AgentExit
from trainee_bench.harness.session.turns import Thought


@dataclass(frozen=True)
class DaySession:
    """A day's session and its end; ``name`` is its weekday."""

    name: str
    session: AgentSession
    agent_exit: AgentExit


def all_thoughts(days: Sequence[DaySession]) -> list[Thought]:
    """The thoughts of all *days*."""
    return [thought for day in days for thought in day.session.thoughts]


def total_counts(days: Sequence[DaySession]) -> SessionCounts:
    """The counts of all *days* together."""
    counts = [day.session.counts for day in days]
    return SessionCounts(
        steps=sum(one.steps for one in counts),
        tool_calls=sum(one.tool_calls for one in counts),
        failed_calls=sum(one.failed_calls for one in counts),
        refused_calls=sum(one.refused_calls for one in counts),
        incidents=sum((one.incidents for one in counts), Counter[str]()),
    )


def agent_errors(days: Sequence[DaySession]) -> str | None:
    """What the agent's own code raised, None if nothing; of several days each with its name."""
    errors = [(day.name, day.agent_exit.agent_error) for day in days]
    if len(days) == 1:
        return days[0].agent_exit.agent_error
    return "; ".join(f"{name}: {error}" for name, error in errors if error) or None
