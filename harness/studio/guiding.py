"""Endpoints that act on a running episode: pause, approve, hint, write, answer as a colleague.

Every action is a POST.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from time import monotonic
from typing import Annotated

import anyio
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.studio.attended_servers import AttendedEpisode
from trainee_bench.harness.studio.guidance import HINT_ORDER, NotNow, Pace
from trainee_bench.harness.studio.guidance_facts import (
    EpisodeGuidance,
    PlayableColleague,
    TaskHints,
    episode_guidance,
    playable_colleagues,
    published_tasks,
    task_hints,
)
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.jobs import StudioJobs
from trainee_bench.harness.studio.opened_run import NoWorldYet, ShownEpisode
from trainee_bench.harness.studio.requests import answering, json_answer, read_body
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.studio.streams import (
    ALIVE_SECONDS,
    POLL_SECONDS,
    STILL_HERE,
    event,
    event_stream,
)
from trainee_bench.mcp_servers.guide import LONGEST_TEXT
from trainee_bench.world.errors import WorldFileError

_NOT_OURS = "This studio did not start this episode, so you can only watch it."

Words = Annotated[str, Field(max_length=LONGEST_TEXT)]


class PaceRequest(BaseModel):
    """A request to pause, step, or continue."""

    model_config = ConfigDict(extra="forbid")
    do: Pace


class VerdictRequest(BaseModel):
    """The decision about a waiting call; a refusal may give a reason."""

    model_config = ConfigDict(extra="forbid")
    ask: int
    allow: bool
    why: Annotated[str, Field(max_length=500)] = ""


class HintRequest(BaseModel):
    """The next hint of a task. The tier prevents two clicks from giving two hints."""

    model_config = ConfigDict(extra="forbid")
    task: Annotated[str, Field(max_length=20)]
    tier: int


class SayRequest(BaseModel):
    """A message to the agent."""

    model_config = ConfigDict(extra="forbid")
    text: Words


class ReplyRequest(BaseModel):
    """A colleague's reply; without text and topic, the script answers."""

    model_config = ConfigDict(extra="forbid")
    question: int
    text: Words = ""
    topic: Annotated[str, Field(max_length=200)] = ""


class PlayRequest(BaseModel):
    """The ids of the colleagues that a person plays; null for all."""

    model_config = ConfigDict(extra="forbid")
    colleagues: (
        Annotated[tuple[Annotated[str, Field(max_length=100)], ...], Field(max_length=500)] | None
    )


class Done(BaseModel):
    """Success; ``text`` is a message about it."""

    text: str = ""


