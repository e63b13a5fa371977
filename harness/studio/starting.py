"""Endpoints that start runs and forks, list them, and stop them."""

from __future__ import annotations

from collections.abc import Iterator

from anyio.to_thread import run_sync
from pydantic import BaseModel, TypeAdapter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.batch.forecast import Forecast
from trainee_bench.harness.studio.approval import DEFAULT_POLICY, ApprovalPolicy
from trainee_bench.harness.studio.forks import ForkRequest, create_fork
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.jobs import (
    JobLine,
    JobState,
    StudioJob,
    StudioJobs,
    WaitingEpisode,
)
from trainee_bench.harness.studio.opened_run import OpenedRun
from trainee_bench.harness.studio.requests import answering, json_answer, read_body
from trainee_bench.harness.studio.run_requests import (
    StartChoices,
    StartRequest,
    forecast,
    start_choices,
)
from trainee_bench.harness.studio.runs import ShownRuns

_FORECASTS = TypeAdapter(list[Forecast])


class StartPage(BaseModel):
    """The choices for a new run, and the proposed approval policy."""

    choices: StartChoices
    policy: ApprovalPolicy


class StartedJobs(BaseModel):
    """The runs that this studio has started."""

    jobs: tuple[JobLine, ...]


class StartedRun(BaseModel):
    """A run that has begun: its job number, its number among the runs, and its first episode."""

    job: int
    run: int
    episode: str


class StartingEndpoints:
    """The endpoints that start *runs* as *jobs*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories, jobs: StudioJobs):
        self._runs = runs
        self._histories = histories
        self._jobs = jobs

    def routes(self) -> list[Route]:
        """Return their routes."""
        return [
            Route("/api/start", answering(self._choices)),
            Route("/api/start", answering(self._start), methods=["POST"]),
            Route("/api/start/forecast", answering(self._forecast), methods=["POST"]),
            Route("/api/jobs", answering(self._list_jobs)),
            Route("/api/jobs/{job:int}/stop", answering(self._stop), methods=["POST"]),
            Route("/api/episodes/{episode}/fork", answering(self._fork), methods=["POST"]),
        ]

    async def _choices(self, request: Request) -> Response:
        return json_answer(StartPage(choices=await run_sync(start_choices), policy=DEFAULT_POLICY))

    async def _forecast(self, request: Request) -> Response:
        wanted = await read_body(request, StartRequest)
        plan = await run_sync(lambda: wanted.plan(dry=True))
        found = _FORECASTS.dump_json(await forecast(plan))
        return Response(found, media_type="application/json")

    async def _start(self, request: Request) -> Response:
        wanted = await read_body(request, StartRequest)
        run = await run_sync(wanted.create, self._runs.home)
        return self._begun(self._jobs.start(run, wanted.attendance))

    async def _fork(self, request: Request) -> Response:
        wanted = await read_body(request, ForkRequest)
        episode = self._runs.episode(request.path_params["episode"])
        history = await self._histories.shown_in(self._runs, episode)
        run = await create_fork(history, wanted, self._runs.home)
        return self._begun(self._jobs.start(run, wanted.attendance))

    async def _list_jobs(self, request: Request) -> Response:
        return json_answer(StartedJobs(jobs=tuple(self._line(job) for job in self._jobs.all())))

    async def _stop(self, request: Request) -> Response:
        job = self._jobs.job(request.path_params["job"])
        job.stop()
        return json_answer(self._line(job))

    def _line(self, job: StudioJob) -> JobLine:
        run, line = (
            self._runs.show(job.path),
            job.line(),
        )  # take the line once: other threads change it
        waiting = tuple(_waiting(job, run)) if line.state is JobState.RUNNING else ()
        return line.model_copy(update={"run": run.number, "waiting": waiting})

    def _begun(self, job: StudioJob) -> Response:
        run = self._runs.show(job.path)
        return json_answer(StartedRun(job=job.number, run=run.number, episode=f"{run.number}-0"))


def _waiting(job: StudioJob, run: OpenedRun) -> Iterator[WaitingEpisode]:
    """Yield the episodes of *run* in which an agent waits for a person."""
    for episode in run.episodes():
        attended = job.attended(episode.world)
        if attended is not None and episode.spec is not None and attended.waits_for:
            yield WaitingEpisode(
                episode=episode.key,
                agent=episode.spec.agent,
                scenario=episode.spec.scenario.name,
                why=attended.waits_for,
            )
