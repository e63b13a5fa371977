"""A complete table of the studio's answers about one episode, for the exported page.

For each step, the table has each app's view with nothing opened, and what opening each item adds.
An item that cannot have changed since the step before is not read again. `ValuePool` stores each
value once.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Mapping

from pydantic import BaseModel, JsonValue

from trainee_bench.harness.studio.call_lines import ListedCalls, call_line, step_details
from trainee_bench.harness.studio.episode_facts import (
    AppState,
    app_state,
    episode_facts,
    episode_timeline,
)
from trainee_bench.harness.studio.history import EpisodeHistory
from trainee_bench.harness.studio.opened_run import ShownEpisode
from trainee_bench.harness.studio.shown_worth import ShownWorth, WorthState, shown_worth
from trainee_bench.harness.studio.views import APP_VIEWS, ViewRequest
from trainee_bench.harness.studio.views.files import FilesView, read_picture
from trainee_bench.harness.studio.views.monitor import MonitorView
from trainee_bench.harness.studio.views.sheets import SheetsView
from trainee_bench.harness.support.value_pool import Poolable, Pooled, ValuePool

_BY_MARK = frozenset({"mail", "files", "sheets"})
"""Apps whose items change only when their marks change; in the others, time also changes them."""
_ALL_OPEN = frozenset({"chat", "desk"})
"""Apps that show all their items at once, whether or not one is opened."""


async def collect_answers(
    pool: ValuePool, episode: ShownEpisode, history: EpisodeHistory
) -> Pooled:
    """Return the answers about *episode*, stored in *pool*. Raises the errors of
    `EpisodeHistory.read`."""
    thoughts = await history.thoughts()
    calls = tuple(map(call_line, history.entries))
    worth = shown_worth(episode, None)
    if worth.curve is None:  # the exported page cannot compute it
        worth = ShownWorth(state=WorthState.IMPOSSIBLE)
    steps: list[Poolable] = []
    for entry in history.entries:
        changes = await history.changes(entry.seq)
        steps.append(pool.add(_plain(step_details(entry, changes, thoughts.get(entry.seq)))))
    apps: dict[str, Poolable] = {}
    for app in APP_VIEWS:
        apps[app] = await _AppTable(pool, history, app).collect()
    return pool.add(
        {
            "facts": _plain(episode_facts(episode, history)),
            "log": _plain(ListedCalls(calls=calls, total=len(calls))),
            "timeline": _plain(await episode_timeline(history)),
            "worth": _plain(worth),
            "steps": steps,
            "apps": apps,
        }
    )


class _AppTable:
    """The table of what *app* shows after each step of *history*."""

    def __init__(self, pool: ValuePool, history: EpisodeHistory, app: str):
        self._pool = pool
        self._history = history
        self._app = app
        self._bases: list[Poolable] = []
        self._items: dict[str, list[Poolable]] = {}
        """By item: each step at which it changes, with all its windows from then on."""
        self._marks: dict[str, str] = {}
        self._shown: dict[str, list[Pooled]] = {}

    async def collect(self) -> Pooled:
        """Return the whole table."""
        for step in range(len(self._history.entries) + 1):
            state = await self._ask(step, ViewRequest())
            self._bases.append(self._pool.add({"now": _time(state), "view": _plain(state.view)}))
            if self._app not in _ALL_OPEN:
                await self._note_items(step, state)
        return self._pool.add({"bases": self._bases, "items": self._items})

    async def _note_items(self, step: int, base: AppState) -> None:
        """Record what opening each item after *step* adds to *base*, wherever that changed."""
        marks = await self._history.read(step, APP_VIEWS[self._app].marks)
        there = _openable(base.view, marks)
        for item in sorted(self._shown.keys() - there):
            del self._shown[item]
            self._items[item].append(self._pool.add([step, []]))
        for item in sorted(there):
            mark = marks.get(item, "")
            settled = item in self._shown and item not in base.changed
            if settled and self._app in _BY_MARK and self._marks[item] == mark:
                continue
            self._marks[item] = mark
            windows = [window async for window in self._windows(step, item, base)]
            if settled and windows == self._shown[item]:
                continue
            self._shown[item] = windows
            self._items.setdefault(item, []).append(self._pool.add([step, windows]))

    async def _windows(self, step: int, item: str, base: AppState) -> AsyncIterator[Pooled]:
        """Yield the windows of *item*: one for most items, several for long texts and tables."""
        sheets, request = [""], ViewRequest(item)
        while sheets:
            state = await self._ask(step, request)
            window: dict[str, Poolable] = {
                "sheet": request.sheet,
                "top": request.top,
                "opened": _added(base.view, state.view),
                "within": list(state.within),
            }
            if isinstance(state.view, FilesView) and state.view.file and state.view.file.picture:
                window["picture"] = await self._picture(step, item)
            yield self._pool.add(window)
            following = _next_top(state.view)
            if following is not None:
                request = ViewRequest(item, request.sheet, following)
                continue
            if sheets.pop(0) == "" and isinstance(state.view, SheetsView) and state.view.book:
                sheets += [sheet.name for sheet in state.view.book.sheets[1:]]
            request = ViewRequest(item, sheets[0] if sheets else "")

    async def _picture(self, step: int, path: str) -> str:
        """Return the picture at *path* as a data URL."""
        shown = await self._history.read(step, lambda tx: read_picture(tx, path))
        return f"data:{shown.mime_type};base64,{base64.b64encode(shown.data).decode()}"

    async def _ask(self, step: int, request: ViewRequest) -> AppState:
        return await app_state(self._history, step, self._app, request)


def _openable(view: BaseModel, marks: Mapping[str, str]) -> set[str]:
    """Return the items of an app that can be opened."""
    if isinstance(view, MonitorView):
        pages = {page.page for page in view.summary.pages}
        return pages | {reading.server for reading in view.health.readings} | marks.keys()
    return set(marks)


def _next_top(view: BaseModel) -> int | None:
    """Return the first line or row of the next window of the opened item; None after the last."""
    if isinstance(view, FilesView) and view.file is not None and view.file.lines:
        following = view.file.first_line + len(view.file.lines)
        return following if following <= view.file.total_lines else None
    if isinstance(view, SheetsView) and view.book is not None and view.book.rows:
        following = view.book.top + len(view.book.rows)
        return following if following <= view.book.rows_used else None
    return None


def _added(base: BaseModel, opened: BaseModel) -> dict[str, JsonValue]:
    """Return the parts of a view that change when an item is opened."""
    before = _plain(base)
    return {name: value for name, value in _plain(opened).items() if before.get(name) != value}


def _time(state: AppState) -> str:
    return str(_plain(state)["now"])


def _plain(model: BaseModel) -> dict[str, JsonValue]:
    plain: dict[str, JsonValue] = model.model_dump(mode="json")
    return plain
