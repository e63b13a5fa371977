"""An episode: one day at the synchronous seat, with a reward for each call.

    Episode.begin(day) ──► call(name, arguments) ──► answer, reward, done ──► … ──► score

The rewards of all calls add up to the score. Trainers want many episodes of the same day, so they
are copies of one morning: a copy takes a millisecond instead of some hundred.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from trainee_bench.harness.environment.morning import Morning, begun_morning
from trainee_bench.harness.environment.snapshot import (
    InvalidSnapshot,
    pack_day,
    unpack_day,
)
from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = ["Episode", "EpisodeStep", "UnknownTrainingApp", "usual_tools"]


@dataclass(frozen=True)
class EpisodeStep:
    """A call's answer, the rise of the score, and whether the working day is over."""

    answer: ToolResult
    reward: float
    done: bool


class Episode:
    """A day being worked by one agent. Threads may use it in turn, but not at the same time.

    With *tokens_per_minute*, thinking takes time, as in `Day`.
    """

    def __init__(self, morning: Morning, tokens_per_minute: int | None = None):
        self.begins = morning.composition.day.starts
        self.rewards: list[float] = []
        """The reward of each call so far."""
        self._day = morning.day(rewards=True, tokens_per_minute=tokens_per_minute)
        self.start = morning.start if tokens_per_minute is None else self._day.start()

    @classmethod
    def begin(cls, given: ScenarioDay, tokens_per_minute: int | None = None) -> Episode:
        """Begin the day. Raises CompositionError or UnknownRuleError if it cannot be composed, and
        NeedsEventLoop if it offers an app that runs programs."""
        return cls(begun_morning(given), tokens_per_minute)

    def snapshot(self) -> bytes:
        """Return the episode as it stands, with its rewards, as bytes for `from_snapshot`."""
        state = replace(self._day.state(), rewards=tuple(self.rewards))
        return pack_day(
            self._day.composition,
            state,
            rewarded=True,
            tokens_per_minute=self._day.tokens_per_minute,
        )

    @classmethod
    def from_snapshot(cls, snapshot: bytes) -> Episode:
        """Go on with the episode of *snapshot*, in any process of the same version.

        Raises InvalidSnapshot, and what `begin` raises. For snapshots of strangers, see
        `Day.from_snapshot`.
        """
        unpacked = unpack_day(snapshot)
        if not unpacked.rewarded:
            raise InvalidSnapshot("a day without rewards: use Day.from_snapshot")
        episode = cls.begin(unpacked.day, unpacked.tokens_per_minute)
        try:
            episode._day.set_state(unpacked.state)
        except BaseException:
            episode.close()
            raise
        episode.rewards = list(unpacked.state.rewards)
        return episode

    def call(
        self, name: str, arguments: Mapping[str, JsonValue], output_tokens: int | None = None
    ) -> EpisodeStep:
        """Make one call; the answer reports any error in it.

        If thinking takes time, *output_tokens* are those of the turn for its first call, and 0 for
        the others. Raises ValueError if they are missing then.
        """
        turn = self._day.step([ToolCall(name, arguments)], output_tokens)
        self.rewards.append(turn.reward)
        return EpisodeStep(turn.answers[0], turn.reward, turn.done)

    @property
    def score(self) -> float:
        """The score so far, from 0 to 1: the sum of all rewards."""
        return float(sum(self.rewards))

    def grade(self) -> DayGrade:
        """Return the current grades of all tasks."""
        return self._day.grade()

    def digest(self) -> str:
        """Return a hash of the world's state."""
        return self._day.digest()

    def calls(self) -> list[ToolCall]:
        """Return the calls that reached the office, including refused ones."""
        return [ToolCall(entry.tool, entry.arguments) for entry in self._day.log() if entry.actor]

    def close(self) -> None:
        """Free the world."""
        self._day.close()


class UnknownTrainingApp(ValueError):
    """Raised if no such app is offered on usual days; says which apps are."""


def usual_tools(apps: Collection[str] | None = None) -> tuple[ToolInfo, ...]:
    """Return the tools of *apps*, or of all apps of a usual day. Raises UnknownTrainingApp."""
    boxes = default_toolboxes()
    for app in apps or ():
        if app not in boxes:
            raise UnknownTrainingApp(f"There is no app {app!r}; use {', '.join(boxes)}.")
    return tuple(
        ToolInfo(tool.name, tool.description(), tool.input_schema, tool.minutes)
        for app, box in boxes.items()
        if apps is None or app in apps
        for tool in box
    )
