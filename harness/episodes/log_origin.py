"""Checks that the day of a result can have produced its log: actors, tools and effects.

    identity ──► who acts, with which apps, who plays the colleagues ──► is each entry one of these?

A log that repeats may still come from another day. Effects are taken from the record when a log is
repeated, so without this check a reply that nobody wrote would count as an effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import cache

from trainee_bench.harness.episodes.identity import TERMINAL_APP, episode_limits, offered_apps
from trainee_bench.harness.episodes.manual_work import APPROVAL_EFFECT, PLAYED_EFFECT
from trainee_bench.harness.records.human_part import GuidanceKind
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.mcp_servers.chat import DRAFTS_EFFECT
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.mcp_servers.llm_colleagues.drafting import DRAFT_USAGE_EFFECT
from trainee_bench.mcp_servers.serving.dispatcher import REFUSED_EFFECT, UNLISTED_EFFECT
from trainee_bench.mcp_servers.serving.toolbox import Tool
from trainee_bench.mcp_servers.terminal import RAN_EFFECT
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.notes import ALTER_NOTES
from trainee_bench.world.thinking import THINK

_GUIDE = "guide"
"""The app that only a mentor uses."""
_DRAFTED_BY = "chat_send_message"
"""The only tool whose effects include replies of colleagues."""
_KNOWN_EFFECTS = {
    APPROVAL_EFFECT,
    DRAFTS_EFFECT,
    DRAFT_USAGE_EFFECT,
    PLAYED_EFFECT,
    REFUSED_EFFECT,
    UNLISTED_EFFECT,
}


def log_flaws(spec: EpisodeSpec, employee: str, log: Sequence[LogEntry]) -> Iterator[str]:
    """Yield the actions of *log* that contradict what the day of *spec* offers to *employee*.

    Actions of people are no flaw: the result's identity mentions them. `night_flaws` checks the
    nights, and `trajectory_flaws` the minutes of thinking.
    """
    boxes = discover_toolboxes()
    named = offered_apps(spec)
    offered = {
        tool.name: tool for app in named if app in boxes for tool in boxes[app].offering(named)
    }
    guiding = {tool.name for tool in boxes[_GUIDE]}
    begins = spec.forked_from.step if spec.forked_from is not None else 0
    thinks = episode_limits(spec).tokens_per_minute is not None
    for entry in log:
        if entry.actor == "":
            if entry.tool == THINK:
                if entry.seq > begins and not thinks:
                    yield _flaw(entry, "thinking takes no time for its agent")
            elif not spec.scenario.week and entry.tool != ALTER_NOTES:
                yield _flaw(entry, "nights are only in weeks")
        elif entry.actor == MENTOR:
            if entry.tool not in guiding:
                yield _flaw(entry, "a mentor has no such tool")
        elif entry.actor != employee:
            yield _flaw(entry, f"by {entry.actor}, but the day is that of {employee}")
        elif (entry.tool in offered) == (UNLISTED_EFFECT in entry.effects):
            kind = "offers" if entry.tool in offered else "does not offer"
            yield _flaw(entry, f"the day {kind} this tool")
        yield from _effect_flaws(spec, entry, offered.get(entry.tool))


def _effect_flaws(spec: EpisodeSpec, entry: LogEntry, tool: Tool | None) -> Iterator[str]:
    """Yield the effects of *entry* that nobody could have caused."""
    strange = set(entry.effects) - _possible_effects(spec, entry, tool)
    if entry.tool in _terminal_tools():
        strange -= {RAN_EFFECT}
    elif tool is not None and tool.side_effect is not None:  # a user's own app
        strange &= _KNOWN_EFFECTS
    if strange:
        yield _flaw(entry, f"nothing of this day has the effect {', '.join(sorted(strange))}")
    verdict = entry.effects.get(APPROVAL_EFFECT)
    kinds = (GuidanceKind.APPROVED.value, GuidanceKind.REFUSED.value)
    if APPROVAL_EFFECT in entry.effects and verdict not in kinds:
        yield _flaw(entry, "no person can have given this verdict on it")
    if entry.effects.get(UNLISTED_EFFECT, True) is not True:
        yield _flaw(entry, "a tool is not listed, or it is")
    drafts = entry.effects.get(DRAFTS_EFFECT)
    if isinstance(drafts, dict) and spec.model_settings.npc_model is None:
        others = set(drafts) - _played(entry)
        if others and DRAFTS_EFFECT not in strange:
            yield _flaw(entry, f"nobody can have drafted a reply of {', '.join(sorted(others))}")


@cache
def _terminal_tools() -> Set[str]:
    return frozenset(tool.name for tool in discover_toolboxes()[TERMINAL_APP])


def _possible_effects(spec: EpisodeSpec, entry: LogEntry, tool: Tool | None) -> Set[str]:
    """Return the names of the effects that *entry*, a call of *tool* (None: unlisted), can have."""
    if tool is None:
        return {UNLISTED_EFFECT}
    possible = {APPROVAL_EFFECT}
    modelled = spec.model_settings.npc_model is not None
    if entry.tool == _DRAFTED_BY:
        possible |= {PLAYED_EFFECT}
        possible |= {DRAFTS_EFFECT} if modelled or _played(entry) else set()
        possible |= {DRAFT_USAGE_EFFECT} if modelled else set()
    if APPROVAL_EFFECT in entry.effects or tool.side_effect is not None:
        possible |= {REFUSED_EFFECT}
    return possible


def _played(entry: LogEntry) -> set[str]:
    """Return the ids of the colleagues whose reply in *entry* a person wrote."""
    played = entry.effects.get(PLAYED_EFFECT)
    return {str(id) for id in played} if isinstance(played, list) else set()


def _flaw(entry: LogEntry, why: str) -> str:
    return f"action {entry.seq}, {entry.tool}, cannot be from this day: {why}"
