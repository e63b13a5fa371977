"""An environment class for `GRPOTrainer(environment_factory=OfficeEnvironment)`.

The trainer makes an instance for each rollout. Every tool of the office is a method, as TRL
requires. A row of the data set is a day, which `reset` begins. TRL itself is not imported: it only
needs names, signatures and docstrings.
"""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Any, Literal

from PIL import Image
from pydantic import JsonValue

from trainee_bench.harness.integrations.training.episode import Episode, usual_tools
from trainee_bench.harness.integrations.training.offered_tools import (
    DaysOfferOtherTools,
    app_of,
    split_tools,
)
from trainee_bench.harness.integrations.training.rows import NoDayGiven, day_of_row
from trainee_bench.harness.integrations.training.splits import SplitOptions
from trainee_bench.harness.session.turns import ToolInfo, ToolResult

__all__ = [
    "OfficeEnvironment",
    "TrlSeat",
    "docstring",
    "signature",
]


_PLAIN: Mapping[str, type | None] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "null": None, "object": dict,
}  # fmt: skip
_IN_TYPE_HINT = ("type", "description", "enum")
_Schema = Mapping[str, JsonValue]


def signature(tool: ToolInfo) -> inspect.Signature:
    """Return the signature of a method that calls *tool*, with all arguments by keyword."""
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = tool.input_schema.get("required") or []
    assert isinstance(required, list)
    taken = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=_annotation(schema),
            default=inspect.Parameter.empty if name in required else schema.get("default"),
        )
        for name, schema in _arguments(tool).items()
    ]
    return inspect.Signature([receiver, *taken], return_annotation=str)


def docstring(tool: ToolInfo) -> str:
    """Return the purpose of *tool*, and a line for each of its arguments."""
    lines = [" ".join(tool.description.split())]
    if taken := _arguments(tool):
        lines += ["", "Args:"]
        lines += [f"    {name}: {_described(schema)}" for name, schema in taken.items()]
    return "\n".join(lines)


def _arguments(tool: ToolInfo) -> dict[str, _Schema]:
    found = tool.input_schema.get("properties") or {}
    assert isinstance(found, dict)
    return {name: schema for name, schema in found.items() if isinstance(schema, dict)}


def _annotation(schema: _Schema) -> Any:
    """Return the type hint that gives the type in *schema*."""
    if isinstance(choices := schema.get("enum"), list):
        return Literal[tuple(choices)]
    if isinstance(branches := schema.get("anyOf"), list):
        return reduce(or_, (_annotation(branch) for branch in branches if isinstance(branch, dict)))
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        return GenericAlias(list, _annotation(items) if isinstance(items, dict) else object)
    return _PLAIN[str(kind)]


def _described(schema: _Schema) -> str:
    """Return the description in *schema*, with the constraints that its type hint does not
    express."""
    about = " ".join(str(schema.get("description", "")).split())
    more = {name: value for name, value in schema.items() if name not in _IN_TYPE_HINT}
    if not _has_objects(schema):
        more.pop("items", None)
    if not more:
        return about
    constraints = ", ".join(f"{name} {json.dumps(value)}" for name, value in more.items())
    return f"{about} ({constraints})"


def _has_objects(schema: _Schema) -> bool:
    items = schema.get("items")
    return isinstance(items, dict) and (items.get("type") == "object" or _has_objects(items))


Shown = str | list[dict[str, object]]
"""The content that TRL shows the model: a text, or blocks of text and pictures."""


class TrlSeat:
    """A seat at which rollouts work days one after another, with a method for each tool.

    ``class Small(TrlSeat, apps=("desk", "files"))`` has only the tools of these apps, which makes
    the prompt shorter. ``class Mine(TrlSeat, split=SplitOptions(split="mine.json"))`` has the tools
    of that split, which may be more than the usual ones, or cost other minutes. TRL refuses a call
    that fits no method, at no cost; the office answers all others.
    """

    shows_pictures = False
    """Whether results show their pictures, for models with vision; otherwise only their text."""

    episode: Episode | None = None
    """The day being worked: its rewards, its grade, its digest. None before `reset`."""

    def __init_subclass__(
        cls, apps: Collection[str] | None = None, split: SplitOptions | None = None
    ) -> None:
        if cls._tools is None or apps is not None or split is not None:
            cls._tools = usual_tools(apps) if split is None else split_tools(split, apps)
            cls._apps = apps
            for tool in cls._tools:
                setattr(cls, tool.name, _method(tool))

    _tools: tuple[ToolInfo, ...] | None = None
    _apps: Collection[str] | None = None

    def reset(self, **row: object) -> str:
        """Begin the day of *row*, which comes from `training_rows`, and return the agent's prompt.

        Raises NoDayGiven for a different row, and DaysOfferOtherTools for a day with other tools.
        """
        given = day_of_row(row)
        if self.episode is not None:
            self.episode.close()
            self.episode = None
        episode = Episode.begin(given)
        try:
            self._check(episode.start.tools)
        except DaysOfferOtherTools:
            episode.close()
            raise
        self.episode = episode
        return episode.start.prompt

    def _check(self, offered: Sequence[ToolInfo]) -> None:
        """Raise DaysOfferOtherTools if a day's tools are not those that TRL shows."""
        shown = {_seen(tool) for tool in self._tools or ()}
        of_day = {
            _seen(tool) for tool in offered if self._apps is None or app_of(tool.name) in self._apps
        }
        if other := sorted({name for name, *_ in shown ^ of_day}):
            more = f" and {len(other) - 3} more" if len(other) > 3 else ""
            raise DaysOfferOtherTools(
                f"This day does not offer {', '.join(other[:3])}{more} as {type(self).__name__} "
                "shows it. Name the split of the days in the class: "
                'class Mine(TrlSeat, split=SplitOptions(split="mine.json")).'
            )

    def get_reward(self) -> float:
        """Return the score of the day, from 0 to 1: the sum of the rewards of all calls."""
        return self._begun().score

    def _begun(self) -> Episode:
        if self.episode is None:
            raise NoDayGiven("no day has begun; call reset() first")
        return self.episode


def _seen(tool: ToolInfo) -> tuple[str, str, str]:
    """Return what a model sees of *tool*."""
    return tool.name, tool.description, json.dumps(tool.input_schema, sort_keys=True)


def _method(tool: ToolInfo) -> Callable[..., Shown]:
    """Return the method of TrlSeat that calls *tool*."""

    def call(self: TrlSeat, /, **arguments: JsonValue) -> Shown:
        answer = self._begun().call(tool.name, arguments).answer
        return _shown(answer) if self.shows_pictures and answer.pictures else answer.text

    described = signature(tool)
    call.__name__, call.__qualname__ = tool.name, f"TrlSeat.{tool.name}"
    call.__doc__ = docstring(tool)
    call.__signature__ = described  # type: ignore[attr-defined]
    taken = {
        name: parameter.annotation
        for name, parameter in described.parameters.items()
        if name != "self"
    }
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
