"""The office as an OpenEnv environment: `reset` begins a day of a split, a step is one call.

Each session of the server has its own environment on its own thread.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterator, Sequence

from anyio import to_thread
from fastapi import HTTPException
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
)
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import BaseModel, Field

from trainee_bench.harness.integrations.openenv.options import OpenEnvOptions, split_type
from trainee_bench.harness.integrations.training.episode import Episode, EpisodeStep, usual_tools
from trainee_bench.harness.integrations.training.splits import (
    DayCard,
    DaySplit,
    UnknownSplit,
    describe_day,
)
from trainee_bench.harness.session.turns import ToolInfo
from trainee_bench.mcp_servers.serving.server import package_version
from trainee_bench.meta_tasks.grade import score_with_all

__all__ = [
    "MOST_TASKS",
    "DayNotReset",
    "OpenEnvAnswer",
    "OpenEnvMorning",
    "OpenEnvOffice",
    "OpenEnvPicture",
    "OpenEnvState",
    "answer_observation",
    "day_index",
    "list_tools_observation",
]


class OpenEnvMorning(Observation):
    """The answer of `reset`: the prompt for the agent, and which day it is."""

    prompt: str = Field(description="The prompt for the agent, with its tasks word for word")
    time: str = Field(description="The simulated time, as in 2025-10-01T08:00:00")
    day: DayCard = Field(description="The day's place in its split, and its rules")
    token: str | None = Field(
        default=None, description="With it, reset goes on with this day over any connection"
    )


class OpenEnvPicture(BaseModel):
    """A picture that a tool showed."""

    mime_type: str
    data: str = Field(description="Base64")


class OpenEnvAnswer(CallToolObservation):
    """The answer to a call. ``reward`` is the rise of the score; all of them add up to it."""

    text: str = Field(default="", description="The answer for the model, or the refusal")
    failed: bool = Field(default=False, description="Whether the call was refused")
    time: str | None = Field(default=None, description="The simulated time after the call")
    pictures: list[OpenEnvPicture] = Field(default_factory=list)


class OpenEnvState(State):
    """The current state of the day. Nothing here is for the agent."""

    day: DayCard | None = None
    score: float = Field(default=0.0, description="Current score of the day, from 0 to 1")
    success: bool = Field(default=False, description="Whether every task is complete")
    done: bool = Field(default=False, description="Whether the working day is over")
    digest: str = Field(default="", description="A hash of the world's state")


SEEDS = 10**9
"""The number of days that an endless split claims to have."""
MOST_TASKS = 100
"""The most tasks that are listed at once, since generated days must be made to be listed."""


class DayNotReset(RuntimeError):
    """Raised for a call before a day was begun; says how to begin one."""


class OpenEnvOffice(Environment):
    """A day of the office for one client. *numbers* are the day numbers for clients that name none;
    all environments of a server share them."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, options: OpenEnvOptions | None = None, numbers: Iterator[int] | None = None):
        super().__init__()
        self.options = options or OpenEnvOptions()
        self._numbers = numbers or itertools.count()
        self._episode: Episode | None = None
        self._card: DayCard | None = None
        self._named: str | None = None
        self._done = False

    # An episode ----------------------------------------------------------------------------

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
        **_: object,
    ) -> OpenEnvMorning:
        """Begin day *index* of *split*. Without an index, begin day number *seed*, starting over
        after the last day. Without either, begin the next day that no client has had.

        Raises UnknownSplit, and IndexError for a day that the split does not have.
        """
        chosen = self.options.find(split or self.options.split)
        if index is None:
            index = day_index(chosen, next(self._numbers) if seed is None else seed)
        given = chosen.day(index)
        episode = Episode.begin(given)
        self.close()
        self._episode = episode
        self._card = describe_day(chosen.name, index, given)
        self._named, self._done = episode_id or self._card.id, False
        return OpenEnvMorning(
            prompt=episode.start.prompt, time=episode.begins.isoformat(), day=self._card, reward=0.0
        )

    def step(self, action: Action, timeout_s: float | None = None, **_: object) -> Observation:
        """Make the call of *action*, or list the tools, which costs nothing and needs no day.

        Raises DayNotReset for a call before a day was begun, and TypeError for another action.
        """
        if isinstance(action, ListToolsAction):
            return list_tools_observation(self._episode.start.tools if self._episode else None)
        if not isinstance(action, CallToolAction):
            raise TypeError(
                f"a step must be a call_tool or list_tools action, not {type(action).__name__}"
            )
        if self._episode is None:
            raise DayNotReset("no day has begun; call reset first")
        step = self._episode.call(action.tool_name, action.arguments)
        self._done = step.done
        return answer_observation(action.tool_name, step)

    @property
    def state(self) -> OpenEnvState:
        """The current state of the day."""
        if self._episode is None:
            return OpenEnvState()
        grade = self._episode.grade()
        return OpenEnvState(
            episode_id=self._named,
            step_count=len(self._episode.rewards),
            day=self._card,
            score=score_with_all(grade.score, grade.tasks),
            success=grade.success,
            done=self._done,
            digest=self._episode.digest(),
        )

    def close(self) -> None:
        """Free the world; `reset` begins another day."""
        if self._episode is not None:
            self._episode.close()
        self._episode = self._card = None

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the server's description of itself."""
        return EnvironmentMetadata(
            name="trainee_bench",
            description="A simulated company in which an agent works a day; code grades it.",
            version=package_version(),
        )

    # The available days --------------------------------------------------------------------

    def list_splits(self) -> list[dict[str, str]]:
        """Return the available splits, with their types."""
        return [{"name": name, "type": split_type(name)} for name in self.options.splits]

    def num_tasks(self, split: str) -> int:
        """Return the number of days of *split*; for an endless split, the number of seeds."""
        return self._split(split).size or SEEDS

    async def get_task(self, split: str, index: int) -> DayCard:
        """Return the card of one day. Raises IndexError."""
        return await to_thread.run_sync(self._card_of, split, index)

    async def list_tasks(self, split: str) -> list[DayCard]:
        """Return the cards of the first MOST_TASKS days. For a generated split, return only the
        first three, since each day has to be made."""
        found = self._split(split)
        return await self.get_task_range(split, 0, 3 if found.generated else MOST_TASKS)

    async def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[DayCard]:
        """Return the cards from *start* up to, but excluding, *stop*; at most MOST_TASKS."""
        size = self.num_tasks(split)
        first = max(start or 0, 0)
        last = min(size if stop is None else stop, size, first + MOST_TASKS)
        return [await self.get_task(split, index) for index in range(first, last)]

    def _card_of(self, split: str, index: int) -> DayCard:
        return describe_day(split, index, self._split(split).day(index))

    def _split(self, name: str) -> DaySplit:
        """Return the split named in a request for tasks. Answer 404 for an unknown one."""
        try:
            return self.options.find(name)
        except UnknownSplit as error:
            raise HTTPException(404, str(error)) from None


def day_index(split: DaySplit, number: int) -> int:
    """Return the index of day *number* of *split*, which begins again after its last day."""
    return number % (split.size or SEEDS)


def list_tools_observation(offered: Sequence[ToolInfo] | None) -> ListToolsObservation:
    """Return the tools that a day *offered*, or those of a usual day."""
    return ListToolsObservation(
        tools=[
            Tool(name=tool.name, description=tool.description, input_schema=dict(tool.input_schema))
            for tool in offered or usual_tools()
        ]
    )


def answer_observation(tool: str, step: EpisodeStep) -> OpenEnvAnswer:
    """Return the observation of a call of *tool*."""
    answer = step.answer
    pictures = [
        OpenEnvPicture(mime_type=picture.mime_type, data=base64.b64encode(picture.data).decode())
        for picture in answer.pictures
    ]
    return OpenEnvAnswer(
        tool_name=tool,
        result=answer.data,
        text=answer.text,
        failed=answer.failed,
        time=answer.time.isoformat() if answer.time else None,
        pictures=pictures,
        reward=step.reward,
        done=step.done,
    )