class GuidingEndpoints:
    """The endpoints that guide the episodes of *runs* started by *jobs*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories, jobs: StudioJobs):
        self._runs = runs
        self._histories = histories
        self._jobs = jobs

    def routes(self) -> list[Route]:
        """Return their routes."""
        live = "/api/live/{episode}"
        return [
            Route(f"{live}/guidance", answering(self._guidance)),
            Route(f"{live}/guidance/events", answering(self._events)),
            Route(f"{live}/control", answering(self._control), methods=["POST"]),
            Route(f"{live}/answer", answering(self._answer), methods=["POST"]),
            Route(f"{live}/hint", answering(self._hint), methods=["POST"]),
            Route(f"{live}/say", answering(self._say), methods=["POST"]),
            Route(f"{live}/reply", answering(self._reply), methods=["POST"]),
            Route(f"{live}/play", answering(self._play), methods=["POST"]),
        ]

    async def _guidance(self, request: Request) -> Response:
        return json_answer(await self._facts(self._episode(request)))

    async def _events(self, request: Request) -> Response:
        episode = self._episode(request)
        return event_stream(self._watch(episode))

    async def _watch(self, episode: ShownEpisode) -> AsyncIterator[str]:
        """Yield the guidance of *episode* each time that people or their waiting agent change
        it."""
        sent: tuple[object, ...] | None = None
        spoke = monotonic()
        while True:
            episode = self._runs.episode(episode.key)
            attended = self._jobs.attended(episode.world)
            now = (_version(attended), episode.state, episode.begun)
            if now != sent and episode.begun:
                sent, spoke = now, monotonic()
                with suppress(NoWorldYet, WorldFileError):  # just removed
                    yield event("guidance", await self._facts(episode))
            elif monotonic() - spoke >= ALIVE_SECONDS:
                spoke = monotonic()
                yield STILL_HERE
            if attended is None:
                return
            await anyio.sleep(POLL_SECONDS)

    async def _control(self, request: Request) -> Response:
        wanted = await read_body(request, PaceRequest)
        await self._attended(request).control.set_pace(wanted.do)
        return json_answer(Done())

    async def _answer(self, request: Request) -> Response:
        wanted = await read_body(request, VerdictRequest)
        await self._attended(request).control.answer(wanted.ask, wanted.allow, wanted.why)
        return json_answer(Done())

    async def _hint(self, request: Request) -> Response:
        wanted, attended = await read_body(request, HintRequest), self._attended(request)
        facts = await self._facts(self._episode(request))
        task = next((shown for shown in facts.tasks if shown.task == wanted.task), None)
        if task is None:
            raise NotNow(f"The agent has no task {wanted.task}.")
        if not task.next or wanted.tier != task.opened + 1:
            raise NotNow(HINT_ORDER)
        done = await attended.control.give_hint(task.task, wanted.tier, task.next)
        return _told(done.error)

    async def _say(self, request: Request) -> Response:
        wanted = await read_body(request, SayRequest)
        done = await self._attended(request).control.guide("guide_say", text=wanted.text)
        return _told(done.error)

    async def _reply(self, request: Request) -> Response:
        wanted, attended = await read_body(request, ReplyRequest), self._attended(request)
        if attended.colleagues is None:
            raise NotNow("Nobody plays the colleagues of this episode.")
        await attended.colleagues.answer(wanted.question, wanted.text, wanted.topic)
        return json_answer(Done())

    async def _play(self, request: Request) -> Response:
        wanted, attended = await read_body(request, PlayRequest), self._attended(request)
        if attended.colleagues is None:
            raise NotNow("Nobody plays the colleagues of this episode.")
        facts = await self._facts(self._episode(request))
        known = {colleague.id for colleague in facts.colleagues}
        for id in wanted.colleagues or ():
            if id not in known:
                raise NotNow(f"{id} is not a colleague on this day.")
        await attended.colleagues.choose(wanted.colleagues)
        return json_answer(Done())

    def _episode(self, request: Request) -> ShownEpisode:
        return self._runs.episode(request.path_params["episode"])

    def _attended(self, request: Request) -> AttendedEpisode:
        found = self._jobs.attended(self._episode(request).world)
        if found is None:
            raise NotNow(_NOT_OURS)
        return found

    async def _facts(self, episode: ShownEpisode) -> EpisodeGuidance:
        history = await self._histories.shown_in(self._runs, episode)
        log, attended = tuple(history.entries), self._jobs.attended(episode.world)
        tasks: tuple[TaskHints, ...] = ()
        colleagues: tuple[PlayableColleague, ...] = ()
        works = attended is not None and attended.control.snapshot().working
        if attended is not None and works:
            published = await history.read(len(log), published_tasks)
            tasks = task_hints(history.composition, published, log)
            if attended.colleagues is not None:
                colleagues = await history.read(len(log), playable_colleagues)
        facts = episode_guidance(attended, tasks, log, colleagues)
        if not works:
            return facts
        # Read after the control: a waiting call's thought is written before the call waits.
        return facts.model_copy(update={"thinks": history.thinks()})


def _version(attended: AttendedEpisode | None) -> tuple[object, ...]:
    if attended is None:
        return ()
    played = attended.colleagues
    waiting = [asked.question for asked in played.questions()] if played is not None else []
    chosen = played.chosen if played is not None else None
    return (attended.control.snapshot().version, chosen, *waiting)


def _told(error: Exception | None) -> Response:
    """Return the answer to an action. Raises NotNow with the text of *error* if the world refused
    it."""
    if error is not None:
        raise NotNow(str(error))
    return json_answer(Done(text="The agent reads it with its next result."))
