"""Calls as the page lists them, their details, and a search through them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.studio.states import AppChanges
from trainee_bench.harness.studio.thoughts import AgentThought
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.thinking import THINK
from trainee_bench.world.transaction import Notice

_BRIEF = 140
"""Maximum number of characters of the arguments in a list."""


class ListedCall(BaseModel):
    """An action in the list. ``step`` is its number from 1, ``actor`` is empty for the world's own
    actions, ``brief`` has the beginnings of its arguments."""

    step: int
    at: datetime
    until: datetime
    actor: str
    app: str
    tool: str
    ok: bool
    brief: str
    notices: int


class ListedCalls(BaseModel):
    """Actions in order; ``total`` counts all so far."""

    calls: tuple[ListedCall, ...]
    total: int


class FoundCalls(BaseModel):
    """The numbers of the actions that match a search."""

    steps: tuple[int, ...]


class StepDetails(BaseModel):
    """One action in full: arguments, answer, notices, its changes, and the agent's thought."""

    call: ListedCall
    arguments: dict[str, JsonValue]
    text: str
    notices: tuple[Notice, ...]
    changes: AppChanges
    thought: AgentThought | None
    refused_by: str
    """The refusal from outside the world, in words; "" if there was none."""


def call_line(entry: LogEntry) -> ListedCall:
    """Return the line of *entry* in the list."""
    return ListedCall(
        step=entry.seq,
        at=entry.at,
        until=entry.until,
        actor=entry.actor,
        app=_app(entry),
        tool=entry.tool,
        ok=entry.ok,
        brief=_brief(entry.arguments),
        notices=len(entry.notices),
    )


def step_details(entry: LogEntry, changes: AppChanges, thought: AgentThought | None) -> StepDetails:
    """Return all details of *entry*."""
    return StepDetails(
        call=call_line(entry),
        arguments=entry.arguments,
        text=entry.text,
        notices=entry.notices,
        changes=changes,
        thought=thought,
        refused_by=str(entry.effects.get("refused_outside", "")),
    )


def find_calls(
    log: Sequence[LogEntry], thoughts: Mapping[int, AgentThought], query: str, tool: str
) -> FoundCalls:
    """Find the actions whose tool begins with *tool* and that contain every word of *query*,
    ignoring case. The search covers the name, arguments, answer, notices and the agent's
    thought."""
    words = query.casefold().split()
    found = []
    for entry in log:
        if not entry.tool.startswith(tool):
            continue
        thought = thoughts.get(entry.seq)
        text = "\n".join(
            (
                entry.tool,
                json.dumps(entry.arguments, ensure_ascii=False),
                entry.text,
                *(notice.text for notice in entry.notices),
                *((thought.message, thought.reasoning) if thought else ()),
            )
        ).casefold()
        if all(word in text for word in words):
            found.append(entry.seq)
    return FoundCalls(steps=tuple(found))


def _app(entry: LogEntry) -> str:
    """Return the app of *entry*; the world's own actions are of "thinking" or "world"."""
    if entry.actor:
        return entry.tool.partition("_")[0]
    return "thinking" if entry.tool == THINK else "world"


def _brief(arguments: Mapping[str, JsonValue]) -> str:
    parts = []
    room = _BRIEF
    for value in arguments.values():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        shown = " ".join(shown[: room * 2].split())
        parts.append(shown)
        room -= len(shown) + 3
        if room <= 0:
            break
    text = " · ".join(part for part in parts if part)
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}…"
