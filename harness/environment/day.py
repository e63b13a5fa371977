"""A day of a scenario on the caller's thread: reset, step, fork, snapshot, restore, grade.

    Day(scenario).reset() ──► step(calls) ──► answers, reward ──► … ──► grade()

It runs the same verbs as the servers and keeps the same log. The same calls therefore give the same
digest and score as through any transport. It needs no event loop and no separate thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from threading import RLock
from typing import Concatenate, ParamSpec, Self, TypeVar

from trainee_bench.harness.environment.running_grade import RunningGrade
from trainee_bench.harness.environment.snapshot import (
    DayState,
    InvalidSnapshot,
    pack_day,
    unpack_day,
)
from trainee_bench.harness.session.frozen import FrozenDigests, frozen_digests
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.thinking import ThinkingPace, WorldClock
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.session.turns import ToolCall, ToolInfo, ToolResult
from trainee_bench.mcp_servers.office import offered_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.verifier import DayGrade
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.kept_days import composed
from trainee_bench.meta_tasks.scenario import Scenario
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.errors import WorldFileError
from trainee_bench.world.trial import complete
from trainee_bench.world.week import check_day_follows, later_days
from trainee_bench.world.world import World

__all__ = ["Day", "DayInUse", "DayNotBegun", "InvalidSnapshot", "NeedsEventLoop", "Start", "Turn"]


P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Start:
    """The prompt for an agent when a day begins, and the tools that it is offered."""

    prompt: str
    tools: tuple[ToolInfo, ...]


@dataclass(frozen=True)
class Turn:
    """The answers to the calls of a step, in their order.

    ``reward`` is the rise of the score; the rewards of all steps add up to the final score. It is
    0.0 unless rewards were asked for. ``done`` says whether the working day is over.
    """

    answers: tuple[ToolResult, ...]
    reward: float
    done: bool


class DayNotBegun(RuntimeError):
    """The day has not been reset yet, or was closed."""


class DayInUse(RuntimeError):
    """Another thread is using the day at this moment."""


class NeedsEventLoop(RuntimeError):
    """The day offers an app whose calls wait for something outside of the world."""


def _alone(
    method: Callable[Concatenate[Day, P], T],
) -> Callable[Concatenate[Day, P], T]:
    """Let *method* hold the day for its thread; it raises DayInUse if another one holds it."""

    @wraps(method)
    def call(day: Day, /, *args: P.args, **named: P.kwargs) -> T:
        if not day._in_use.acquire(blocking=False):
            raise DayInUse("another thread is using this day; give each thread a day of its own")
        try:
            return method(day, *args, **named)
        finally:
            day._in_use.release()

    return call


class Day:
    """One day of *scenario*, or its whole week, whose mornings `next_day` begins.

    With *rewards*, every step tells by how much it raised the score. With *tokens_per_minute*, so
    many output tokens of a step take a minute before its calls. One thread may use it after
    another; a call beside another thread's raises DayInUse. Raises CompositionError or
    UnknownRuleError if the day cannot be composed, and ValueError for *tokens_per_minute* below 1.
    """

    def __init__(
        self,
        scenario: Scenario,
        number: int = 0,
        *,
        rewards: bool = False,
        tokens_per_minute: int | None = None,
    ):
        self._begin_with(composed(scenario, number), rewards, tokens_per_minute)

    @classmethod
    def of(
        cls,
        composition: ComposedDay,
        *,
        rewards: bool = False,
        tokens_per_minute: int | None = None,
    ) -> Self:
        """Return a day from an existing composition; composing takes longer than everything else
        here."""
        day = cls.__new__(cls)
        day._begin_with(composition, rewards, tokens_per_minute)
        return day

    def _begin_with(
        self, composition: ComposedDay, rewards: bool, tokens_per_minute: int | None
    ) -> None:
        if tokens_per_minute is not None:
            ThinkingPace(tokens_per_minute)
        self.composition = composition
        self.tokens_per_minute = tokens_per_minute
        self._rewards = rewards
        self._carried_tokens = 0
        self._world: World | None = None
        self._grade = RunningGrade(self.composition)
        self._score = 0.0
        self._now = self._ends = composition.day.starts
        self._transport: InProcessToolTransport | None = None
        self._in_use = RLock()

    # the course of a day -------------------------------------------------------------------

    @_alone
    def reset(self) -> Start:
        """Stage the day again and begin it. If that fails, the day is unchanged."""
        composition = self.composition
        grade = RunningGrade(composition)
        staging = World.create_inline(composition.world_config(), composition.populate)
        self._change_to(complete(staging))
        self._grade = grade
        self._carried_tokens = 0
        self._now = composition.day.starts
        self._score = self._scored() if self._rewards else 0.0
        return self.start()

    @_alone
    def start(self, limits: EpisodeLimits | None = None) -> Start:
        """Return the prompt and tools of the day that begins; *limits* add the sentence about
        turns."""
        world, transport = self._opened()
        prompt = complete(world.read(lambda tx: build_prompt(tx, limits, self.tokens_per_minute)))
        scenario = self.composition.scenario_day.scenario
        return Start(prompt, tuple(transport.tools(scenario.minutes)))

    @_alone
    def step(self, calls: Sequence[ToolCall], output_tokens: int | None = None) -> Turn:
        """Make *calls* in their order, after the minutes that the turn's *output_tokens* take.

        Where thinking takes no time, *output_tokens* have no effect. Raises ValueError where it
        does and they are no whole number of at least 0, and DayNotBegun.
        """
        world, transport = self._opened()
        self._think(output_tokens)
        answers = []
        for call in calls:
            self._grade.settle(world, self._now)
            answer = complete(transport.call(call.name, call.arguments))
            self._now = answer.time or self._now
            answers.append(answer)
        return Turn(tuple(answers), self._reward(), self.done)

    @_alone
    def pass_minutes(self, minutes: int) -> datetime:
        """Let *minutes* of thinking pass, at most until the day ends; return the time then."""
        world, _ = self._opened()
        self._grade.settle(world, self._now)
        self._now = complete(WorldClock(world).pass_minutes(minutes))
        return self._now

    @_alone
    def next_day(self) -> Start:
        """Let the night pass and the next morning of a week begin; return its prompt and tools.

        Raises Refused if no day follows, and DayNotBegun.
        """
        world, _ = self._opened()
        complete(world.read(check_day_follows))
        if not self.done:
            self._grade.settle(world, self._now)
            self._now = complete(world.end_day()).now
        self._grade.settle(world, self._now)
        self._now = complete(world.begin_next_day()).now
        self._carried_tokens = 0
        self._ends = _end_of(world)
        return self.start()

    @_alone
    def grade(self) -> DayGrade:
        """Return the grades of all tasks in the present state; a task that was due is graded as of
        then."""
        world, _ = self._opened()
        self._grade.settle(world, self._now)
        return self._grade.of(world)

    # facts about the day -------------------------------------------------------------------

    @property
    def now(self) -> datetime:
        """The simulated time."""
        return self._now

    @property
    def done(self) -> bool:
        """Whether the present working day is over."""
        self._opened()
        return self._now >= self._ends

    @property
    def has_next_day(self) -> bool:
        """Whether another morning follows in this week."""
        return bool(complete(self._opened()[0].read(later_days)))

    @_alone
    def digest(self) -> str:
        """Return a hash of the world's state (see `World.digest`)."""
        return complete(self._opened()[0].digest())

    @_alone
    def frozen_digests(self) -> FrozenDigests:
        """Digests of what an agent is shown, where nothing has happened yet."""
        return complete(frozen_digests(self._opened()[0]))

    @_alone
    def log(self) -> list[LogEntry]:
        """Return every action so far, of the agent (with an actor) and of the world itself."""
        return complete(self._opened()[0].log())

    # copies --------------------------------------------------------------------------------

    @_alone
    def fork(self) -> Day:
        """Return an independent copy of the day in its present state."""
        world, _ = self._opened()
        copy = Day.of(
            self.composition, rewards=self._rewards, tokens_per_minute=self.tokens_per_minute
        )
        copy.set_state(self.state())
        copy._grade = self._grade.copy(world)
        return copy

    @_alone
    def state(self) -> DayState:
        """Return the present state, for `set_state` in this process; that takes a millisecond."""
        world, _ = self._opened()
        content = complete(world.serialize())
        settled, carried = self._grade.settled, self._carried_tokens
        return DayState(content, settled, self._score, self._now, carried_tokens=carried)

    @_alone
    def set_state(self, state: DayState) -> None:
        """Restore *state*, which is of the same day.

        Raises InvalidSnapshot if its world cannot be read, and NeedsEventLoop; then the day is
        unchanged.
        """
        grade = RunningGrade(self.composition, state.settled)
        try:
            self._change_to(World.deserialize_inline(state.world))
        except WorldFileError as error:
            raise InvalidSnapshot(f"the world of this snapshot cannot be read: {error}") from None
        self._grade = grade
        self._score, self._now = state.score, state.now
        self._carried_tokens = state.carried_tokens

    def snapshot(self) -> bytes:
        """Return the present state as bytes, for `restore` or `from_snapshot` in any process of
        the same version. A worked day of six tasks takes some 80 kB and 20 ms."""
        return pack_day(
            self.composition,
            self.state(),
            rewarded=self._rewards,
            tokens_per_minute=self.tokens_per_minute,
        )

    def restore(self, snapshot: bytes) -> None:
        """Restore the state in which *snapshot* of the same day was taken.

        Raises InvalidSnapshot, also for a snapshot of another day; then the day is unchanged. For
        snapshots of strangers, see `from_snapshot`.
        """
        unpacked = unpack_day(snapshot)
        if unpacked.day != self.composition.scenario_day:
            raise InvalidSnapshot(
                f"this snapshot is of another day ({unpacked.day.scenario.name}); "
                "Day.from_snapshot restores it"
            )
        if unpacked.tokens_per_minute != self.tokens_per_minute:
            raise InvalidSnapshot(
                "thinking takes another time in this snapshot; Day.from_snapshot restores it"
            )
        self.set_state(unpacked.state)

    @classmethod
    def from_snapshot(cls, snapshot: bytes) -> Self:
        """Return the day of *snapshot* in its state. Raises InvalidSnapshot.

        A snapshot has a hash, which detects damage, but no key: whoever can write one can write
        any grade or world into it. So do not restore snapshots of strangers.
        """
        unpacked = unpack_day(snapshot)
        given = unpacked.day
        day = cls.of(
            composed(given.scenario, given.day, given.variation),
            rewards=unpacked.rewarded,
            tokens_per_minute=unpacked.tokens_per_minute,
        )
        day.set_state(unpacked.state)
        return day

    @_alone
    def close(self) -> None:
        """Free the world; `reset` and `restore` begin again."""
        if self._world is not None:
            complete(self._world.close())
        self._world = self._transport = None

    # the inside ----------------------------------------------------------------------------

    def _change_to(self, world: World) -> None:
        """Go on in *world*, and free the one before; if this raises, that one stays."""
        try:
            seat = self._seat_in(world)
            ends = _end_of(world)
        except BaseException:
            complete(world.close())
            raise
        self.close()
        self._world, self._transport, self._ends = world, InProcessToolTransport(seat), ends

    def _seat_in(self, world: World) -> ToolDispatcher:
        person = self.composition.company.trainee.id
        boxes = complete(world.read(offered_toolboxes))
        if needing := [box.app for box in boxes if box.opt_in]:
            raise NeedsEventLoop(
                f"this day offers {needing[0]}, which runs programs; work it with an agent of "
                "`trainee-bench run`, or leave that app out of the scenario's tools"
            )
        return ToolDispatcher(world, person, boxes)

    def _opened(self) -> tuple[World, InProcessToolTransport]:
        if self._world is None or self._transport is None:
            raise DayNotBegun("the day has not begun; call reset() first")
        return self._world, self._transport

    def _think(self, output_tokens: int | None) -> None:
        """Let the time of a turn of *output_tokens* pass, if thinking takes time."""
        if self.tokens_per_minute is None:
            return
        if not isinstance(output_tokens, int) or output_tokens < 0:
            raise ValueError(
                "thinking takes time on this day: give each step the output_tokens of its turn, "
                f"not {output_tokens!r}"
            )
        pace = ThinkingPace(self.tokens_per_minute, self._carried_tokens)
        minutes = pace.minutes(output_tokens)
        if minutes and not self.done:
            self.pass_minutes(minutes)
        self._carried_tokens = pace.carried

    def _scored(self) -> float:
        return self.grade().score or 0.0

    def _reward(self) -> float:
        if not self._rewards:
            return 0.0
        before, self._score = self._score, self._scored()
        return self._score - before


def _end_of(world: World) -> datetime:
    """Return when the present working day ends."""
    return complete(world.read(lambda tx: tx.day.ends))
