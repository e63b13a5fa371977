"""What oracles have seen of an office, so that they look again only where something may differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass

from pydantic import JsonValue

from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.world.transaction import NoticeKind

_IDLE = ("desk_now", "desk_wait")
"""Tools that show nothing that could be kept, and change nothing."""


@dataclass(frozen=True)
class _Source:
    """Tools that show the same until one of those notices comes, or until a tool is called whose
    name begins with one of *changing_prefixes* and that does not only look."""

    tools: frozenset[str]
    notices: frozenset[NoticeKind]
    changing_prefixes: tuple[str, ...]


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
        frozenset(
            {"files_read", "files_list", "files_info", "files_search", "files_view_image"}
            | {"sheets_list", "sheets_read", "sheets_query"}
        ),
        frozenset({NoticeKind.TASK, NoticeKind.MAIL, NoticeKind.MESSAGE, NoticeKind.NEWS}),
        ("files_", "sheets_", "mail_", "terminal_", "calendar_"),
    ),
)
_LOOKING = frozenset().union(*(source.tools for source in SOURCES))


class OfficeMemory:
    """Remembers what tools showed, for oracles of a day that tells everything that happens
    (`Verbosity.ALL`)."""

    def __init__(self) -> None:
        self._told: Counter[NoticeKind] = Counter()
        self._changed: Counter[str] = Counter()
        self._seen: dict[str, tuple[int, ToolResponse]] = {}

    def recall(self, tool: str, arguments: Mapping[str, JsonValue]) -> ToolResponse | None:
        """What the call would show, if it was made before and nothing may have changed since."""
        changes, shown = self._seen.get(_key(tool, arguments), (-1, None))
        return deepcopy(shown) if changes == self._changes(tool) else None

    def note(
        self, tool: str, arguments: Mapping[str, JsonValue], answer: ToolResponse | ToolFailed
    ) -> None:
        """Take in the *answer* to a call, and the notices that came with it: they tell what
        happened after the answer, in the minutes that the call took."""
        before = self._changes(tool)
        self._told.update(answer.notices)
        if tool not in _LOOKING and tool not in _IDLE:
            self._changed[tool] += 1
        elif tool in _LOOKING and isinstance(answer, ToolResponse):
            self._seen[_key(tool, arguments)] = (before, answer)

    def _changes(self, tool: str) -> int:
        """How much has happened that may change what *tool* shows."""
        return sum(
            sum(self._told[kind] for kind in source.notices)
            + sum(
                n for name, n in self._changed.items() if name.startswith(source.changing_prefixes)
            )
            for source in SOURCES
            if tool in source.tools
        )


def _key(tool: str, arguments: Mapping[str, JsonValue]) -> str:
    return f"{tool} {sorted(arguments.items())}"
