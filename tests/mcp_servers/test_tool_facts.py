"""What tools declare of themselves beside what agents are told, and the lists of tools that remain.

A new app would be missing from a list without a word, so each list has all tools or says why not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from trainee_bench.harness.generation.draft import effort_minutes
from trainee_bench.mcp_servers import default_toolboxes, discover_tools
from trainee_bench.mcp_servers.serving.toolbox import FileUse
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.work.urgency import FINAL, RANKS

pytestmark = pytest.mark.every_app
TOOLS = discover_tools()
WRITTEN = {"path", "paths", "changed"}
"""Fields of a result that name files which the call has written."""
SEAT = Path(__file__).parents[2] / "harness" / "studio" / "static" / "seat"

USUAL = "nothing that is to happen changes whether it is right"
UNUSED = "honest work does not use it"
NOT_RANKED: Mapping[str, str] = {
    "calendar_attend": "an appointment, which goes before all ranks",
    "calendar_cancel": USUAL,
    "calendar_export": UNUSED,
    "chat_create_group": "made with the question that goes to it",
    "desk_finish_day": UNUSED,
    "desk_wait": "the planner waits where nothing can be done",
    "desk_write_note": UNUSED,
    "files_delete": USUAL,
    "files_edit": UNUSED,
    "files_move": UNUSED,
    "mail_forward": USUAL,
    "mail_label": UNUSED,
    "mail_read": "a look, which only marks the mail as read",
    "mail_reply": USUAL,
    "mail_save": UNUSED,
    "monitor_reboot_server": UNUSED,
    "monitor_start_maintenance": USUAL,
    "sheets_append": UNUSED,
    "sheets_change": UNUSED,
    "sheets_convert": UNUSED,
    "sheets_fill": UNUSED,
    "sheets_write": UNUSED,
}
"""Why a tool has the usual urgency, whatever may still happen. Those of opt-in apps have it, too,
until honest work of a family uses them: no rule that ships does."""


def check_list(listed: Collection[str], exempt: Collection[str], known: Collection[str]) -> None:
    """Each tool in *known* is either *listed* or *exempt*, and nothing else is exempt."""
    missing = sorted(set(known) - set(listed) - set(exempt))
    assert not missing, f"list {missing}, or say beside the exemptions why not"
    assert not set(exempt) & set(listed) and set(exempt) <= set(known)


def test_a_tool_that_writes_files_says_what_it_does_to_them() -> None:
    for name, tool in TOOLS.items():
        writes = not tool.read_only and WRITTEN & tool.data.model_fields.keys()
        assert bool(writes) is (tool.files is not FileUse.NOTHING), (
            f"{name} names a file in its result: declare it with files=FileUse.…, which bounds, "
            "provenance and questions before a call go by"
        )
        assert tool.files is not FileUse.NOTHING or not tool.copies, name


def test_tool_facts_about_arguments_name_real_arguments() -> None:
    for name, tool in TOOLS.items():
        named = {argument for argument in (tool.content, tool.once) if argument}
        assert named <= tool.arguments.model_fields.keys(), name
        if tool.content:
            assert tool.writes_content and tool.files in (FileUse.WRITES, FileUse.MAKES), name
        if tool.files in (FileUse.WRITES, FileUse.MAKES, FileUse.CHANGES):
            assert {"path", "source"} & tool.arguments.model_fields.keys(), name
        if tool.files is FileUse.MAKES:
            assert {"path", "target"} & tool.arguments.model_fields.keys(), name


def test_days_that_charge_for_work_cost_what_those_cost_that_are_shipped() -> None:
    charged = [s.minutes for s in load_shipped_benchmark("expert-50").scenarios if s.minutes]
    assert charged and all(minutes.items() <= effort_minutes().items() for minutes in charged)


def test_every_tool_that_changes_something_has_an_urgency_or_a_reason() -> None:
    assert {*FINAL, *RANKS} <= TOOLS.keys()
    usual = [tool for box in default_toolboxes().values() for tool in box]
    changing = {tool.name for tool in usual if not tool.read_only}
    check_list({*FINAL, *RANKS}, NOT_RANKED, changing)


def test_the_page_of_a_seat_knows_what_every_tool_loses_that_replaces_or_changes_files() -> None:
    listed = set(re.findall(r"^  (\w+): \(", (SEAT / "undo.mjs").read_text("utf-8"), re.MULTILINE))
    assert listed <= TOOLS.keys()
    replacing = {n for n, t in TOOLS.items() if t.files in (FileUse.WRITES, FileUse.CHANGES)}
    check_list(listed, (), replacing)
