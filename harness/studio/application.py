"""The studio's application: the page and its endpoints behind the guard.

browser ──► StudioGuard ──► KeyMask ──► page · LiveStreams · SeatEndpoints ──► Seats
                                    ├── Reading-, Conversation-, Difference-, HonestEndpoints
                                    ├── Overview-, Flag-, FolderEndpoints
                                    ├── GuidingEndpoints · StartingEndpoints ──► StudioJobs
                                    └── WorthEndpoints ──► WorthJobs
                                                    └── ShownRuns, EpisodeHistories
"""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from trainee_bench.harness.studio.endpoints import ReadingEndpoints
from trainee_bench.harness.studio.folder_endpoints import FlagEndpoints, FolderEndpoints
from trainee_bench.harness.studio.guard import StudioGuard, StudioKey
from trainee_bench.harness.studio.guiding import GuidingEndpoints
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.jobs import StudioJobs
from trainee_bench.harness.studio.overview_endpoints import OverviewEndpoints
from trainee_bench.harness.studio.page import POLICY, index, static_file
from trainee_bench.harness.studio.reading_endpoints import (
    ConversationEndpoints,
    DifferenceEndpoints,
    HonestEndpoints,
    WorthEndpoints,
)
from trainee_bench.harness.studio.requests import KeyMask
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.seat_endpoints import SeatEndpoints
from trainee_bench.harness.studio.seats import Seats
from trainee_bench.harness.studio.starting import StartingEndpoints
from trainee_bench.harness.studio.streams import LiveStreams
from trainee_bench.harness.studio.worth_jobs import WorthJobs


def build_studio(
    runs: ShownRuns,
    histories: EpisodeHistories,
    key: StudioKey,
    jobs: StudioJobs | None = None,
    seats: Seats | None = None,
    worths: WorthJobs | None = None,
) -> ASGIApp:
    """The application that shows *runs* to whoever has *key*, and lets people take *seats*; what it
    starts are *jobs*, and *worths* compute what steps were worth."""
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
        *SeatEndpoints(seats or Seats(runs), runs, histories).routes(),
    )
    inner = Starlette(routes=routes, exception_handlers={404: _missing, 405: _missing})
    return StudioGuard(KeyMask(inner), key, POLICY)


async def _missing(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "There is nothing at this address."}, 404)
