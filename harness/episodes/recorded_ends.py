"""How an episode ended, how often it was tried and what was remembered: what of it can be checked.

The log, the limits and the files of the run leave only some ways in which a day can have ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.memories import Memories
from trainee_bench.harness.records.own_files import own_file
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import DayResult, EpisodeResult
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.transaction import WorkingDay


def own_calls(result: EpisodeResult, log: Sequence[LogEntry]) -> list[LogEntry]:
    """The calls in *log* of the agent of *result*. The others did the world itself, a mentor, or
    the agent that the day was taken over from."""
    begins = result.forked_from.step if result.forked_from is not None else 0
    return [entry for entry in log if entry.actor not in ("", MENTOR) and entry.seq > begins]


def memory_flaws(folder: Path, spec: EpisodeSpec, result: EpisodeResult) -> Iterator[str]:
    """How the line's hash of the agent's memory contradicts the memory in the run's *folder*."""
    memories = Memories(folder)
    name = memories.name(spec.id)
    if memories.exists(spec.id) and own_file(folder, name) is None:
        yield f"{name} is a link out of the run's folder"
        return
    stored = memories.digest(spec.id)
    if result.memory_digest != stored:
        yield f"the line says memory_digest {result.memory_digest}, {name} has {stored}"


def ending_flaws(
    result: EpisodeResult, days: Sequence[WorkingDay], log: Sequence[LogEntry]
) -> Iterator[str]:
    """How the line's tries, and the ends of its *days*, cannot have been those of *log*."""
    if result.tries != len(result.faults) + 1:
        yield f"the line says tries {result.tries}, but has {len(result.faults)} faults before"
    expected = None if result.score is not None else "no task could be graded"
    if result.error != expected:
        yield f"the line says error {result.error}, the repeated day gives {expected}"
    if result.identity is None:
        return
    limits = result.identity.limits
    if not result.days:
        yield from _end_flaws(result, days[-1], limits, log)
        return
    last, errors = result.days[-1], _errors(result.days)
    if (result.ended, result.agent_error) != (last.ended, errors):
        yield (
            f"the line says ended {result.ended} and agent_error {result.agent_error}, its days "
            f"{last.ended} and {errors}"
        )
    for said, day in zip(result.days, days, strict=False):
        if said.name != f"{day.starts:%A}":
            yield f"the line has a day {said.name}, its week {day.starts:%A}"
        for flaw in _end_flaws(said, day, limits, log):
            yield f"{said.name}: {flaw}"


def _errors(days: Sequence[DayResult]) -> str | None:
    """What an episode says of the errors of its *days*."""
    return "; ".join(f"{one.name}: {one.agent_error}" for one in days if one.agent_error) or None


def _end_flaws(
    said: EpisodeResult | DayResult, day: WorkingDay, limits: EpisodeLimits, log: Sequence[LogEntry]
) -> Iterator[str]:
    """Why the *day* cannot have ended as is *said*."""
    lacking = {
        EndReason.TIME_LIMIT: limits.seconds is None,
        EndReason.TOKEN_LIMIT: limits.tokens is None,
        EndReason.COST_LIMIT: limits.cost_usd is None,
        EndReason.STEP_LIMIT: said.steps != limits.steps,
        EndReason.DAY_OVER: not _worked_to_the_end(day, log),
        EndReason.AGENT_ERROR: said.agent_error is None,
        EndReason.AGENT: said.agent_error is not None,
    }
    if said.ended is None or lacking.get(said.ended, False):
        yield (
            f"the line says ended {said.ended} after {pluralize(said.steps, 'step')} with "
            "agent_error "
            f"{said.agent_error}, which its limits and its log rule out"
        )


def _worked_to_the_end(day: WorkingDay, log: Sequence[LogEntry]) -> bool:
    """Whether somebody's action in *log* lasted until the end of *day*."""
    return any(entry.actor and entry.at <= day.ends <= entry.until for entry in log)
