"""The interface of an app's view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from trainee_bench.world.transaction import Transaction

Marks = Mapping[str, str]
"""The items of an app by id, each with a text that differs once the item has changed."""


@dataclass(frozen=True)
class ViewRequest:
    """The requested part of an app: an item, and the part of it that begins at *top* (from 1)."""

    item: str = ""
    sheet: str = ""
    top: int = 1


def nothing_within(before: BaseModel, after: BaseModel) -> Sequence[str]:
    """Return no changed parts, for apps whose items change as a whole."""
    return ()


@dataclass(frozen=True)
class AppView:
    """A way to read one app.

    ``show`` returns what the app shows, with the requested item opened, and raises WorldError for a
    missing item. ``marks`` lists all items. ``within`` compares two results of ``show`` and returns
    the changed parts of the item: line numbers of a text, cells of a sheet.
    """

    app: str
    show: Callable[[Transaction, ViewRequest], BaseModel]
    marks: Callable[[Transaction], Marks]
    within: Callable[[BaseModel, BaseModel], Sequence[str]] = nothing_within
