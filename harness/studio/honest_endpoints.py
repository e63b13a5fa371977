"""How the day of an episode can be worked honestly, as the report draws it.

It says what is right on that day, so nobody is shown it before the episode is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel, JsonValue
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from trainee_bench.harness.analysis.explained.work_picture import draw_work
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.opened_run import NoWorldYet, ShownEpisode
from trainee_bench.harness.studio.requests import answering, json_answer
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.testbench.explained_day import ExplainedDay, explain_days
from trainee_bench.meta_tasks.composition import ComposedDay


class HonestDay(BaseModel):
    """A day as it can be worked: its date, and the picture as a tree of elements, each with its
    name, its attributes, and its children. The page sets no HTML."""

    date: str
    picture: JsonValue


class HonestWork(BaseModel):
    """The day of an episode, or each day of its week."""

    days: tuple[HonestDay, ...]


class HonestEndpoints:
    """The endpoint over the episodes of *runs* and their *histories*."""

    def __init__(self, runs: ShownRuns, histories: EpisodeHistories):
        self._runs = runs
        self._histories = histories
        self._working = anyio.Lock()

    def routes(self) -> list[Route]:
        """Where it is."""
        return [Route("/api/episodes/{episode}/honest", answering(self._show))]

    async def _show(self, request: Request) -> Response:
        episode = self._runs.episode(request.path_params["episode"])
        _check_over(episode)
        history = await self._histories.shown_in(self._runs, episode)
        async with self._working:  # one day at a time: it takes a processor
            days = await run_sync(_explained, history.composition)
        return json_answer(HonestWork(days=tuple(map(_drawn, days))))


def _check_over(episode: ShownEpisode) -> None:
    """Raise NoWorldYet unless *episode* is over: somebody may work it, or guide its agent."""
    if episode.result is None:
        episode.check_world()
        raise NoWorldYet(
            f"How the day of {episode.name} can be worked is shown once there is a result of it."
        )


def _explained(composition: ComposedDay) -> Sequence[ExplainedDay]:
    return anyio.run(explain_days, composition)


def _drawn(day: ExplainedDay) -> HonestDay:
    picture = ElementTree.fromstring(draw_work(day))  # noqa: S314 - our own drawing
    return HonestDay(date=f"{day.window.starts:%A}", picture=_tree(picture))


def _tree(element: ElementTree.Element) -> JsonValue:
    """*element* with what it holds; texts are plain."""
    children: list[JsonValue] = [element.text] if element.text else []
    for child in element:
        children.append(_tree(child))
        if child.tail:
            children.append(child.tail)
    return [element.tag, dict(element.attrib), children]
