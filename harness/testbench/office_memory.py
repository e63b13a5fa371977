"""What oracles have seen of an office, so that they look again only where something may differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.meta_tasks.complications.unannounced_handover import FOLDER as DECISIONS
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.world.transaction import Notice, NoticeKind

_IDLE = ("desk_now", "desk_wait")
"""Tools that show nothing that could be kept, and change nothing."""
_HANDBOOK = "drive:/handbook/"
"""Where pages lie whose changes a mail announces, without naming them in its subject."""
_TEXT_NOT_SHOWN = "characters: chat_read_history"
"""How the notice of a long message ends."""


@dataclass(frozen=True)
class _Source:
    """Tools that show the same until one of those notices comes, or until a tool is called whose
    name begins with one of *changed_by* and that does not only look."""

    tools: frozenset[str]
    notices: frozenset[NoticeKind]
    changed_by: tuple[str, ...]


READING_FILES = frozenset(
    {"files_read", "files_view_image", "sheets_list", "sheets_read", "sheets_query"}
)
"""Tools that show a file: the same until it is named in a message or in a call that changes files,
since colleagues write to each other about the files that they change."""
_CHANGING_FILES = ("files_", "sheets_", "mail_", "calendar_", "terminal_")
SOURCES = (
    _Source(
        frozenset({"desk_tasks"}),
        frozenset({NoticeKind.TASK, NoticeKind.DEADLINE, NoticeKind.NEWS}),
        ("desk_", "calendar_attend"),
    ),
    _Source(
        frozenset({"chat_read_history"}),
        frozenset({NoticeKind.MESSAGE, NoticeKind.CHATTER, NoticeKind.NEWS}),
        ("chat_",),
    ),
    _Source(
        frozenset({"mail_list", "mail_read", "mail_search"}),
        frozenset({NoticeKind.MAIL, NoticeKind.NEWS}),
        ("mail_",),
    ),
    _Source(
        frozenset({"files_list", "files_search"}),
        frozenset({NoticeKind.TASK, NoticeKind.MAIL, NoticeKind.MESSAGE, NoticeKind.NEWS}),
        _CHANGING_FILES,
    ),
)
_UNTOLD = "files_info"
"""Shows when a file was changed: nothing tells of that, so it is not kept."""
_LOOKING = READING_FILES.union(*(source.tools for source in SOURCES))


@dataclass(frozen=True)
class _Shown:
    """What a call of *tool* showed; of the file at *path*, unless that is empty."""

    tool: str
    path: str
    answer: ToolResponse

    @property
    def file(self) -> str:
        """The file's name, without its folder."""
        return self.path.rpartition("/")[2]


class OfficeMemory:
    """Remembers what tools showed, for oracles of a day that tells everything that happens
    (`Verbosity.ALL`)."""

    def __init__(self) -> None:
        self._seen: dict[str, _Shown] = {}
        self._changed: dict[str, JsonValue] = {}

    def recall(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """What the call would show, if it was made before and nothing may have changed since."""
        shown = self._seen.get(_key(tool, arguments))
        return deepcopy(shown.answer) if shown is not None else None

    def note(
        self, tool: str, arguments: Mapping[str, JsonValue], answer: ToolResponse | ToolFailed
    ) -> None:
        """Take in the *answer* to a call, and the notices that came with it: they tell what
        happened after what it shows."""
        if tool == _UNTOLD:
            if isinstance(answer, ToolResponse):
                self._date(str(arguments["path"]), answer.data["changed"])
        elif arguments.get("folder") == DECISIONS:  # nothing tells of what is written there
            pass
        elif tool not in _LOOKING and tool not in _IDLE:
            self._act(tool, arguments)
        elif tool in _LOOKING and isinstance(answer, ToolResponse):
            path = str(arguments["path"]) if tool in READING_FILES else ""
            self._seen[_key(tool, arguments)] = _Shown(tool, path, deepcopy(answer))
        for notice in answer.notices:
            self._hear(notice)

    def _date(self, path: str, changed: JsonValue) -> None:
        """Forget what the file at *path* said if it was changed since it was looked at."""
        if self._changed.setdefault(path, changed) != changed:
            self._changed[path] = changed
            self._forget(lambda one: one.path == path)

    def _act(self, tool: str, arguments: Mapping[str, JsonValue]) -> None:
        """Forget what a call that changes something may have changed."""
        changed = [source for source in SOURCES if tool.startswith(source.changed_by)]
        self._forget(lambda one: any(one.tool in source.tools for source in changed))
        if tool.startswith("terminal_"):
            self._forget(lambda one: bool(one.path))
        elif tool.startswith(_CHANGING_FILES):
            self._forget(lambda one: one.path in arguments.values())

    def _hear(self, notice: Notice) -> None:
        """Forget what may be different after *notice*."""
        told = [source for source in SOURCES if notice.kind in source.notices]
        self._forget(lambda one: any(one.tool in source.tools for source in told))
        unknown = notice.kind is NoticeKind.NEWS or notice.text.endswith(_TEXT_NOT_SHOWN)
        by_mail = notice.kind is NoticeKind.MAIL
        self._forget(
            lambda one: (
                bool(one.path)
                and (
                    unknown
                    or one.file in notice.text
                    or (by_mail and one.path.startswith(_HANDBOOK))
                )
            )
        )

    def _forget(self, outdated: Callable[[_Shown], bool]) -> None:
        self._seen = {key: one for key, one in self._seen.items() if not outdated(one)}


def _key(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    return f"{tool} {sorted(arguments.items())}"
