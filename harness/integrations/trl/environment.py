"""The class that `GRPOTrainer(environment_factory=OfficeEnvironment)` makes an instance of for each
rollout: every tool of the office is a method, as TRL wants it.

TRL is not imported: what it asks of such a class are names, signatures and docstrings.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection

from PIL import Image
from pydantic import JsonValue

from trainee_bench.harness.integrations.training.episode import Episode
from trainee_bench.harness.integrations.training.tools import usual_tools
from trainee_bench.harness.integrations.trl.signatures import docstring, signature
from trainee_bench.harness.session.turns import ToolInfo, ToolResult
from trainee_bench.meta_tasks.scenario import ScenarioDay

__all__ = ["NoDayGiven", "OfficeEnvironment", "TrlSeat"]

Shown = str | list[dict[str, object]]
"""What TRL shows the model: a text, or blocks of text and pictures."""


class NoDayGiven(ValueError):
    """A row without a day; says which rows have one."""


class TrlSeat:
    """A seat at which one rollout after the other works a day; a method for each tool.

    ``class Small(TrlSeat, apps=("desk", "files"))`` has the tools of these apps alone, which makes
    the prompt shorter. A call that no tool's method fits is refused by TRL, free of charge;
    everything else is for the office to answer.
    """

    shows_pictures = False
    """Whether pictures are shown with a result, for models that see; else it is its text alone."""

    episode: Episode | None = None
    """The day being worked: its rewards, its grade, its digest. None before `reset`."""

    def __init_subclass__(cls, apps: Collection[str] | None = None) -> None:
        if cls._tools is None or apps is not None:
            cls._tools = usual_tools(apps)
            for tool in cls._tools:
                setattr(cls, tool.name, _method(tool))

    _tools: tuple[ToolInfo, ...] | None = None

    def reset(self, **row: object) -> str:
        """Begin the day of *row*, which is of `training_rows`; what the agent is told then.

        Raises NoDayGiven for another row.
        """
        given = row.get("day")
        if not isinstance(given, str):
            raise NoDayGiven(
                "the row has no column day; make the data set of training_rows(SplitOptions(…))"
            )
        if self.episode is not None:
            self.episode.close()
        self.episode = Episode.begin(ScenarioDay.model_validate_json(given))
        return self.episode.start.prompt

    def get_reward(self) -> float:
        """The score of the day, from 0 to 1: the sum of the rewards of all calls."""
        return self._begun().score

    def _begun(self) -> Episode:
        if self.episode is None:
            raise NoDayGiven("no day has begun; reset() begins one")
        return self.episode


def _method(tool: ToolInfo) -> Callable[..., Shown]:
    """The method of TrlSeat that calls *tool*."""

    def call(self: TrlSeat, /, **arguments: JsonValue) -> Shown:
        answer = self._begun().call(tool.name, arguments).answer
        return _shown(answer) if self.shows_pictures and answer.pictures else answer.text

    said = signature(tool)
    call.__name__, call.__qualname__ = tool.name, f"TrlSeat.{tool.name}"
    call.__doc__ = docstring(tool)
    call.__signature__ = said  # type: ignore[attr-defined]
    taken = {name: one.annotation for name, one in said.parameters.items() if name != "self"}
    call.__annotations__ = {**taken, "return": str}
    return call


def _shown(answer: ToolResult) -> Shown:
    pictures = [Image.open(io.BytesIO(picture.data)) for picture in answer.pictures]
    return [
        {"type": "text", "text": answer.text},
        *({"type": "image", "image": picture} for picture in pictures),
    ]


class OfficeEnvironment(TrlSeat):
    """All tools of a usual day."""
