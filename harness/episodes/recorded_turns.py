"""Checks of an episode's trajectory against its line and its log.

    trajectory ──► turns, calls, how each day ended ──► the line's counts, the log's actions

A trajectory is the harness's record of an agent. It cannot be computed again, but line, log and
trajectory must describe the same day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import DayResult, EpisodeResult, trajectory_name
from trainee_bench.harness.records.side_files import Memories, own_file
from trainee_bench.harness.session.agent_session import UNSOUND
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.mcp_servers.guide import MENTOR
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import first_flaw
from trainee_bench.world.thinking import THINK, ThinkingTime
from trainee_bench.world.transaction import WorkingDay
from trainee_bench.world.week import name_day, span_weeks

_USAGE = {
    "prompt_tokens": "total_prompt_tokens",
    "completion_tokens": "total_completion_tokens",
    "cost_usd": "total_cost_usd",
}
"""Fields of a line, and their names in a trajectory."""


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Call(_Read):
    function_name: str
    arguments: dict[str, JsonValue]


class _Metrics(_Read):
    completion_tokens: int = 0


class _Step(_Read):
    source: str
    tool_calls: tuple[_Call, ...] = ()
    metrics: _Metrics = _Metrics()


class _Aside(_Read):
    metrics: _Metrics = _Metrics()


class _Agent(_Read):
    name: str


class _Extra(_Read):
    scenario: str
    day: str
    attempt: int
    score: float | None
    success: bool
    ended: str | None
    agent_error: str | None
    incidents: dict[str, int]
    asides: tuple[_Aside, ...] = ()


class _Trajectory(_Read):
    trajectory_id: str
    agent: _Agent
    steps: tuple[_Step, ...]
    final_metrics: dict[str, JsonValue] = Field(default_factory=dict)
    extra: _Extra


@dataclass
class _DayTurns:
    """The turns of one day, by their calls."""

    turns: list[tuple[_Call, ...]] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    """The output tokens of each turn."""

    @property
    def calls(self) -> list[_Call]:
        return [call for turn in self.turns for call in turn]


def trajectory_flaws(
    folder: Path,
    spec: EpisodeSpec,
    result: EpisodeResult,
    days: Sequence[WorkingDay],
    log: Sequence[LogEntry],
) -> list[str]:
    """Return how the trajectory of *result* in the run's *folder* contradicts the result and the
    *log* of its *days*."""
    name = trajectory_name(spec.id)
    if result.trajectory != name:
        return [f"the line names no trajectory; its own is {name}"]
    file = own_file(folder, name)
    if file is None:
        return [f"{name} is missing"]
    try:
        written = _Trajectory.model_validate_json(file.read_bytes())
    except (OSError, ValidationError) as error:
        return [f"{name} cannot be read: {_why(error)}"]
    calls = own_calls(result, log)
    flaws = [*_line_flaws(spec, result, written), *_turn_flaws(result, written, calls)]
    return flaws or [*_thinking_flaws(result, written, days, log)]


def _why(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    where, flaw = first_flaw(error)
    return f"{where}: {flaw}"


def _line_flaws(spec: EpisodeSpec, result: EpisodeResult, written: _Trajectory) -> Iterator[str]:
    """Yield the facts about the episode as a whole on which line and trajectory differ."""
    extra = written.extra
    whose = (written.trajectory_id, written.agent.name, extra.scenario, extra.day, extra.attempt)
    if whose != (spec.id, spec.agent, spec.scenario.name, spec.day_name, spec.attempt):
        yield "the trajectory is that of another episode"
        return
    for name in ("score", "success", "ended", "agent_error", "incidents"):
        stated, found = getattr(result, name), getattr(extra, name)
        if stated != found:
            yield f"the line says {name} {stated}, its trajectory {found}"
    for name, total in _USAGE.items():
        stated, found = getattr(result, name), written.final_metrics.get(total)
        if stated != found:
            yield f"the line says {name} {stated}, its trajectory {found}"


def _turn_flaws(
    result: EpisodeResult, written: _Trajectory, calls: Sequence[LogEntry]
) -> Iterator[str]:
    """Yield how the trajectory's turns contradict the line's counts and the log."""
    days = _by_day(written.steps)
    steps = [day.steps for day in result.days] or [result.steps]
    found = [len(day.turns) for day in days]
    if steps != found:
        yield f"the line has {_list(steps)} steps, its trajectory {_list(found)}"
        return
    made = [call for day in days for call in day.calls]
    # A call whose answer a limit cut off is counted but not recorded: one on each day, and more
    # only in turns made at the same time, which are not recorded otherwise.
    cut = result.tool_calls + result.refused_calls - len(made)
    empty = sum(not turn for day in days for turn in day.turns)
    if not 0 <= cut <= len(days) + empty:
        yield (
            f"the line has {pluralize(result.tool_calls, 'call')} and {result.refused_calls} "
            "refused, its "
            f"trajectory {len(made)} together"
        )
    answered = len(made) - result.refused_calls
    if answered > len(calls):
        made_calls = pluralize(answered, "call")
        yield f"the trajectory has {made_calls} that were made, the log {len(calls)}"
    yield from _refused_flaws(result, days)
    missing = _unmatched(made, calls)
    if len(missing) > max(0, cut):
        first = missing[0]
        yield f"action {first.seq}, {first.tool}, is not in the trajectory"


def _refused_flaws(result: EpisodeResult, days: Sequence[_DayTurns]) -> Iterator[str]:
    """Yield how the line's number of refused calls contradicts the turns.

    Calls are refused beyond the limit of a turn, and if JSON cannot express them.
    """
    if result.identity is None:
        return
    allowed = result.identity.limits.calls_per_turn
    turns = [turn for day in days for turn in day.turns]
    beyond = sum(max(0, len(turn) - allowed) for turn in turns)
    unsound = sum(call.function_name == UNSOUND for turn in turns for call in turn[:allowed])
    if not beyond <= result.refused_calls <= beyond + unsound:
        yield f"the line has {result.refused_calls} refused calls, its trajectory {beyond}"


def _by_day(steps: Sequence[_Step]) -> list[_DayTurns]:
    """Return the turns of each day; a day begins with its prompt."""
    days: list[_DayTurns] = []
    for step in steps:
        if step.source == "user":
            days.append(_DayTurns())
        elif days:
            days[-1].turns.append(step.tool_calls)
            days[-1].tokens.append(step.metrics.completion_tokens)
    return days


def _thinking_flaws(
    result: EpisodeResult,
    written: _Trajectory,
    days: Sequence[WorkingDay],
    log: Sequence[LogEntry],
) -> Iterator[str]:
    """Yield how the minutes of thinking in *log* contradict the tokens of each day's turns.

    Replies outside of turns may add minutes. The end of the day may cut minutes off, and so may a
    limit of real time for the last turn.
    """
    pace = result.identity.limits.tokens_per_minute if result.identity is not None else None
    if pace is None:
        return
    begins = result.forked_from.step if result.forked_from is not None else 0
    asides = sum(aside.metrics.completion_tokens for aside in written.extra.asides)
    ends: list[EndReason | None] = [day.ended for day in result.days]
    ends = ends or [result.ended]
    for day, turns, ended in zip(days, _by_day(written.steps), ends, strict=False):
        thought = [
            e for e in log if e.tool == THINK and e.seq > begins and day.starts <= e.at < day.ends
        ]
        passed = sum(ThinkingTime.model_validate(entry.arguments).minutes for entry in thought)
        sure = turns.tokens[:-1] if ended is EndReason.TIME_LIMIT else turns.tokens
        least, most = sum(sure) // pace, (sum(turns.tokens) + asides) // pace
        whole = any(entry.until >= day.ends for entry in thought)
        if passed > most or (passed < least and not whole):
            yield (
                f"the log has {passed} min of thinking, but the tokens of the trajectory take "
                f"{least if passed < least else most} min"
            )


def _unmatched(made: Sequence[_Call], calls: Sequence[LogEntry]) -> list[LogEntry]:
    """Return the entries of *calls* that are not, in this order, among the calls *made*.

    Calls refused for their form are ignored, because the log may have them in another form.
    """
    missing, place = list[LogEntry](), 0
    for entry in calls:
        if not entry.ok:
            continue
        here = next(
            (
                number
                for number, call in enumerate(made[place:], start=place)
                if (call.function_name, call.arguments) == (entry.tool, entry.arguments)
            ),
            None,
        )
        if here is None:
            missing.append(entry)
        else:
            place = here + 1
    return missing


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "no"


def own_calls(result: EpisodeResult, log: Sequence[LogEntry]) -> list[LogEntry]:
    """Return the calls in *log* of the agent of *result*.

    The other calls were made by the world itself, a mentor, or the agent that began the day.
    """
    begins = result.forked_from.step if result.forked_from is not None else 0
    return [entry for entry in log if entry.actor not in ("", MENTOR) and entry.seq > begins]


def memory_flaws(folder: Path, spec: EpisodeSpec, result: EpisodeResult) -> Iterator[str]:
    """Yield how the line's hash of the agent's memory contradicts the memory in *folder*."""
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
    """Yield how the line's tries and the ends of its *days* contradict *log*."""
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
    dated = span_weeks(days[0].starts, days[-1].ends)
    for stated, day in zip(result.days, days, strict=False):
        name = name_day(day.starts, dated=dated)
        if stated.name != name:
            yield f"the line has a day {stated.name}, its week {name}"
        for flaw in _end_flaws(stated, day, limits, log):
            yield f"{stated.name}: {flaw}"


