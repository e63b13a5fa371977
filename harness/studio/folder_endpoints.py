"""Endpoints for folders of runs: open one more, and look again into those that are open.

A path comes from the page here, and from nowhere else: it is posted, so the guard lets it in from
this page alone, and it leads to runs and to nothing else.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.studio.opened_run import shown_path
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
