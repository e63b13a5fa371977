"""Endpoints for folders of runs: open one more, and look again into those that are open.

A path comes from the page here, and from nowhere else: it is posted, so the guard lets it in from
this page alone, and it leads to runs and to nothing else.
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


class WantedFolder(BaseModel):
    """A folder to open, as somebody typed it."""

    path: str = Field(min_length=1, max_length=4_000)


class NothingWanted(BaseModel):
    """A request that needs no more than its address."""


class OpenedFolder(BaseModel):
    """The numbers of the runs in a folder that was opened."""

    path: str
    runs: tuple[int, ...]


class Rescanned(BaseModel):
    """How many runs are new, and how many there are."""

    new: int
    runs: int


class FolderEndpoints:
    """The endpoints over *runs*."""

    def __init__(self, runs: ShownRuns):
        self._runs = runs

    def routes(self) -> list[Route]:
        """Where each is."""
        return [
            Route("/api/folders", answering(self._open), methods=["POST"]),
            Route("/api/folders/rescan", answering(self._rescan), methods=["POST"]),
        ]

    async def _open(self, request: Request) -> Response:
        wanted = await read_body(request, WantedFolder)
        path = _typed(wanted.path)
        runs = self._runs.open_folder(path)
        return json_answer(
            OpenedFolder(path=shown_path(path), runs=tuple(run.number for run in runs))
        )

    async def _rescan(self, request: Request) -> Response:
        await read_body(request, NothingWanted)
        new = self._runs.rescan()
        return json_answer(Rescanned(new=new, runs=len(self._runs.refresh())))


def _typed(text: str) -> Path:
    """The path that somebody typed, perhaps with ~ for the home folder. Raises CannotOpen."""
    typed = text.strip()
    if not typed:
        raise CannotOpen("Type the path of a folder.")
    try:
        return Path(typed).expanduser()
    except RuntimeError:
        raise CannotOpen(f"{typed} names no home folder on this machine.") from None


class WantedFlag(BaseModel):
    """A flag to be put on a step, in place of the one that is there."""

    step: int = Field(ge=1)
    note: str = Field(default="", max_length=MOST_CHARACTERS)


class UnwantedFlag(BaseModel):
    """A flag that is to be removed."""

    step: int = Field(ge=1)


class ShownFlags(BaseModel):
    """The flags of an episode; ``flaw`` says why there can be none."""

    flags: tuple[StepFlag, ...]
    flaw: str = ""


class FlagEndpoints:
    """The endpoints over the episodes of *runs*, whose steps their *histories* know."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Where each is."""
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
        wanted = await read_body(request, WantedFlag)
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
        wanted = await read_body(request, UnwantedFlag)
        return json_answer(ShownFlags(flags=flags_of(episode).remove(episode.name, wanted.step)))

    async def _asked(self, request: Request) -> ShownEpisode:
        episode = self._runs.episode(request.path_params["episode"])
        await self._runs.look_into(episode)
        return episode


def flags_of(episode: ShownEpisode) -> StepFlags:
    """The flags of the run of *episode*. Raises FlagsNotKept for a world file by itself."""
    if episode.spec is None:
        raise FlagsNotKept("Flags are kept in the folder of a run, and this is a world by itself.")
    return StepFlags(episode.run.path)


def shown_flags(episode: ShownEpisode) -> ShownFlags:
    """The flags of *episode*, or why there are none that can be read."""
    try:
        return ShownFlags(flags=flags_of(episode).read(episode.name))
    except FlagsNotKept as error:
        return ShownFlags(flags=(), flaw=str(error))
