"""The contract of an app's view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from trainee_bench.world.transaction import Transaction

Marks = Mapping[str, str]
"""What an app holds: the id of each item, and a text that differs once the item has changed."""


@dataclass(frozen=True)
class ViewRequest:
    """What of an app is asked for: an item, and the part of it that begins at *top* (from 1)."""

    item: str = ""
    sheet: str = ""
    top: int = 1


def nothing_within(before: BaseModel, after: BaseModel) -> Sequence[str]:
    """The changes within the opened item of an app whose items change as a whole."""
    return ()


@dataclass(frozen=True)
class AppView:
    """How the studio reads one app.

    ``show`` gives what the app shows, with the requested item opened; it raises WorldError for an
    item that is not there. ``marks`` names all items. ``within`` compares two of what ``show``
    gave and names the changed parts of the item: line numbers of a text, cells of a sheet.
    """

    app: str
    show: Callable[[Transaction, ViewRequest], BaseModel]
    marks: Callable[[Transaction], Marks]
    within: Callable[[BaseModel, BaseModel], Sequence[str]] = nothing_within
