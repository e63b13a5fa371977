"""The conversation of an episode with its model: a page of messages, a request as it was sent."""

from __future__ import annotations

from pathlib import Path

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.studio.conversations import AT_ONCE, NoConversation, RecordedConversation
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.opened_run import ShownEpisode
from trainee_bench.harness.studio.requests import answering, json_answer, read_number
from trainee_bench.harness.studio.runs import ShownRuns

_NOT_YET = (
    "The conversation is recorded once the episode is over. Until then each call shows what the "
    "model said with it."
)


class ConversationEndpoints:
    """The endpoints over the episodes of *runs*. The conversation that was read last is kept."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories
        self._kept: tuple[Path, int, RecordedConversation] | None = None

    def routes(self) -> list[Route]:
        """Where each is."""
        conversation = "/api/episodes/{episode}/conversation"
        return [
            Route(conversation, answering(self._show)),
            Route(f"{conversation}/request", answering(self._request)),
        ]

    async def _show(self, request: Request) -> Response:
        """The messages of a conversation; that of the turn of a step, if one is asked for."""
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
