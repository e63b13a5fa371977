"""What an oracle remembers of an office, and when it looks again."""

from __future__ import annotations

from datetime import datetime

import pytest

from trainee_bench.harness.generation.call_costs import EFFORT_MINUTES
from trainee_bench.harness.testbench.office_memory import READING_FILES, SOURCES, OfficeMemory
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.world.transaction import Notice, NoticeKind

NOW = datetime(2025, 10, 1, 9)
MARK_AS_READ = {"chat_read_history", "mail_read"}
PAGE = {"path": "drive:/a.txt"}


def told(kind: NoticeKind, text: str = "Something else.") -> Notice:
    return Notice(at=NOW, kind=kind, text=text)


def shown(*notices: Notice) -> ToolResponse:
    return ToolResponse("what is there", {}, NOW, notices=notices)


@pytest.fixture
def memory() -> OfficeMemory:
    """Somebody who has read a file, the chat and the list of tasks."""
    memory = OfficeMemory()
    for tool, arguments in (("files_read", PAGE), ("chat_read_history", {}), ("desk_tasks", {})):
        memory.note(tool, arguments, shown())
    return memory


def known(memory: OfficeMemory) -> set[str]:
    asked = {"files_read": PAGE, "chat_read_history": {}, "desk_tasks": {}}
    return {tool for tool, arguments in asked.items() if memory.recall(tool, arguments)}


def test_what_was_shown_is_known_with_the_same_arguments_and_no_others(
    memory: OfficeMemory,
) -> None:
    assert known(memory) == {"files_read", "chat_read_history", "desk_tasks"}
    assert memory.recall("files_read", {"path": "drive:/b.txt"}) is None


@pytest.mark.parametrize(
    ("kind", "still_known"),
    [
        (NoticeKind.TASK, {"files_read", "chat_read_history"}),
        (NoticeKind.DEADLINE, {"files_read", "chat_read_history"}),
        (NoticeKind.MESSAGE, {"files_read", "desk_tasks"}),
        (NoticeKind.NEWS, set[str]()),
    ],
)
def test_a_notice_makes_one_look_again_where_it_may_matter(
    memory: OfficeMemory, kind: NoticeKind, still_known: set[str]
) -> None:
    memory.note("desk_wait", {}, shown(told(kind)))
    assert known(memory) == still_known


@pytest.mark.parametrize(
    ("kind", "text", "read_again"),
    [
        (NoticeKind.MESSAGE, "Message 5 from Ann: I have mended a.txt.", {"drive:/a.txt"}),
        (NoticeKind.MESSAGE, "Message 5 from Ann: Have a nice day.", set[str]()),
        (
            NoticeKind.MESSAGE,
            "Message 5 from Ann: 1,200 characters: chat_read_history",
            {"drive:/a.txt", "drive:/handbook/b.md"},
        ),
        (NoticeKind.MAIL, "Mail 7 from Ann: New rules", {"drive:/handbook/b.md"}),
        (NoticeKind.MAIL, "Mail 7 from Ann: a.txt", {"drive:/a.txt", "drive:/handbook/b.md"}),
    ],
)
def test_a_file_is_read_again_when_somebody_names_it_and_the_handbook_after_any_mail(
    kind: NoticeKind, text: str, read_again: set[str]
) -> None:
    memory, paths = OfficeMemory(), ("drive:/a.txt", "drive:/handbook/b.md")
    for path in paths:
        memory.note("files_read", {"path": path}, shown())
    memory.note("desk_now", {}, shown(told(kind, text)))
    assert {path for path in paths if not memory.recall("files_read", {"path": path})} == read_again


@pytest.mark.parametrize(
    ("done", "still_known"),
    [
        ("files_write", {"chat_read_history", "desk_tasks"}),
        ("terminal_run", {"chat_read_history", "desk_tasks"}),
        ("chat_send_message", {"files_read", "desk_tasks"}),
        ("desk_submit", {"files_read", "chat_read_history"}),
        ("calendar_export", {"chat_read_history", "desk_tasks"}),
        ("calendar_attend", {"files_read", "chat_read_history"}),
        ("files_list", {"files_read", "chat_read_history", "desk_tasks"}),
    ],
)
def test_what_one_does_makes_one_look_again_in_that_app_and_looking_does_not(
    memory: OfficeMemory, done: str, still_known: set[str]
) -> None:
    arguments = {"meeting": 1} if done == "calendar_attend" else PAGE
    memory.note(done, arguments, shown())
    assert known(memory) == still_known


def test_who_writes_another_file_still_knows_this_one(memory: OfficeMemory) -> None:
    memory.note("files_copy", {"source": "drive:/b.txt", "target": "drive:/c.txt"}, shown())
    assert "files_read" in known(memory)


def test_what_was_told_with_an_answer_came_after_it(memory: OfficeMemory) -> None:
    memory.note("files_read", PAGE, shown(told(NoticeKind.MESSAGE, "a.txt is new now.")))
    assert known(memory) == {"desk_tasks"}


@pytest.mark.parametrize(("then", "still_known"), [("Wed 09:00", True), ("Wed 09:30", False)])
def test_a_file_is_read_again_when_its_time_of_change_is_another(
    memory: OfficeMemory, then: str, still_known: bool
) -> None:
    for changed in ("Wed 09:00", then):
        memory.note("files_info", PAGE, ToolResponse("a.txt", {"changed": changed}, NOW))
        assert memory.recall("files_info", PAGE) is None
    assert ("files_read" in known(memory)) == still_known


def test_decisions_are_looked_for_again_since_nothing_tells_of_them(memory: OfficeMemory) -> None:
    memory.note("files_list", {"folder": "drive:/decisions"}, shown())
    assert memory.recall("files_list", {"folder": "drive:/decisions"}) is None
    assert known(memory) == {"files_read", "chat_read_history", "desk_tasks"}


def test_who_changes_what_they_recalled_changes_nothing_for_others(memory: OfficeMemory) -> None:
    recalled = memory.recall("files_read", PAGE)
    assert recalled is not None
    recalled.data["text"] = "changed"
    assert memory.recall("files_read", PAGE) == shown()


def test_a_call_that_failed_shows_nothing_and_its_notices_count(memory: OfficeMemory) -> None:
    other = {"path": "drive:/b.txt"}
    memory.note("files_read", other, ToolFailed("no such file", NOW, (told(NoticeKind.TASK),)))
    assert memory.recall("files_read", other) is None
    assert known(memory) == {"files_read", "chat_read_history"}


def test_every_tool_that_is_named_exists() -> None:
    tools = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
    looking = READING_FILES.union(*(source.tools for source in SOURCES))
    assert set(EFFORT_MINUTES) | looking <= set(tools)
    free = {name for name, minutes in EFFORT_MINUTES.items() if minutes == 0}
    assert {name for name in free | looking if not tools[name].read_only} <= MARK_AS_READ
