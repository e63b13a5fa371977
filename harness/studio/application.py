"""The studio's application (its page and endpoints behind the guard) and the local server that
runs it until it is interrupted.

async with StudioServer(runs) as studio:
    …  # open studio.address in a browser

browser ──► StudioGuard ──► KeyMask ──► page · LiveStreams · SeatEndpoints ──► Seats
                                    ├── Reading-, Conversation-, Difference-, HonestEndpoints
                                    ├── Overview-, Flag-, FolderEndpoints
                                    ├── OfficeEndpoints ──► OfficeWorlds
                                    ├── GuidingEndpoints · StartingEndpoints ──► StudioJobs
                                    └── WorthEndpoints ──► WorthJobs
                                                    └── ShownRuns, EpisodeHistories
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from trainee_bench.harness.batch.benchmarks import LoadedBenchmark
from trainee_bench.harness.studio.derived_endpoints import (
    ConversationEndpoints,
    DifferenceEndpoints,
    HonestEndpoints,
    WorthEndpoints,
)
from trainee_bench.harness.studio.episode_endpoints import ReadingEndpoints
from trainee_bench.harness.studio.folder_endpoints import FlagEndpoints, FolderEndpoints
from trainee_bench.harness.studio.guard import StudioGuard, StudioKey
from trainee_bench.harness.studio.guiding import GuidingEndpoints
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.jobs import StudioJobs
from trainee_bench.harness.studio.office_endpoints import OfficeEndpoints
from trainee_bench.harness.studio.office_worlds import OfficeWorlds
from trainee_bench.harness.studio.overview_endpoints import OverviewEndpoints
from trainee_bench.harness.studio.page import POLICY, index, static_file
from trainee_bench.harness.studio.requests import KeyMask
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seat_endpoints import SeatEndpoints
from trainee_bench.harness.studio.seats import Seats
from trainee_bench.harness.studio.starting import StartingEndpoints
from trainee_bench.harness.studio.streams import LiveStreams
from trainee_bench.harness.studio.worth_jobs import WorthJobs
from trainee_bench.mcp_servers.serving.connections import connection_limit
from trainee_bench.mcp_servers.serving.embedded import (
    EmbeddedUvicorn,
    bounded_config,
    listening_socket,
)


def build_studio(
    runs: ShownRuns,
    histories: EpisodeHistories,
    key: StudioKey,
    jobs: StudioJobs | None = None,
    seats: Seats | None = None,
    worths: WorthJobs | None = None,
    offices: OfficeWorlds | None = None,
) -> ASGIApp:
    """Build the application that shows *runs* to every browser with *key* and lets people take
    *seats*. Its endpoints start *jobs*, *worths* compute the value of steps, and *offices* stage
    days of own offices."""
    jobs = jobs or StudioJobs()
    routes: Sequence[Route] = (
        Route("/", index),
        Route("/static/{path:path}", static_file),
        *ReadingEndpoints(runs, histories).routes(),
        *OverviewEndpoints(runs).routes(),
        *FlagEndpoints(runs, histories).routes(),
        *FolderEndpoints(runs).routes(),
        *LiveStreams(runs, histories, jobs).routes(),
        *GuidingEndpoints(runs, histories, jobs).routes(),
        *StartingEndpoints(runs, histories, jobs).routes(),
        *ConversationEndpoints(runs, histories).routes(),
        *DifferenceEndpoints(runs, histories).routes(),
        *HonestEndpoints(runs, histories).routes(),
        *WorthEndpoints(runs, worths or WorthJobs()).routes(),
        *OfficeEndpoints(runs, offices or OfficeWorlds(runs)).routes(),
        *SeatEndpoints(seats or Seats(runs), runs, histories).routes(),
    )
    inner = Starlette(routes=routes, exception_handlers={404: _missing, 405: _missing})
    return StudioGuard(KeyMask(inner), key, POLICY)


async def _missing(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "There is nothing at this address."}, 404)


_HOST = "127.0.0.1"
"""Only this machine reaches it; from another machine, forward the port with ssh -L."""
_LAST_REQUESTS = 1
"""Seconds that open streams have to end when the studio closes."""


class StudioServer:
    """A studio of *runs* on a local *port* (0 picks a free one). People may take seats on the days
    of the shipped benchmarks and of their *own* ones.

    Raises OSError on entering if the port is taken.
    """

    def __init__(self, runs: ShownRuns, port: int = 0, own: Sequence[LoadedBenchmark] = ()):
        self._runs = runs
        self._seats = Seats(runs, own)
        self._wanted = port

    async def __aenter__(self) -> Self:
        listener = listening_socket(_HOST, self._wanted)
        self.key = StudioKey(int(listener.getsockname()[1]))
        self._histories = EpisodeHistories()
        self._jobs = StudioJobs()
        self._worths = WorthJobs()
        self._offices = OfficeWorlds(self._runs)
        app = build_studio(
            self._runs,
            self._histories,
            self.key,
            self._jobs,
            self._seats,
            self._worths,
            self._offices,
        )
        config = bounded_config(app, connection_limit())
        self._uvicorn = EmbeddedUvicorn(config, _LAST_REQUESTS)
        self._running = asyncio.create_task(self._uvicorn.serve(sockets=[listener]))
        self._releasing = asyncio.create_task(self._histories.release_unused())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._uvicorn.should_exit = True
        await self._running
        await run_sync(self._jobs.close)
        await run_sync(self._worths.close)
        await self._seats.close()
        self._releasing.cancel()
        self._histories.close()
        self._offices.close()

    @property
    def address(self) -> str:
        """The address to open, including the token that admits a browser."""
        return self.key.address

    @property
    def single_use_address(self) -> str:
        """The address to start a browser with; its token works once."""
        return self.key.single_use_address
