"""Endpoints for the overview of a run: the tasks behind its cells, its flags and its documents."""

from __future__ import annotations

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from trainee_bench.harness.studio.exported_page import DOCUMENT_POLICY, EXPERIMENT, document_file
from trainee_bench.harness.studio.opened_run import (
    NoSuchEpisode,
    NoWorldYet,
    OpenedRun,
    ShownEpisode,
)
from trainee_bench.harness.studio.requests import answering, json_answer
from trainee_bench.harness.studio.run_overview import RunOverviews, run_flags, worked_tasks
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.shown_days import day_key
from trainee_bench.world.errors import WorldFileError

_NOT_THERE = (
    "There is no such document. The commands trainee-bench run and worth write a run's report.\n"
)


class OverviewEndpoints:
    """The endpoints that summarize *runs*."""

    def __init__(self, runs: ShownRuns):
        self._runs = runs
        self._overviews = RunOverviews()

    def routes(self) -> list[Route]:
        """Return their routes."""
        run = "/api/runs/{run:int}"
        return [
            Route(f"{run}/overview", answering(self._overview)),
            Route(f"{run}/tasks", answering(self._tasks)),
            Route(f"{run}/flags", answering(self._flags)),
            Route("/documents/{run:int}/{name:path}", answering(self._document)),
        ]

    async def _overview(self, request: Request) -> Response:
        run = self._run(request)
        return json_answer(await run_sync(self._overviews.of, run, self._runs.folders))

    async def _tasks(self, request: Request) -> Response:
        asked = request.query_params
        agent, family = asked.get("agent", ""), asked.get("family", "")
        return json_answer(worked_tasks(self._run(request), agent, family))

    async def _flags(self, request: Request) -> Response:
        """Return the flags of a run. Their notes describe days, so those days now count as
        shown."""
        shown = [
            episode for episode in flagged(self._run(request)) if await self._may_show(episode)
        ]
        return json_answer(await run_sync(run_flags, shown))

    async def _document(self, request: Request) -> Response:
        run, name = self._run(request), request.path_params["name"]
        file = document_file(run, name, self._runs.folders)
        if file is None:
            return PlainTextResponse(_NOT_THERE, 404)
        if name != EXPERIMENT:  # the experiment's page only has figures
            try:
                await self._show_days(run)
            except (NoWorldYet, WorldFileError) as error:
                return PlainTextResponse(f"{error}\n", 409)
        headers = {"content-security-policy": DOCUMENT_POLICY}
        try:
            text = await run_sync(file.read_bytes)
        except OSError as error:
            return PlainTextResponse(f"{name} cannot be read: {error.strerror}.\n", 409)
        return Response(text, headers=headers, media_type="text/html")

    async def _show_days(self, run: OpenedRun) -> None:
        """Record that all finished days of *run* are being shown."""
        over = [episode for episode in run.episodes() if episode.result is not None]
        different = {
            day_key(episode.spec.scenario, episode.spec.day): episode
            for episode in over
            if episode.spec is not None
        }
        for episode in different.values():
            await self._runs.show_day(episode)

    async def _may_show(self, episode: ShownEpisode) -> bool:
        try:
            await self._runs.look_into(episode)
        except (NoWorldYet, WorldFileError):
            return False
        return True

    def _run(self, request: Request) -> OpenedRun:
        """Return the requested run. Raises NoSuchEpisode, also for a single world file."""
        run = self._runs.run(request.path_params["run"])
        if run.path.is_file():
            raise NoSuchEpisode(f"{run.name} is a single world file, not a run.")
        return run


def flagged(run: OpenedRun) -> tuple[ShownEpisode, ...]:
    """Return the episodes of *run* that have a file of flags."""
    names = {file.stem for file in (run.path / "flags").glob("*.json")}
    if not names:
        return ()
    return tuple(episode for episode in run.episodes() if episode.name in names)
