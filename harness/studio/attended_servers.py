"""In-memory servers of episodes that people attend, each with its own control."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mcp import Client
from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.harness.studio.approval import ALLOW_ALL, ApprovalPolicy
from trainee_bench.harness.studio.guidance import EpisodeControl
from trainee_bench.harness.studio.played_colleagues import PlayedColleagues
from trainee_bench.mcp_servers.office import build_office_server
from trainee_bench.mcp_servers.serving.dispatcher import NO_SIDE_EFFECTS
from trainee_bench.mcp_servers.serving.toolbox import SideEffect
from trainee_bench.world.world import World


class AttendanceOptions(BaseModel):
    """How people take part in the episodes of a run. They approve calls under *policy*. They play
    the colleagues and answer within *patience* seconds (None: nobody plays them). They may begin
    with the agent *paused*."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: ApprovalPolicy = Field(default=ALLOW_ALL, max_length=30)
    patience: float | None = Field(default=None, ge=1, le=3600)
    paused: bool = False


@dataclass(frozen=True)
class AttendedEpisode:
    """The control of an attended episode; ``colleagues`` is None unless a person plays them."""

    control: EpisodeControl
    colleagues: PlayedColleagues | None

    @property
    def waits_for(self) -> str:
        """The action that its agent is waiting for a person to take; "" if none."""
        now = self.control.snapshot()
        if now.asks:
            return f"approval of {now.asks[0].tool}"
        if self.colleagues is not None and self.colleagues.questions():
            return f"an answer by {self.colleagues.questions()[0].colleague}"
        return f"you, paused before {now.held}" if now.held else ""


class AttendedServers:
    """Servers and clients in one process. `of` gives people access to the episodes."""

    def __init__(self, attendance: AttendanceOptions):
        self._attendance = attendance
        self._episodes: dict[Path, AttendedEpisode] = {}
        self.side_effects: Mapping[str, SideEffect] = NO_SIDE_EFFECTS

    def of(self, world: Path) -> AttendedEpisode | None:
        """Return the attended episode in *world*; None until it begins."""
        return self._episodes.get(world)

    @property
    def begun(self) -> bool:
        """Whether an episode that people can reach has begun."""
        return any(episode.control.reachable for episode in list(self._episodes.values()))

    def waited(self, world: Path) -> float:
        """See `ServerFactory`."""
        found = self._episodes.get(world)
        return found.control.waited if found is not None else 0.0

    @asynccontextmanager
    async def connect(self, world: Path, person: str) -> AsyncIterator[Client]:
        """See `ServerFactory`."""
        control = EpisodeControl(
            self._attendance.policy, paused=self._attendance.paused, outside=self.side_effects
        )
        effects, patience, played = self.side_effects, self._attendance.patience, None
        if patience is not None:
            played = PlayedColleagues(control, patience, self.side_effects)
            effects = {**effects, **played.side_effects}
        self._episodes[world] = AttendedEpisode(control, played)
        async with await World.open(world) as opened, control.attending(opened, person):
            server = await build_office_server(opened, person, side_effects=effects, gate=control)
            async with Client(server, raise_exceptions=True) as client:
                yield client
