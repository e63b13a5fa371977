"""A reward for each turn of an episode: its change of the score that was still possible.

The rewards are differences of a potential (the value after each action, see `harness/worth`), so
they do not change which policies are better. Added to the value at the start, they give the final
score.
"""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import anyio

from trainee_bench.harness.exports.recorded_episodes import (
    CannotExport,
    JsonObject,
    RecordedEpisode,
)
from trainee_bench.harness.records.side_files import LinkOut, refuse_link_out
from trainee_bench.harness.records.worth import EpisodeWorth, StoredWorths
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.world import World


def turn_rewards(run: Path, episode: RecordedEpisode) -> tuple[float, list[float]]:
    """Return the value at the start, and the rewards of the agent's turns in order. The loss from
    ending the work is part of the last reward.

    Raises CannotExport if the values of the run in the folder *run* were not computed.
    """
    result = episode.result
    worth = StoredWorths(run).read(result)
    if worth is None:
        raise CannotExport(
            f"the values of {result.episode} are not known; compute them first with "
            f"trainee-bench worth {shlex.quote(str(run))}"
        )
    try:
        refuse_link_out(run, run / str(result.world))
        log = anyio.run(_read_log, run / str(result.world))
    except (LinkOut, WorldFileError) as error:
        raise CannotExport(str(error)) from None
    turns = [step for step in episode.steps if step["source"] == "agent"]
    return worth.points[0].value, list(_rewards(turns, log, worth))


async def _read_log(path: Path) -> list[LogEntry]:
    async with await World.open(path) as world:
        return await world.log()


def _rewards(turns: list[JsonObject], log: list[LogEntry], worth: EpisodeWorth) -> Iterator[float]:
    changes = worth.rewards()
    remaining = deque(log)
    for number, turn in enumerate(turns):
        reward = 0.0
        while remaining and not remaining[0].actor:  # a night, caused by the previous turn
            reward += changes[remaining.popleft().seq - 1]
        for call in _calls(turn):
            if remaining and _is_call(remaining[0], call):
                reward += changes[remaining.popleft().seq - 1]
        if number == len(turns) - 1:
            reward += sum(changes[entry.seq - 1] for entry in remaining)
            reward += worth.end.value - worth.points[-1].value
        yield reward


def _calls(turn: JsonObject) -> list[JsonObject]:
    calls = turn.get("tool_calls", [])
    assert isinstance(calls, list)
    return [call for call in calls if isinstance(call, dict)]


def _is_call(entry: LogEntry, call: JsonObject) -> bool:
    """Return whether *call* reached the world as *entry*; some calls do not."""
    return (entry.tool, entry.arguments) == (call["function_name"], call["arguments"])
