"""A step in words, as somebody would tell it who looked on."""

from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import JsonValue

from trainee_bench.harness.worth.loss_words import step_in_words
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.week import NEXT_DAY

AT = datetime(2025, 10, 1, 9, 25)
PEOPLE = 5


def step(tool: str, arguments: dict[str, JsonValue], *, ok: bool = True) -> str:
    entry = LogEntry(
        seq=1, at=AT, until=AT, actor="me", tool=tool, arguments=arguments, ok=ok, text="",
        data=None, notices=(), effects={},
    )  # fmt: skip
    return step_in_words(entry, PEOPLE)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("mail_send", {"to": ["a", "b"]}, "mail sent to a and b"),
        ("mail_send", {"to": ["a", "b", "c", "d"]}, "mail sent to 4 people"),
        ("mail_send", {"to": ["a", "b", "c", "d", "e"]}, "mail sent to all"),
        ("mail_send", {}, "mail sent to nobody"),
        ("desk_wait", {"minutes": 5}, "waited until 09:25"),
        ("desk_submit", {"task": "T2"}, "T2 handed in"),
        ("files_write", {"path": "workspace:/a.md", "text": "x"}, "workspace:/a.md written"),
        (
            "files_read",
            {"path": "drive:/a_long_name_of_a_folder/and_another_one/a.md"},
            "…/a.md read",
        ),
        (
            "calendar_book",
            {"title": "F-6: outlook", "starts": "14:15"},
            'booked "F-6: outlook" for 14:15',
        ),
        ("chat_create_group", {"name": "Team A"}, 'group "Team A" made'),
        (NEXT_DAY, {}, "the night passed"),
        ("somebodys_tool", {"what": "this"}, "somebodys_tool this"),
        ("desk_submit", {}, "desk_submit"),
    ],
)
def test_a_step_is_told_by_what_was_done_and_to_what(
    tool: str, arguments: dict[str, JsonValue], words: str
) -> None:
    assert step(tool, arguments) == words


def test_a_refused_step_says_so() -> None:
    assert step("desk_submit", {"task": "T9"}, ok=False) == "T9 handed in (refused)"


def test_words_have_one_line_and_an_end() -> None:
    told = step("chat_send_message", {"to": f"somebody\nwith {'a long name' * 30}"})
    assert "\n" not in told
    assert len(told) <= 60
