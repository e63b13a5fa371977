"""What the trajectory of an episode says of its turns, held against its line and its log.

    trajectory ──► turns, calls, how each day ended ──► the line's counts, the log's actions

A trajectory is what the harness wrote down of an agent. It cannot be computed anew, but line, log
and trajectory have to tell of the same day.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.own_files import own_file
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import EpisodeResult, trajectory_name
from trainee_bench.harness.session.agent_session import UNSOUND
from trainee_bench.world.action_log import LogEntry

_USAGE = {
    "prompt_tokens": "total_prompt_tokens",
    "completion_tokens": "total_completion_tokens",
    "cost_usd": "total_cost_usd",
}
"""Fields of a line, and what a trajectory calls them."""


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True)


class _Call(_Read):
    function_name: str
    arguments: dict[str, JsonValue]


class _Step(_Read):
    source: str
    tool_calls: tuple[_Call, ...] = ()


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


class _Trajectory(_Read):
    trajectory_id: str
    agent: _Agent
    steps: tuple[_Step, ...]
    final_metrics: dict[str, JsonValue] = Field(default_factory=dict)
    extra: _Extra


@dataclass
class _DayTurns:
    """The turns of one day: the calls of each."""

    turns: list[tuple[_Call, ...]] = field(default_factory=list)

    @property
    def calls(self) -> list[_Call]:
        return [call for turn in self.turns for call in turn]


def trajectory_flaws(
    folder: Path, spec: EpisodeSpec, result: EpisodeResult, calls: Sequence[LogEntry]
) -> list[str]:
    """How the trajectory of *result* in the run's *folder* contradicts it, and *calls*, which are
    the agent's own in the log."""
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
    return [*_line_flaws(spec, result, written), *_turn_flaws(result, written, calls)]


def _why(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    flaw = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, flaw['loc']))}: {flaw['msg']}"


def _line_flaws(spec: EpisodeSpec, result: EpisodeResult, written: _Trajectory) -> Iterator[str]:
    """What the line says of the episode as a whole, and the trajectory says otherwise."""
    extra = written.extra
    whose = (written.trajectory_id, written.agent.name, extra.scenario, extra.day, extra.attempt)
    if whose != (spec.id, spec.agent, spec.scenario.name, spec.day_name, spec.attempt):
        yield "the trajectory is that of another episode"
        return
    for name in ("score", "success", "ended", "agent_error", "incidents"):
        said, found = getattr(result, name), getattr(extra, name)
        if said != found:
            yield f"the line says {name} {said}, its trajectory {found}"
    for name, total in _USAGE.items():
        said, found = getattr(result, name), written.final_metrics.get(total)
        if said != found:
            yield f"the line says {name} {said}, its trajectory {found}"


def _turn_flaws(
    result: EpisodeResult, written: _Trajectory, calls: Sequence[LogEntry]
) -> Iterator[str]:
    """What the trajectory's turns say otherwise than the line's counts and the log."""
    days = _by_day(written.steps)
    steps = [day.steps for day in result.days] or [result.steps]
    found = [len(day.turns) for day in days]
    if steps != found:
        yield f"the line has {_list(steps)} steps, its trajectory {_list(found)}"
        return
    made = [call for day in days for call in day.calls]
    # A call whose answer a limit cut off is counted, but not written down: one on each day, and
    # more only of turns that were made at the same time, of which nothing else is written down.
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
    """Whether the line has as many refused calls as the turns, which are longer than allowed or
    have calls that JSON cannot express."""
    if result.identity is None:
        return
    allowed = result.identity.limits.calls_per_turn
    turns = [turn for day in days for turn in day.turns]
    beyond = sum(max(0, len(turn) - allowed) for turn in turns)
    unsound = sum(call.function_name == UNSOUND for turn in turns for call in turn[:allowed])
    if not beyond <= result.refused_calls <= beyond + unsound:
        yield f"the line has {result.refused_calls} refused calls, its trajectory {beyond}"


def _by_day(steps: Sequence[_Step]) -> list[_DayTurns]:
    """The turns of each day; a day begins with what the agent is told."""
    days: list[_DayTurns] = []
    for step in steps:
        if step.source == "user":
            days.append(_DayTurns())
        elif days:
            days[-1].turns.append(step.tool_calls)
    return days


def _unmatched(made: Sequence[_Call], calls: Sequence[LogEntry]) -> list[LogEntry]:
    """The entries of *calls* that are not, in this order, among the calls *made*. Calls that were
    refused for their form may be logged in another one, and are not looked for."""
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
