"""The endpoints of the page "Office": own offices, their tasks, and worlds in which claims broke.

An office's folder is read again when its page is loaded, so that an author sees what was edited.
"""

from __future__ import annotations

from anyio.to_thread import run_sync
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.records.office_certificates import KeptCertificate, read_certificates
from trainee_bench.harness.records.tried_world import TriedWorld
from trainee_bench.harness.studio.derived_endpoints import honest_work
from trainee_bench.harness.studio.office_facts import office_list, office_page, task_page
from trainee_bench.harness.studio.office_worlds import OfficeWorlds, compose_task
from trainee_bench.harness.studio.opened_run import NoSuchEpisode
from trainee_bench.harness.studio.requests import answering, json_answer, read_body, read_number
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import open_offices, reread_office
from trainee_bench.meta_tasks.task_context import CompositionError


class WorldRequest(BaseModel):
    """A world to open: the morning of the office without a ``task``; else the task's day at
    ``seed``. With a ``claim``, the world in which its certificate's flaw number ``flaw`` broke."""

    task: str = ""
    seed: int = Field(default=0, ge=0, le=999_999_999)
    claim: str = ""
    flaw: int = Field(default=0, ge=0)


class OpenedWorld(BaseModel):
    """The episode that shows the world."""

    episode: str


class OfficeEndpoints:
    """The endpoints for the open offices. *worlds* stages their days, which *runs* then shows."""

    def __init__(self, runs: ShownRuns, worlds: OfficeWorlds):
        self._runs = runs
        self._worlds = worlds

    def routes(self) -> list[Route]:
        """Return their routes."""
        office = "/api/offices/{office}"
        return [
            Route("/api/offices", answering(self._list)),
            Route(office, answering(self._show)),
            Route(f"{office}/tasks/{{task}}", answering(self._task)),
            Route(f"{office}/tasks/{{task}}/honest", answering(self._honest)),
            Route(f"{office}/worlds", answering(self._open), methods=["POST"]),
        ]

    async def _list(self, request: Request) -> Response:
        return json_answer(await run_sync(office_list))

    async def _show(self, request: Request) -> Response:
        office = await self._office(request)
        return json_answer(await run_sync(office_page, office))

    async def _task(self, request: Request) -> Response:
        office, seed = await self._office(request), read_number(request, "seed", 0)
        task = _task_name(office, request.path_params["task"])
        day = await run_sync(_composed, office, task, seed)
        return json_answer(await run_sync(task_page, office, task, seed, day))

    async def _honest(self, request: Request) -> Response:
        office, seed = await self._office(request), read_number(request, "seed", 0)
        task = _task_name(office, request.path_params["task"])
        composition = await run_sync(compose_task, office, task, TriedWorld(seed))
        return json_answer(await run_sync(honest_work, composition))

    async def _open(self, request: Request) -> Response:
        office = await self._office(request)
        wanted = await read_body(request, WorldRequest)
        if not wanted.task:
            return json_answer(OpenedWorld(episode=(await self._worlds.morning(office)).key))
        task = _task_name(office, wanted.task)
        world, why = _broken_in(office, wanted) if wanted.claim else (TriedWorld(wanted.seed), "")
        episode = await self._worlds.day(office, task, world, why)
        return json_answer(OpenedWorld(episode=episode.key))

    async def _office(self, request: Request) -> Office:
        """Return the office of the address, whose answers now count as shown."""
        name = request.path_params["office"]
        if name not in open_offices():
            raise NoSuchEpisode(
                "There is no such office here. Open one with trainee-bench studio --office FOLDER."
            )
        self._runs.show_office(name)
        return await run_sync(reread_office, name)


def _task_name(office: Office, name: str) -> str:
    if name not in office.tasks:
        raise NoSuchEpisode(f"{office.company.name} has no task of this name.")
    return name


def _composed(office: Office, task: str, seed: int) -> ComposedDay | str:
    """Return the day of a task, or the reason why there is none."""
    try:
        return compose_task(office, task, TriedWorld(seed))
    except CompositionError as error:
        return str(error)


def _broken_in(office: Office, wanted: WorldRequest) -> tuple[TriedWorld, str]:
    """Return the world in which a claim broke, and how it did. Raises NoSuchEpisode."""
    kept: KeptCertificate | None = read_certificates(office).get(f"{office.name}.{wanted.task}")
    claims = kept.broken if kept is not None else ()
    flaws = next((claim.flaws for claim in claims if claim.name == wanted.claim), ())
    flaw = flaws[wanted.flaw] if wanted.flaw < len(flaws) else None
    if flaw is None or flaw.world is None:
        raise NoSuchEpisode("The last certificate names no such world; load the page again.")
    return flaw.world, f"{wanted.claim} broke: {flaw.text}"
