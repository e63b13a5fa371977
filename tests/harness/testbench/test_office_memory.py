"""What an oracle remembers of an office, and when it looks again."""

from __future__ import annotations

from datetime import datetime

import pytest

from trainee_bench.harness.generation.call_costs import EFFORT_MINUTES
from trainee_bench.harness.testbench.office_memory import SOURCES, OfficeMemory
from trainee_bench.mcp_servers import discover_toolboxes
from trainee_bench.meta_tasks.tool_client import ToolFailed, ToolResponse
from trainee_bench.world.transaction import NoticeKind

NOW = datetime(2025, 10, 1, 9)
MARK_AS_READ = {"chat_read_history", "mail_read"}
PAGE = {"path": "drive:/a.txt"}


def shown(*told: NoticeKind) -> ToolResponse:
    return ToolResponse("what is there", {}, NOW, notices=told)


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
    ("told", "still_known"),
    [
        (NoticeKind.TASK, {"chat_read_history"}),
        (NoticeKind.DEADLINE, {"files_read", "chat_read_history"}),
        (NoticeKind.MESSAGE, {"desk_tasks"}),
        (NoticeKind.NEWS, set[str]()),
    ],
)
def test_a_notice_makes_one_look_again_where_it_may_matter(
    memory: OfficeMemory, told: NoticeKind, still_known: set[str]
) -> None:
    memory.note("desk_wait", {}, shown(told))
    assert known(memory) == still_known


@pytest.mark.parametrize(
    ("done", "still_known"),
    [
        ("files_write", {"chat_read_history", "desk_tasks"}),
        ("chat_send_message", {"files_read", "desk_tasks"}),
        ("desk_submit", {"files_read", "chat_read_history"}),
        ("calendar_export", {"chat_read_history", "desk_tasks"}),
        ("calendar_attend", {"chat_read_history"}),
        ("files_list", {"files_read", "chat_read_history", "desk_tasks"}),
    ],
)
def test_what_one_does_makes_one_look_again_in_that_app_and_looking_does_not(
    memory: OfficeMemory, done: str, still_known: set[str]
) -> None:
    memory.note(done, {}, shown())
    assert known(memory) == still_known


def test_what_was_told_with_an_answer_came_after_it(memory: OfficeMemory) -> None:
    memory.note("files_info", PAGE, shown(NoticeKind.MESSAGE))
    assert memory.recall("files_info", PAGE) is None
    assert known(memory) == {"desk_tasks"}


def test_who_changes_what_they_recalled_changes_nothing_for_others(memory: OfficeMemory) -> None:
    recalled = memory.recall("files_read", PAGE)
    assert recalled is not None
    recalled.data["text"] = "changed"
    assert memory.recall("files_read", PAGE) == shown()


def test_a_call_that_failed_shows_nothing_and_its_notices_count(memory: OfficeMemory) -> None:
    memory.note("files_info", PAGE, ToolFailed("no such file", NOW, (NoticeKind.TASK,)))
    assert memory.recall("files_info", PAGE) is None
    assert known(memory) == {"chat_read_history"}


def test_every_tool_that_is_named_exists() -> None:
    tools = {tool.name: tool for box in discover_toolboxes().values() for tool in box}
    looking = set().union(*(source.tools for source in SOURCES))
    assert set(EFFORT_MINUTES) | looking <= set(tools)
    free = {name for name, minutes in EFFORT_MINUTES.items() if minutes == 0}
    assert {name for name in free | looking if not tools[name].read_only} <= MARK_AS_READ
