"""How a file differs from what it was, from its source, or from another agent's."""

from __future__ import annotations

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.studio.differences import (
    FileDifference,
    compare_contents,
    likeliest_source,
    read_content,
)
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.requests import BadRequest, answering, json_answer, read_number
from trainee_bench.harness.studio.runs import ShownRuns


class ComparedFile(BaseModel):
    """A file as it stood after a step of an episode."""

    episode: str
    step: int
    path: str


class ShownDifference(BaseModel):
    """How ``after`` differs from ``before``, which the page asked for by its episode, step and
    path; or by nothing but the wish for the file that ``after`` was made from."""

    before: ComparedFile
    after: ComparedFile
    difference: FileDifference


class DifferenceEndpoints:
    """The endpoint over the episodes of *runs* and their *histories*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Where it is."""
        return [Route("/api/episodes/{episode}/difference", answering(self._show))]

    async def _show(self, request: Request) -> Response:
        """The difference of *path* after *step* to *before_path* after *before_step* of
        *before_episode*. By default the path is the same, with "source" that of its source; the
        step is the same in the same episode, and the last one of another."""
        asked = request.query_params
        key, path = request.path_params["episode"], asked.get("path", "")
        if not path:
            raise BadRequest("path names the file to compare.")
        history = await self._history(key)
        step = read_number(request, "step", len(history.entries))
        other_key = asked.get("before_episode", "") or key
        other = history if other_key == key else await self._history(other_key)
        then = step if other is history else len(other.entries)
        other_step = read_number(request, "before_step", then)
        other_path = asked.get("before_path", "") or path
        if other_path == "source":
            other_path = await history.read(step, lambda tx: likeliest_source(tx, path))
        after = await history.read(step, lambda tx: read_content(tx, path))
        before = await other.read(other_step, lambda tx: read_content(tx, other_path))
        return json_answer(
            ShownDifference(
                before=ComparedFile(episode=other_key, step=other_step, path=other_path),
                after=ComparedFile(episode=key, step=step, path=path),
                difference=compare_contents(before, after),
            )
        )

    async def _history(self, key: str) -> EpisodeHistory:
        return await self._histories.shown_in(self._runs, self._runs.episode(key))
