"""Endpoints for folders of runs: open another folder, and look for new runs in the open ones.

A path can come only from this page: it is posted, so the guard rejects other pages. It opens runs
and nothing else.
"""

from __future__ import annotations

from pathlib import Path

from anyio.to_thread import run_sync
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.records.side_files import (
    MOST_CHARACTERS,
    MOST_TOOL_CHARACTERS,
    FlagsNotKept,
    StepFlag,
    StepFlags,
)
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.opened_run import ShownEpisode, shown_path
from trainee_bench.harness.studio.requests import answering, json_answer, read_body
from trainee_bench.harness.studio.runs import CannotOpen, ShownRuns


class FolderRequest(BaseModel):
    """A folder to open, as a person typed it."""

    path: str = Field(min_length=1, max_length=4_000)


class EmptyRequest(BaseModel):
    """A request whose body has no fields."""


class OpenedFolder(BaseModel):
    """The numbers of the runs in the folder that was opened."""

    path: str
    runs: tuple[int, ...]


class Rescanned(BaseModel):
    """The number of new runs and of all runs."""

    new: int
    runs: int


class FolderEndpoints:
    """The endpoints that open folders of *runs*."""

    def __init__(self, runs: ShownRuns):
        self._runs = runs

    def routes(self) -> list[Route]:
        """Return their routes."""
        return [
            Route("/api/folders", answering(self._open), methods=["POST"]),
            Route("/api/folders/rescan", answering(self._rescan), methods=["POST"]),
        ]

    async def _open(self, request: Request) -> Response:
        wanted = await read_body(request, FolderRequest)
        path = _typed(wanted.path)
        runs = self._runs.open_folder(path)
        return json_answer(
            OpenedFolder(path=shown_path(path), runs=tuple(run.number for run in runs))
        )

    async def _rescan(self, request: Request) -> Response:
        await read_body(request, EmptyRequest)
        new = self._runs.rescan()
        return json_answer(Rescanned(new=new, runs=len(self._runs.refresh())))


def _typed(text: str) -> Path:
    """Return the path that a person typed, where ~ is the home folder. Raises CannotOpen."""
    typed = text.strip()
    if not typed:
        raise CannotOpen("Type the path of a folder.")
    try:
        return Path(typed).expanduser()
    except RuntimeError:
        raise CannotOpen(f"{typed} is not a home folder on this machine.") from None


class FlagRequest(BaseModel):
    """A flag to put on a step; it replaces an existing one."""

    step: int = Field(ge=1)
    note: str = Field(default="", max_length=MOST_CHARACTERS)


class FlagRemoval(BaseModel):
    """A flag to remove."""

    step: int = Field(ge=1)


class ShownFlags(BaseModel):
    """The flags of an episode; ``flaw`` says why it cannot have any."""

    flags: tuple[StepFlag, ...]
    flaw: str = ""


class FlagEndpoints:
    """The endpoints for flags on the steps of *runs*; *histories* tell which steps there are."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Return their routes."""
        flags = "/api/episodes/{episode}/flags"
        return [
            Route(flags, answering(self._show)),
            Route(flags, answering(self._put), methods=["POST"]),
            Route(f"{flags}/remove", answering(self._remove), methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        episode = await self._asked(request)
        return json_answer(await run_sync(shown_flags, episode))

    async def _put(self, request: Request) -> Response:
        episode = await self._asked(request)
        wanted = await read_body(request, FlagRequest)
        history = await self._histories.shown_in(self._runs, episode)
        entry = history.entry(wanted.step)
        flag = StepFlag(
            step=wanted.step,
            tool=entry.tool[:MOST_TOOL_CHARACTERS],
            at=entry.until,
            note=wanted.note.strip(),
        )
        return json_answer(ShownFlags(flags=flags_of(episode).put(episode.name, flag)))

    async def _remove(self, request: Request) -> Response:
        episode = await self._asked(request)
        wanted = await read_body(request, FlagRemoval)
        return json_answer(ShownFlags(flags=flags_of(episode).remove(episode.name, wanted.step)))

    async def _asked(self, request: Request) -> ShownEpisode:
        episode = self._runs.episode(request.path_params["episode"])
        await self._runs.look_into(episode)
        return episode


def flags_of(episode: ShownEpisode) -> StepFlags:
    """Return the flags of the run of *episode*. Raises FlagsNotKept for a single world file."""
    if episode.spec is None:
        raise FlagsNotKept("Flags are saved in a run's folder, but this is a single world file.")
    return StepFlags(episode.run.path)


def shown_flags(episode: ShownEpisode) -> ShownFlags:
    """Return the flags of *episode*, or the reason why they cannot be read."""
    try:
        return ShownFlags(flags=flags_of(episode).read(episode.name))
    except FlagsNotKept as error:
        return ShownFlags(flags=(), flaw=str(error))
