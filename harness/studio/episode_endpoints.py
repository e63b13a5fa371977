"""Read-only endpoints, as JSON: runs, episodes, steps, states, comparisons.

The endpoints that act (guidance, seats, starting runs) have their own modules; `application` joins
them all.
"""

from __future__ import annotations

from anyio.to_thread import run_sync
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.studio.call_lines import ListedCalls, call_line, find_calls, step_details
from trainee_bench.harness.studio.comparison import (
    AlignedEpisodes,
    ComparedTask,
    align_logs,
    join_tasks,
    order_differences,
)
from trainee_bench.harness.studio.episode_facts import (
    EpisodeFacts,
    app_state,
    change_origin,
    episode_facts,
    episode_timeline,
)
from trainee_bench.harness.studio.episode_table import episode_table
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.opened_run import ShownEpisode
from trainee_bench.harness.studio.requests import (
    Endpoint,
    answering,
    json_answer,
    read_number,
    while_awaited,
)
from trainee_bench.harness.studio.run_tables import RunList, run_line, run_table
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.views import ViewRequest
from trainee_bench.harness.studio.views.files import read_picture


class ComparedEpisodes(BaseModel):
    """Two episodes with their aligned calls, and their tasks, joined if both are of the same
    day."""

    a: EpisodeFacts
    b: EpisodeFacts
    same_day: bool
    tasks: tuple[ComparedTask, ...]
    aligned: AlignedEpisodes


class ReadingEndpoints:
    """The read-only endpoints over *runs* and their *histories*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Return their routes."""
        episode = "/api/episodes/{episode}"
        paths: dict[str, Endpoint] = {
            "/api/runs": self._list_runs,
            "/api/runs/{run:int}": self._run,
            "/api/episodes": self._list_episodes,
            episode: self._episode,
            f"{episode}/log": self._log,
            f"{episode}/found": self._found,
            f"{episode}/timeline": self._timeline,
            f"{episode}/steps/{{step:int}}": self._step,
            f"{episode}/state/{{step:int}}/{{app}}": self._state,
            f"{episode}/state/{{step:int}}/files/picture": self._picture,
            f"{episode}/origin": self._origin,
            "/api/compare": self._compare,
            "/api/compare/differences": self._differences,
        }
        ordered = sorted(paths.items(), key=lambda item: "{app}" in item[0])
        return [Route(path, while_awaited(answering(endpoint))) for path, endpoint in ordered]

    async def _list_runs(self, request: Request) -> Response:
        return json_answer(RunList(runs=tuple(run_line(run) for run in self._runs.refresh())))

    async def _run(self, request: Request) -> Response:
        return json_answer(
            run_table(self._runs.run(request.path_params["run"]), self._runs.folders)
        )

    async def _list_episodes(self, request: Request) -> Response:
        return json_answer(episode_table(self._runs.refresh()))

    async def _episode(self, request: Request) -> Response:
        episode, history = await self._asked(request)
        return json_answer(episode_facts(episode, history))

    async def _log(self, request: Request) -> Response:
        _, history = await self._asked(request)
        after = read_number(request, "after", 0)
        calls = tuple(map(call_line, history.entries[after:]))
        return json_answer(ListedCalls(calls=calls, total=len(history.entries)))

    async def _found(self, request: Request) -> Response:
        _, history = await self._asked(request)
        query, tool = (request.query_params.get(name, "") for name in ("q", "tool"))
        log, thoughts = tuple(history.entries), await history.thoughts()
        return json_answer(await run_sync(find_calls, log, thoughts, query, tool))

    async def _timeline(self, request: Request) -> Response:
        _, history = await self._asked(request)
        return json_answer(await episode_timeline(history))

    async def _step(self, request: Request) -> Response:
        _, history = await self._asked(request)
        step = request.path_params["step"]
        entry = history.entry(step)
        thought = (await history.thoughts()).get(step)
        return json_answer(step_details(entry, await history.changes(step), thought))

    async def _state(self, request: Request) -> Response:
        _, history = await self._asked(request)
        step, app = request.path_params["step"], request.path_params["app"]
        return json_answer(await app_state(history, step, app, _view_request(request)))

    async def _picture(self, request: Request) -> Response:
        _, history = await self._asked(request)
        path = request.query_params.get("item", "")
        shown = await history.read(request.path_params["step"], lambda tx: read_picture(tx, path))
        return Response(shown.data, media_type=shown.mime_type)

    async def _origin(self, request: Request) -> Response:
        _, history = await self._asked(request)
        app, part = (request.query_params.get(name, "") for name in ("app", "part"))
        before = read_number(request, "before", len(history.entries))
        return json_answer(await change_origin(history, app, _view_request(request), part, before))

    async def _compare(self, request: Request) -> Response:
        (a, first), (b, second) = await self._both(request)
        left, right = episode_facts(a, first), episode_facts(b, second)
        same_day = await self._runs.are_of_one_day(a, b)
        compared = ComparedEpisodes(
            a=left,
            b=right,
            same_day=same_day,
            tasks=join_tasks(left.tasks, right.tasks, same_day),
            aligned=await _align(first, second),
        )
        return json_answer(compared)

    async def _differences(self, request: Request) -> Response:
        (_, first), (_, second) = await self._both(request)
        aligned = await _align(first, second)
        changes = await first.all_changes(), await second.all_changes()
        return json_answer(order_differences(aligned, *changes))

    async def _both(self, request: Request) -> list[tuple[ShownEpisode, EpisodeHistory]]:
        """Return the two episodes to compare."""
        return [await self._history(request.query_params.get(side, "")) for side in ("a", "b")]

    async def _asked(self, request: Request) -> tuple[ShownEpisode, EpisodeHistory]:
        return await self._history(request.path_params["episode"])

    async def _history(self, key: str) -> tuple[ShownEpisode, EpisodeHistory]:
        episode = self._runs.episode(key)
        return episode, await self._histories.shown_in(self._runs, episode)


async def _align(a: EpisodeHistory, b: EpisodeHistory) -> AlignedEpisodes:
    return await run_sync(align_logs, tuple(a.entries), tuple(b.entries))


def _view_request(request: Request) -> ViewRequest:
    asked = request.query_params
    return ViewRequest(
        asked.get("item", ""), asked.get("sheet", ""), read_number(request, "top", 1)
    )
