"""Endpoints for data derived from episodes: differences, conversations, honest work, worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel, JsonValue
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.analysis.explained.work_picture import draw_work
from trainee_bench.harness.studio.conversations import AT_ONCE, NoConversation, RecordedConversation
from trainee_bench.harness.studio.differences import (
    FileDifference,
    compare_contents,
    likeliest_source,
    read_content,
)
from trainee_bench.harness.studio.guidance import NotNow
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.opened_run import NoWorldYet, ShownEpisode
from trainee_bench.harness.studio.requests import (
    BadRequest,
    answering,
    json_answer,
    read_body,
    read_number,
)
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.shown_worth import ShownWorth, WorthState, shown_worth
from trainee_bench.harness.studio.worth_jobs import WorthJobs
from trainee_bench.harness.testbench.explained_day import ExplainedDay, explain_days
from trainee_bench.meta_tasks.composition import ComposedDay


class ComparedFile(BaseModel):
    """A file after a step of an episode."""

    episode: str
    step: int
    path: str


class ShownDifference(BaseModel):
    """The difference of ``after`` from ``before``. The request names ``before`` by episode, step
    and path, or asks for the file that ``after`` was made from."""

    before: ComparedFile
    after: ComparedFile
    difference: FileDifference


class DifferenceEndpoints:
    """The endpoint that compares files of the episodes of *runs*, read from *histories*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories

    def routes(self) -> list[Route]:
        """Return its route."""
        return [Route("/api/episodes/{episode}/difference", answering(self._show))]

    async def _show(self, request: Request) -> Response:
        """Compare *path* after *step* with *before_path* after *before_step* of *before_episode*.

        *before_path* defaults to the same path; "source" means the file's likely source.
        *before_step* defaults to the same step in the same episode, and to the last step of
        another.
        """
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


_NOT_YET = (
    "The conversation is recorded once the episode is over. Until then each call shows what the "
    "model said with it."
)


class ConversationEndpoints:
    """The endpoints for the conversations of *runs*. The last conversation that was read is
    kept."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories
        self._kept: tuple[Path, int, RecordedConversation] | None = None

    def routes(self) -> list[Route]:
        """Return their routes."""
        conversation = "/api/episodes/{episode}/conversation"
        return [
            Route(conversation, answering(self._show)),
            Route(f"{conversation}/request", answering(self._request)),
        ]

    async def _show(self, request: Request) -> Response:
        """Return the messages of a conversation; if a step is given, of the one with that step's
        turn."""
        episode, history = await self._asked(request)
        recorded = await self._recorded(episode)
        number, top = read_number(request, "number", 0), read_number(request, "top", 0)
        thoughts = await history.thoughts()
        turn, step = read_number(request, "turn", 0), read_number(request, "step", 0)
        if step and step in thoughts:
            turn = thoughts[step].turn
        place: int | None = None
        if turn:
            number, place = recorded.place_of(turn)
            top = place - place % AT_ONCE
        return json_answer(await run_sync(recorded.page, number, top, thoughts, place))

    async def _request(self, request: Request) -> Response:
        episode, _ = await self._asked(request)
        recorded = await self._recorded(episode)
        number, message = read_number(request, "number", 0), read_number(request, "message", 0)
        return json_answer(recorded.request(number, message))

    async def _asked(self, request: Request) -> tuple[ShownEpisode, EpisodeHistory]:
        episode = self._runs.episode(request.path_params["episode"])
        return episode, await self._histories.shown_in(self._runs, episode)

    async def _recorded(self, episode: ShownEpisode) -> RecordedConversation:
        path = episode.trajectory
        if path is None:
            raise NoConversation(
                _NOT_YET if episode.result is None else "No trajectory is in the run's folder."
            )
        changed = path.stat().st_mtime_ns
        if self._kept is None or self._kept[:2] != (path, changed):
            self._kept = (path, changed, await run_sync(RecordedConversation, path))
        return self._kept[2]


class HonestDay(BaseModel):
    """A day as it can be worked: its date, and a picture as a tree of elements. Each element has
    its name, attributes and children, so that the page inserts no HTML."""

    date: str
    picture: JsonValue


class HonestWork(BaseModel):
    """The day of an episode, or the days of its week."""

    days: tuple[HonestDay, ...]


class HonestEndpoints:
    """The endpoint that shows how the days of *runs* can be worked."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories
        self._working = anyio.Lock()

    def routes(self) -> list[Route]:
        """Return its route."""
        return [Route("/api/episodes/{episode}/honest", answering(self._show))]

    async def _show(self, request: Request) -> Response:
        episode = self._runs.episode(request.path_params["episode"])
        _check_over(episode)
        history = await self._histories.shown_in(self._runs, episode)
        async with self._working:  # one day at a time: it uses a whole processor
            return json_answer(await run_sync(honest_work, history.composition))


def _check_over(episode: ShownEpisode) -> None:
    """Raise NoWorldYet unless *episode* is over: until then somebody may be working it or guiding
    its agent."""
    if episode.result is None and episode.run.staged is None:
        episode.check_world()
        raise NoWorldYet(
            f"The studio shows how to work the day of {episode.name} once it has a result."
        )


def honest_work(composition: ComposedDay) -> HonestWork:
    """Return how a day can be worked, drawn. It takes half a second or more."""
    days: Sequence[ExplainedDay] = anyio.run(explain_days, composition)
    return HonestWork(
        days=tuple(_drawn(day, composition.day_name(day.window.starts)) for day in days)
    )


def _drawn(day: ExplainedDay, name: str) -> HonestDay:
    picture = ElementTree.fromstring(draw_work(day))  # noqa: S314 - our own picture
    return HonestDay(date=name, picture=_tree(picture))


def _tree(element: ElementTree.Element) -> JsonValue:
    """Return *element* with its children; texts are plain."""
    children: list[JsonValue] = [element.text] if element.text else []
    for child in element:
        children.append(_tree(child))
        if child.tail:
            children.append(child.tail)
    return [element.tag, dict(element.attrib), children]


class WorthRequest(BaseModel):
    """A request to compute values; *unasked* if the page makes it without a person's click."""

    unasked: bool = False


class WorthEndpoints:
    """The endpoints for the worth of the steps of *runs*; *jobs* compute it."""

    def __init__(self, runs: ShownRuns, jobs: WorthJobs):
        self._runs = runs
        self._jobs = jobs

    def routes(self) -> list[Route]:
        """Return their routes."""
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
        wanted = await read_body(request, WorthRequest)
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
        job = self._jobs.of(
            episode
        )  # before reading: a job that is done by now has stored its result
        return await run_sync(shown_worth, episode, job)
