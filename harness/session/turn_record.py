"""A turn as it is recorded, and whoever is told of turns while they happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from trainee_bench.harness.session.thought import Thought
from trainee_bench.harness.session.tool_types import ToolCall, ToolResult


@dataclass(frozen=True)
class TurnRecord:
    """One turn: the thought, the calls with their answers, and the simulated time it began."""

    began: datetime
    thought: Thought
    calls: tuple[ToolCall, ...]
    answers: tuple[ToolResult, ...]


class TurnListener(Protocol):
    """Hears of each turn twice. What it raises breaks the episode, for the agent did not."""

    def turn_begins(self, began: datetime, thought: Thought, calls: Sequence[ToolCall]) -> None:
        """Before the first of *calls* is made."""

    def turn_ends(self, answers: Sequence[ToolResult]) -> None:
        """After the last; calls without an answer are left out, as in the record."""
