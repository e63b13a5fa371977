"""Endpoints for the worth of each step of an episode: show it, compute it, stop computing.

It is computed when its page is opened or somebody asks for it.
"""

from __future__ import annotations

from anyio.to_thread import run_sync
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.studio.guidance import NotNow
from trainee_bench.harness.studio.opened_run import ShownEpisode
from trainee_bench.harness.studio.requests import answering, json_answer, read_body
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.shown_worth import ShownWorth, WorthState, shown_worth
from trainee_bench.harness.studio.worth_jobs import WorthJobs


class WantedWorth(BaseModel):
    """A request to compute values; *unasked* if the page makes it by itself."""

    unasked: bool = False


class WorthEndpoints:
    """The endpoints over the episodes of *runs*; *jobs* compute."""

    def __init__(self, runs: ShownRuns, jobs: WorthJobs):
        self._runs = runs
        self._jobs = jobs

    def routes(self) -> list[Route]:
        """Where each is."""
        worth = "/api/episodes/{episode}/worth"
        return [
            Route(worth, answering(self._show)),
            Route(worth, answering(self._compute), methods=["POST"]),
            Route(f"{worth}/stop", answering(self._stop), methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        return json_answer(await self._shown(await self._asked(request)))

    async def _compute(self, request: Request) -> Response:
        episode = await self._asked(request)
        wanted = await read_body(request, WantedWorth)
        shown = await self._shown(episode)
        if shown.state is WorthState.IMPOSSIBLE:
            raise NotNow(shown.why)
        if shown.unasked if wanted.unasked else shown.state is not WorthState.STORED:
            self._jobs.begin(episode, unasked=wanted.unasked)
        return json_answer(await self._shown(episode))

    async def _stop(self, request: Request) -> Response:
        episode = await self._asked(request)
        self._jobs.stop(episode)
        return json_answer(await self._shown(episode))

    async def _asked(self, request: Request) -> ShownEpisode:
        episode = self._runs.episode(request.path_params["episode"])
        await self._runs.show_day(episode)
        return episode

    async def _shown(self, episode: ShownEpisode) -> ShownWorth:
        job = self._jobs.of(episode)  # asked first: what is done by then is stored by then
        return await run_sync(shown_worth, episode, job)
