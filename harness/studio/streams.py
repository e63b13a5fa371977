"""Live streams as server-sent events: the calls of one episode, or of all running ones.

    event: calls      further actions        event: again    the episode started again
    event: state      the episode's state    event: running  the running episodes

A browser opens at most six connections to an address, so many episodes share one stream. It
reconnects by itself with the id of the last event that it got: the number of an action.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import monotonic

import anyio
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from trainee_bench.harness.studio.call_lines import ListedCall, ListedCalls, call_line
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.jobs import StudioJobs
from trainee_bench.harness.studio.opened_run import (
    EpisodeState,
    NoSuchEpisode,
    NoWorldYet,
    ScoreMark,
    ShownEpisode,
)
from trainee_bench.harness.studio.requests import answering
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.world.errors import WorldFileError

POLL_SECONDS = 0.05
ALIVE_SECONDS = 15.0
STILL_HERE = ": still here\n\n"


def event(name: str, data: BaseModel | None, id: int | None = None) -> str:
    """Return an event with this name. JSON has no line breaks, so the data is one line."""
    lines = [f"event: {name}", f"data: {data.model_dump_json() if data is not None else '{}'}"]
    if id is not None:
        lines.insert(0, f"id: {id}")
    return "\n".join(lines) + "\n\n"


def event_stream(events: AsyncIterator[str]) -> Response:
    """Return the response that sends *events*."""
    return StreamingResponse(_until_interrupted(events), media_type="text/event-stream")


async def _until_interrupted(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield *events* until an interrupt arrives during a long load; the main task handles it."""
    with suppress(KeyboardInterrupt):
        async for text in events:
            yield text


_LOOK_SECONDS = 0.5
"""The interval in seconds at which running episodes are looked for."""
_LATEST = 6
"""The number of an episode's last calls that the overview shows."""


class LiveState(BaseModel):
    """The state of an episode."""

    state: EpisodeState
    score: float | None
    steps: int


class LiveEpisode(BaseModel):
    """An episode in the live overview, with its last calls."""

    episode: str
    run_name: str
    scenario: str
    day: str
    agent: str
    state: EpisodeState
    score: float | None
    marks: tuple[ScoreMark, ...]
    steps: int
    latest: tuple[ListedCall, ...]
    day_starts: datetime | None
    day_ends: datetime | None
    written: float | None
    """When its world was last written to, in seconds since 1970."""
    waits_for: str
    """The action that its agent is waiting for a person here to take; "" if none."""


class LiveOverview(BaseModel):
    """The running episodes, and those that ended while being watched."""

    episodes: tuple[LiveEpisode, ...]


class LiveStreams:
    """The streams over *runs* and their *histories*; people attend the episodes of *jobs*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories, jobs: StudioJobs):
        self._runs = runs
        self._histories = histories
        self._jobs = jobs

    def routes(self) -> list[Route]:
        """Return their routes."""
        return [
            Route("/api/live/events", answering(self._overview)),
            Route("/api/episodes/{episode}/events", answering(self._episode)),
        ]

    async def _episode(self, request: Request) -> Response:
        key = request.path_params["episode"]
        self._runs.episode(key)
        given = request.headers.get("last-event-id") or request.query_params.get("after", "0")
        after = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0
        return event_stream(self._follow(key, after))

    async def _follow(self, key: str, after: int) -> AsyncIterator[str]:
        """Yield the calls of one episode after *after*, until it is over."""
        history: EpisodeHistory | None = None
        state: EpisodeState | None = None
        looked = spoke = 0.0
        while True:
            now = monotonic()
            if now - looked >= _LOOK_SECONDS or history is None or history.replaced:
                looked = now
                try:
                    episode = self._runs.episode(key)
                except NoSuchEpisode:  # a world file that is just starting again
                    await anyio.sleep(POLL_SECONDS)
                    continue
                before, history = history, await self._opened(episode)
                if before is not None and history is not None and before.replaced:
                    after = 0
                    yield event("again", None)
                if episode.state is not state:
                    state, spoke = episode.state, now
                    yield event("state", _live_state(episode, history))
            if history is not None:
                history.catch_up()
                fresh = history.entries[after:]
                if fresh:
                    after, spoke = len(history.entries), now
                    calls = ListedCalls(calls=tuple(map(call_line, fresh)), total=after)
                    yield event("calls", calls, after)
            if state in (EpisodeState.DONE, EpisodeState.BROKEN):
                return
            if now - spoke >= ALIVE_SECONDS:
                spoke = now
                yield STILL_HERE
            await anyio.sleep(POLL_SECONDS)

    async def _opened(self, episode: ShownEpisode) -> EpisodeHistory | None:
        """Return the history of *episode*, None while it has no world or must not be shown."""
        with suppress(NoWorldYet, WorldFileError):  # not begun, or just removed
            return await self._histories.shown_in(self._runs, episode)
        return None

    async def _overview(self, request: Request) -> Response:
        return event_stream(self._watch_all())

    async def _watch_all(self) -> AsyncIterator[str]:
        """Yield the running and the just ended episodes, all of them after each change."""
        shown: dict[str, LiveEpisode] = {}
        looked = spoke = 0.0
        sent: LiveOverview | None = None
        while True:
            now = monotonic()
            if now - looked >= _LOOK_SECONDS:
                looked = now
                for episode in self._runs.running():
                    shown.setdefault(episode.key, _live_episode(episode, None, ""))
            for key, before in shown.items():
                if before.state in (EpisodeState.RUNNING, EpisodeState.WAITING):
                    episode = self._runs.episode(key)
                    opened = await self._opened(episode)
                    shown[key] = _live_episode(episode, opened, self._waits_for(episode))
            overview = LiveOverview(episodes=tuple(shown.values()))
            if overview != sent:
                sent, spoke = overview, now
                yield event("running", overview)
            elif now - spoke >= ALIVE_SECONDS:
                spoke = now
                yield STILL_HERE
            await anyio.sleep(POLL_SECONDS)

    def _waits_for(self, episode: ShownEpisode) -> str:
        attended = self._jobs.attended(episode.world)
        running = attended is not None and episode.state is EpisodeState.RUNNING
        return attended.waits_for if attended is not None and running else ""


def _live_state(episode: ShownEpisode, history: EpisodeHistory | None) -> LiveState:
    score = episode.result.score if episode.result is not None else None
    steps = len(history.entries) if history is not None else 0
    return LiveState(state=episode.state, score=score, steps=steps)


def _live_episode(
    episode: ShownEpisode, history: EpisodeHistory | None, waits_for: str
) -> LiveEpisode:
    spec, entries = episode.spec, history.entries if history is not None else []
    return LiveEpisode(
        episode=episode.key,
        run_name=episode.run.name,
        scenario=spec.scenario.name if spec else episode.name,
        day=spec.day_name if spec else "",
        agent=spec.agent if spec else "",
        state=episode.state,
        score=episode.result.score if episode.result is not None else None,
        marks=episode.marks,
        steps=len(entries),
        latest=tuple(call_line(entry) for entry in entries[-_LATEST:]),
        day_starts=history.day.starts if history is not None else None,
        day_ends=history.day.ends if history is not None else None,
        written=_last_written(episode.world),
        waits_for=waits_for,
    )


def _last_written(world: Path) -> float | None:
    """Return when the world was last written to, in seconds since 1970. Its newest rows are in the
    file beside it."""
    found = []
    for file in (world, world.with_name(f"{world.name}-wal")):
        with suppress(OSError):
            found.append(file.stat().st_mtime)
    return max(found, default=None)
