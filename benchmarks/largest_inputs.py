"""The cost of each tool call on the largest files, workbooks and mailboxes of an agent.

    python benchmarks/largest_inputs.py [--only TOOL]

The agent has filled its workspace (50 MB, 5,000 files), a workbook (100,000 cells, 4 million
characters) and a CSV file (1 MB). Its mailbox, calendar and chat have one entry for each minute of
a working day. Design target: 2 s of processor time for each call, including the spreadsheet
engine. The slowest calls come last; exit code 1 if one is slower.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio
from pydantic import JsonValue

from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.meta_tasks.benchmark import find_scenario
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.world.apps.chat import MAX_MESSAGE_LENGTH
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.mail import MAX_BODY_LENGTH, MailArrives
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.filesystem.store import MAX_TEXT_BYTES
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.model import MAX_CELLS, MAX_CHARACTERS, Sheet, Workbook
from trainee_bench.world.world import World, WorldConfig

TARGET_SECONDS = 2.0
ENTRIES = 720
"""The mails, messages or meetings that an agent can make in twelve hours, one per minute."""
Call = tuple[str, dict[str, JsonValue]]
ROWS = 5_000
COLUMNS = MAX_CELLS // ROWS


def letter(column: int) -> str:
    return str(CellAddress(1, column)).removesuffix("1")


def filled_workbook() -> Workbook:
    """Texts of all characters that are allowed, one header row."""
    length = MAX_CHARACTERS // MAX_CELLS - 4
    cells = {
        f"{letter(column)}{row}": f"c{column}" if row == 1 else f"{row % 97:03}".ljust(length, "x")
        for row in range(1, ROWS + 1)
        for column in range(1, COLUMNS + 1)
    }
    return Workbook(sheets=(Sheet(name="S", cells=cells),))


def numbers_workbook(formulas: int) -> Workbook:
    """The same number of cells; some are formulas that read columns of numbers."""
    cells = {
        f"{letter(column)}{row}": f"c{column}" if row == 1 else str((row * column) % 1009 + 0.25)
        for row in range(1, ROWS + 1)
        for column in range(1, COLUMNS)
    }
    cells |= {f"T{row}": f"=A{row}*B{row}+SUM(C{row}:F{row})" for row in range(2, formulas + 2)}
    return Workbook(sheets=(Sheet(name="S", cells=cells),))


def furnish(tx: Transaction, composition: ComposedDay) -> None:
    composition.populate(tx)
    files = Files(tx)
    line = "the figures of this line hold, as far as we know; see the table\n"
    text = (line * (MAX_TEXT_BYTES // len(line))).encode()
    used = 0
    for number in range(30):
        put_text(files, f"workspace:/big/{number}.txt", text)
        used += len(text)
    for number in range(4_800):
        put_text(files, f"workspace:/many/{number % 60}/{number}.txt", b"a short note\n")
    header = ",".join(f"c{column}" for column in range(1, 21)) + "\n"
    row = ",".join(str(column * 37 % 91) for column in range(20)) + "\n"
    rows = header + row * ((MAX_TEXT_BYTES - len(header)) // len(row))
    put_text(files, "workspace:/table.csv", rows.encode())
    put_text(files, "workspace:/line.txt", b"x" * MAX_TEXT_BYTES)
    put_text(files, "workspace:/commas.csv", b"," * MAX_TEXT_BYTES)
    put_text(files, "workspace:/quotes.csv", b'"' * (MAX_TEXT_BYTES - 1))
    put_text(files, "workspace:/lines.csv", b"a\n" * (MAX_TEXT_BYTES // 2))
    files.write_workbook("workspace:/texts.xlsx", filled_workbook().dump())
    files.write_workbook("workspace:/numbers.xlsx", numbers_workbook(4_000).dump())
    people = [person.id for person in composition.company.people[:40]]
    starts = composition.world_config().starts
    for number in range(ENTRIES):
        body = f"{number} " + "We looked at the figures again. " * (MAX_BODY_LENGTH // 33)
        mail = MailArrives(
            sender=people[5], to=(tx.employee, *people), subject=f"Figures {number}", body=body
        )
        tx.enqueue(starts, mail)


def put_text(files: Files, path: str, text: bytes) -> None:
    files.put(path, FileContent(kind=FileKind.TEXT, data=text))


def file_calls() -> list[Call]:
    big = "workspace:/big/7.txt"
    edits: list[JsonValue] = [{"old": "the figures of no line", "new": "none"}]
    return [
        ("files_list", {"folder": "workspace:/"}),
        ("files_list", {"folder": "workspace:/many/7"}),
        ("files_read", {"path": big, "offset": 14_000}),
        ("files_read", {"path": "workspace:/line.txt", "column": 900_000}),
        ("files_info", {"path": big}),
        ("files_search", {"query": "the table"}),
        ("files_search", {"query": "nowhere to be found"}),
        ("files_search", {"query": "e"}),
        ("files_search", {"query": "x" * 200, "folder": "workspace:/"}),
        ("files_edit", {"path": big, "edits": edits}),
        ("files_write", {"path": "workspace:/new.txt", "text": "y" * MAX_TEXT_BYTES}),
        ("files_copy", {"source": "workspace:/many/7", "target": "workspace:/again"}),
        ("files_move", {"source": "workspace:/many/8", "target": "workspace:/moved"}),
        ("files_delete", {"path": "workspace:/again"}),
    ]


def sheet_calls() -> list[Call]:
    texts, numbers, table = (f"workspace:/{n}" for n in ("texts.xlsx", "numbers.xlsx", "table.csv"))
    where: list[JsonValue] = [{"column": "c2", "op": "contains", "value": "x" * 30}]
    sums: list[JsonValue] = ["sum c3", "median c4"]
    calls: list[Call] = []
    for path in (texts, numbers, table):
        calls += [
            ("sheets_list", {"path": path}),
            ("sheets_read", {"path": path}),
            ("sheets_read", {"path": path, "range": "A4990:T5000", "formulas": True}),
            ("sheets_query", {"path": path, "where": where, "sort_by": ["c4", "-c5"]}),
            ("sheets_query", {"path": path, "group_by": ["c2"], "aggregates": sums}),
            ("sheets_write", {"path": path, "start": "A2", "rows": [[1, 2, 3]]}),
            ("sheets_calculate", {"path": path, "expression": "SUM(A:Z)"}),
            ("sheets_calculate", {"path": path, "expression": "AVERAGE(UNIQUE(C2:C5000))"}),
            ("sheets_calculate", {"path": path, "expression": 'COUNTIF(A2:T5000,"*x*")'}),
        ]
    for name in ("commas", "quotes", "lines"):
        calls.append(("sheets_read", {"path": f"workspace:/{name}.csv"}))
    return [
        *calls,
        ("sheets_fill", {"path": numbers, "source": "T2", "last_row": ROWS}),
        ("sheets_append", {"path": numbers, "rows": [["x"] * 20]}),
        ("sheets_convert", {"source": texts, "target": "workspace:/texts.xlsx.csv"}),
        ("sheets_convert", {"source": table, "target": "workspace:/table.xlsx"}),
        ("sheets_change", {"path": numbers, "action": "rename", "sheet": "S", "new_name": "N"}),
        ("sheets_calculate", {"expression": "SUM(SEQUENCE(200000))"}),
        ("sheets_calculate", {"expression": 'TEXTJOIN(",",TRUE,SEQUENCE(100000))'}),
        ("sheets_calculate", {"expression": "FACT(170)*2^4096"}),
        ("sheets_calculate", {"expression": "+".join(["SUM(SEQUENCE(9000))"] * 300)}),
    ]


def message_calls(people: list[str]) -> list[Call]:
    attached: list[JsonValue] = [f"workspace:/big/{number}.txt" for number in range(9)]
    text = "Which figures hold, and who knows the postage? " * 90
    return [
        ("mail_list", {}),
        ("mail_search", {"query": "looked at the figures"}),
        ("mail_search", {"query": "nowhere to be found"}),
        ("mail_read", {"mail": 700, "offset": 90_000}),
        ("mail_reply", {"mail": 700, "body": "z" * MAX_BODY_LENGTH, "everybody": True}),
        ("mail_forward", {"mail": 700, "to": [*people[:40]]}),
        ("mail_send", {"to": [people[3]], "subject": "s", "body": "b", "attachments": attached}),
        ("mail_label", {"mail": 700, "add": ["one", "two"]}),
        ("mail_save", {"mail": 700, "path": "workspace:/saved.eml"}),
        ("chat_send_message", {"to": people[4], "text": text[:MAX_MESSAGE_LENGTH]}),
        ("chat_read_history", {"peer": people[4]}),
        ("chat_list_people", {"query": "e"}),
        ("calendar_list", {}),
        ("calendar_find_busy", {"people": [*people[:10]]}),
        ("calendar_export", {"path": "workspace:/all.ics"}),
        ("desk_tasks", {}),
        ("monitor_read_logs", {"server": "web-1", "lines": 200}),
    ]


async def fill_chat(seat: ToolDispatcher, person: str) -> None:
    for number in range(ENTRIES):
        await seat.call("chat_send_message", {"to": person, "text": f"{number} " * 600})
        await seat.call("desk_write_note", {"text": f"{number} " * 600})


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="tools whose names begin with this")
    only = parser.parse_args().only
    composition = compose_day(find_scenario())
    opening = composition.world_config()
    toolboxes = default_toolboxes()
    free = dict.fromkeys((tool.name for box in toolboxes.values() for tool in box), 0)
    config = WorldConfig(**{**vars(opening), "minutes_by_tool": free})
    people = [person.id for person in composition.company.people]
    measured: list[tuple[float, str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.world"
        async with await World.create(path, config, lambda tx: furnish(tx, composition)) as world:
            seat = ToolDispatcher(world, composition.company.trainee.id, toolboxes.values())
            if "chat".startswith(only[:4]) or "desk".startswith(only[:4]):
                await fill_chat(seat, people[4])
            for tool, arguments in (*file_calls(), *sheet_calls(), *message_calls(people)):
                if tool.startswith(only):
                    measured.append(await measure(seat, tool, arguments))
    for seconds, call, text in sorted(measured):
        print(f"{seconds:7.3f} s  {call:<90} {text}")
    return int(max(measured)[0] > TARGET_SECONDS)


def processor_seconds() -> float:
    """Return the processor time of this process and of its child, the engine, if the system tells
    it."""
    total = time.process_time()
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


async def measure(
    seat: ToolDispatcher, tool: str, arguments: dict[str, Any]
) -> tuple[float, str, str]:
    began = processor_seconds()
    done = await seat.call(tool, arguments)
    seconds = processor_seconds() - began
    text = f"refused: {done.error}" if done.result is None else done.result.text
    return seconds, f"{tool} {arguments}"[:90], " ".join(text.split())[:60]


if __name__ == "__main__":
    sys.exit(anyio.run(main))