def _errors(days: Sequence[DayResult]) -> str | None:
    """Return an episode's summary of the errors of its *days*."""
    return "; ".join(f"{day.name}: {day.agent_error}" for day in days if day.agent_error) or None


def _end_flaws(
    stated: EpisodeResult | DayResult,
    day: WorkingDay,
    limits: EpisodeLimits,
    log: Sequence[LogEntry],
) -> Iterator[str]:
    """Yield the reasons why the *day* cannot have ended as *stated*."""
    lacking = {
        EndReason.TIME_LIMIT: limits.seconds is None,
        EndReason.TOKEN_LIMIT: limits.tokens is None,
        EndReason.COST_LIMIT: limits.cost_usd is None,
        EndReason.STEP_LIMIT: stated.steps != limits.steps,
        EndReason.DAY_OVER: not _worked_to_the_end(day, log),
        EndReason.AGENT_ERROR: stated.agent_error is None,
        EndReason.AGENT: stated.agent_error is not None,
    }
    if stated.ended is None or lacking.get(stated.ended, False):
        yield (
            f"the line says ended {stated.ended} after {pluralize(stated.steps, 'step')} with "
            "agent_error "
            f"{stated.agent_error}, which its limits and its log rule out"
        )


def _worked_to_the_end(day: WorkingDay, log: Sequence[LogEntry]) -> bool:
    """Whether an action or a thought in *log* lasted until the end of *day*."""
    own = (entry for entry in log if entry.actor or entry.tool == THINK)
    return any(entry.at <= day.ends <= entry.until for entry in own)
