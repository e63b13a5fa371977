"""What the page asks for, as JSON: runs, episodes, steps, states, comparisons.

Errors are ``{"error": …}``. Nothing here changes anything. Endpoints that act (guidance, a person's
seat, starting runs) belong into modules of their own beside this one; `application` joins them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from anyio.to_thread import run_sync
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from trainee_bench.harness.studio.call_lines import (
    ListedCalls,
    call_line,
    find_calls,
    step_details,
)
from trainee_bench.harness.studio.comparison import AlignedEpisodes, align_logs
from trainee_bench.harness.studio.episode_facts import (
    EpisodeFacts,
    UnknownView,
    app_state,
    change_origin,
    episode_facts,
    episode_timeline,
)
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.run_tables import RunList, run_line, run_table
from trainee_bench.harness.studio.runs import NoSuchEpisode, NoWorldYet, ShownEpisode, ShownRuns
from trainee_bench.harness.studio.states import NoSuchState
from trainee_bench.harness.studio.views import ViewRequest
from trainee_bench.harness.studio.views.files import read_picture
from trainee_bench.world.errors import WorldError, WorldFileError

Endpoint = Callable[[Request], Awaitable[Response]]
_MISSING = (NoSuchEpisode, NoSuchState, UnknownView, WorldError)


class BadQuery(ValueError):
    """A number in the address is none."""


class ComparedEpisodes(BaseModel):
    """Two episodes and their aligned calls."""

    a: EpisodeFacts
    b: EpisodeFacts
    aligned: AlignedEpisodes


class ReadingEndpoints:
    """The endpoints over *runs* and their *histories*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Where each is."""
        episode = "/api/episodes/{episode}"
        paths: dict[str, Endpoint] = {
            "/api/runs": self._list_runs,
            "/api/runs/{run:int}": self._run,
            episode: self._episode,
            f"{episode}/log": self._log,
            f"{episode}/found": self._found,
            f"{episode}/timeline": self._timeline,
            f"{episode}/steps/{{step:int}}": self._step,
            f"{episode}/state/{{step:int}}/{{app}}": self._state,
            f"{episode}/state/{{step:int}}/files/picture": self._picture,
            f"{episode}/origin": self._origin,
            "/api/compare": self._compare,
        }
        ordered = sorted(paths.items(), key=lambda item: "{app}" in item[0])
        return [Route(path, answering(endpoint)) for path, endpoint in ordered]

    async def _list_runs(self, request: Request) -> Response:
        return _json(RunList(runs=tuple(run_line(run) for run in self._runs.refresh())))

    async def _run(self, request: Request) -> Response:
        return _json(run_table(self._runs.run(request.path_params["run"])))

    async def _episode(self, request: Request) -> Response:
        episode, history = await self._asked(request)
        return _json(episode_facts(episode, history))

    async def _log(self, request: Request) -> Response:
        _, history = await self._asked(request)
        after = _number(request, "after", 0)
        calls = tuple(map(call_line, history.entries[after:]))
        return _json(ListedCalls(calls=calls, total=len(history.entries)))

    async def _found(self, request: Request) -> Response:
        _, history = await self._asked(request)
        query, tool = (request.query_params.get(name, "") for name in ("q", "tool"))
        log, thoughts = tuple(history.entries), await history.thoughts()
        return _json(await run_sync(find_calls, log, thoughts, query, tool))

    async def _timeline(self, request: Request) -> Response:
        _, history = await self._asked(request)
        return _json(await episode_timeline(history))

    async def _step(self, request: Request) -> Response:
        _, history = await self._asked(request)
        step = request.path_params["step"]
        entry = history.entry(step)
        thought = (await history.thoughts()).get(step)
        return _json(step_details(entry, await history.changes(step), thought))

    async def _state(self, request: Request) -> Response:
        _, history = await self._asked(request)
        step, app = request.path_params["step"], request.path_params["app"]
        return _json(await app_state(history, step, app, _view_request(request)))

    async def _picture(self, request: Request) -> Response:
        _, history = await self._asked(request)
        path = request.query_params.get("item", "")
        shown = await history.read(request.path_params["step"], lambda tx: read_picture(tx, path))
        return Response(shown.data, media_type=shown.mime_type)

    async def _origin(self, request: Request) -> Response:
        _, history = await self._asked(request)
        app, part = (request.query_params.get(name, "") for name in ("app", "part"))
        before = _number(request, "before", len(history.entries))
        return _json(await change_origin(history, app, _view_request(request), part, before))

    async def _compare(self, request: Request) -> Response:
        a, first = await self._history(request.query_params.get("a", ""))
        b, second = await self._history(request.query_params.get("b", ""))
        aligned = await run_sync(align_logs, tuple(first.entries), tuple(second.entries))
        return _json(
            ComparedEpisodes(a=episode_facts(a, first), b=episode_facts(b, second), aligned=aligned)
        )

    async def _asked(self, request: Request) -> tuple[ShownEpisode, EpisodeHistory]:
        return await self._history(request.path_params["episode"])

    async def _history(self, key: str) -> tuple[ShownEpisode, EpisodeHistory]:
        episode = self._runs.episode(key)
        episode.check_world()
        if episode.spec is not None:
            self._runs.note_shown(episode.spec)
        return episode, await self._histories.of(episode)


def answering(endpoint: Endpoint) -> Endpoint:
    """*endpoint*, with errors as JSON."""

    @wraps(endpoint)
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _MISSING as error:
            return JSONResponse({"error": str(error)}, 404)
        except BadQuery as error:
            return JSONResponse({"error": str(error)}, 400)
        except (NoWorldYet, WorldFileError) as error:
            return JSONResponse({"error": str(error)}, 409)

    return answer


def _json(model: BaseModel) -> Response:
    return Response(model.model_dump_json(), media_type="application/json")


def _view_request(request: Request) -> ViewRequest:
    asked = request.query_params
    return ViewRequest(asked.get("item", ""), asked.get("sheet", ""), _number(request, "top", 1))


def _number(request: Request, name: str, default: int) -> int:
    """A whole number of the query. Raises BadQuery."""
    given = request.query_params.get(name, "")
    if not given:
        return default
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise BadQuery(f"{name} is a whole number.")
    return int(given)
