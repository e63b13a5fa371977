"""The sheets' tools as an agent calls them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import JsonValue

from tests.mcp_servers.seats import data, refused, said
from trainee_bench.mcp_servers.serving.dispatcher import ToolDispatcher
from trainee_bench.mcp_servers.serving.result_text import estimate_tokens
from trainee_bench.mcp_servers.sheets import TOOLS, Filter
from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.sheets import WorkbookAppears
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.workbook import values
from trainee_bench.world.workbook.edits import CellInput
from trainee_bench.world.workbook.functions import FUNCTIONS
from trainee_bench.world.workbook.model import Sheet
from trainee_bench.world.world import World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))
STAFF = "Name,Team,Hours,Since\nAda,Sales,38.50,2020-03-01\nBob,Ops,40,2021-06-15\nCy,Sales,9,\n"
SQUARES: list[list[CellInput]] = [[n, f"=A{n + 1}*A{n + 1}"] for n in range(1, 3000)]
HARMLESS = {"sheets_list", "sheets_read", "sheets_query", "sheets_calculate"}


def stage(tx: Transaction) -> None:
    FileAppears(path="drive:/hr/staff.csv", text=STAFF).fire(tx)
    FileAppears(path="drive:/readme.md", text="hello").fire(tx)
    WorkbookAppears(
        path="drive:/pay.xlsx",
        sheets={
            "Pay": [["Name", "Hours", "Rate", "Pay"], ["Ada", 10, "€12.50", "=B2*C2"]],
            "Notes": [],
        },
    ).fire(tx)
    WorkbookAppears(
        path="drive:/long.xlsx",
        sheets={
            "Long": [["Number", "Square"], *SQUARES],
            "Wide": [[f"column {n}" for n in range(900)]] * 3,
            "Texts": [["head", "x" * 20_000], ["short", "y"]],
        },
    ).fire(tx)


@pytest.fixture(scope="module")
def staged() -> Iterator[World]:
    """A world that no test changes."""
    with asyncio.Runner() as runner:
        world = runner.run(World.create(None, OPENING, stage))
        yield world
        runner.run(world.close())


@pytest.fixture
async def seat(staged: World) -> AsyncIterator[ToolDispatcher]:
    async with await staged.fork() as world:
        yield ToolDispatcher(world, "robin.hale", [TOOLS])


async def test_a_csv_file_is_read_with_row_numbers(seat: ToolDispatcher) -> None:
    assert await said(seat, "sheets_read", path="drive:/hr/staff.csv") == (
        "Sheet1 A1:D4\n1: Name,Team,Hours,Since\n2: Ada,Sales,38.50,2020-03-01\n"
        "3: Bob,Ops,40,2021-06-15\n4: Cy,Sales,9,"
    )
    assert await data(seat, "sheets_read", path="drive:/hr/staff.csv", range="B3:Z3") == {
        "sheet": "Sheet1",
        "range": "B3:D3",
        "rows": [["Ops", 40, "2021-06-15"]],
        "next_range": None,
        "right_range": None,
    }
    assert "no cells" in await said(seat, "sheets_read", path="drive:/hr/staff.csv", range="F9")


async def test_a_workbook_is_read_as_results_or_as_formulas(seat: ToolDispatcher) -> None:
    results = await said(seat, "sheets_read", path="drive:/pay.xlsx", range="2:2")
    assert results == "Pay A2:D2\n2: Ada,10,€12.50,125"
    formulas = await data(seat, "sheets_read", path="drive:/pay.xlsx", range="2:2", formulas=True)
    assert formulas["rows"] == [["Ada", 10, 12.5, "=B2*C2"]]
    assert await said(seat, "sheets_list", path="drive:/pay.xlsx") == (
        "Pay: A1:D2, 1 formulas\nNotes: empty"
    )


async def test_a_page_chain_gives_every_row_once_and_no_page_is_too_long(
    seat: ToolDispatcher,
) -> None:
    numbers: list[list[JsonValue]] = []
    wanted: JsonValue = ""
    while wanted is not None:
        arguments: dict[str, JsonValue] = {"path": "drive:/long.xlsx", "range": wanted}
        done = await seat.call("sheets_read", arguments)
        assert done.result is not None, done.error
        text, page = done.result.text, done.result.data.model_dump(mode="json")
        assert estimate_tokens(text) < 4000
        assert page["next_range"] is None or f"range={page['next_range']}" in text
        numbers += page["rows"]
        wanted = page["next_range"]
    assert numbers == [["Number", "Square"], *([n, n * n] for n in range(1, 3000))]


async def test_rows_too_wide_are_read_in_parts(seat: ToolDispatcher) -> None:
    first = await data(seat, "sheets_read", path="drive:/long.xlsx", sheet="Wide")
    text = await said(seat, "sheets_read", path="drive:/long.xlsx", sheet="Wide")
    assert estimate_tokens(text) < 4000
    assert first["right_range"] is not None
    assert str(first["right_range"]) in text
    second = await data(
        seat, "sheets_read", path="drive:/long.xlsx", sheet="Wide", range=first["right_range"]
    )
    width = len(first["rows"][0])
    assert second["rows"][0][0] == f"column {width}"


async def test_long_texts_are_cut_and_say_so(seat: ToolDispatcher) -> None:
    text = await said(seat, "sheets_read", path="drive:/long.xlsx", sheet="Texts")
    assert "(20,000 characters in all; use MID to read a part)" in text
    assert len(text) < 1000
    alone = await said(seat, "sheets_read", path="drive:/long.xlsx", sheet="Texts", range="B1")
    assert 1900 < len(alone) < 2000


async def test_rows_are_queried(seat: ToolDispatcher) -> None:
    arguments: dict[str, JsonValue] = {
        "path": "drive:/hr/staff.csv",
        "where": [
            {"column": "team", "op": "=", "value": "sales"},
            {"column": "Hours", "op": "<", "value": 100},
        ],
        "columns": ["Name", "Hours"],
        "sort_by": ["Hours"],
    }
    assert await said(seat, "sheets_query", **arguments) == (
        "2 rows match\ncolumns: Name,Hours\n4: Cy,9\n2: Ada,38.50"
    )
    assert await data(seat, "sheets_query", **arguments, limit=1) == {
        "columns": ["Name", "Hours"],
        "row_numbers": [4],
        "rows": [["Cy", 9]],
        "total": 2,
        "next_offset": 1,
    }
    assert "continue with offset=1" in await said(seat, "sheets_query", **arguments, limit=1)
    last = await said(seat, "sheets_query", **arguments, offset=1)
    assert last.startswith("2 rows match, 2-2 shown\n")
    assert "smaller offset" in await refused(seat, "sheets_query", **arguments, offset=2)
    wrong: list[JsonValue] = [{"column": "Wage", "op": "=", "value": 1}]
    assert "Name, Team, Hours, Since" in await refused(
        seat, "sheets_query", path="drive:/hr/staff.csv", where=wrong
    )
    none: list[JsonValue] = [{"column": "Name", "op": "=", "value": "Zoe"}]
    assert (await said(seat, "sheets_query", path="drive:/hr/staff.csv", where=none)).startswith(
        "0 rows match"
    )


async def test_a_long_query_is_paged_within_its_budget(seat: ToolDispatcher) -> None:
    text = await said(seat, "sheets_query", path="drive:/long.xlsx", limit=5000)
    assert estimate_tokens(text) < 4000
    offset = re.search(r"offset=(\d+)", text)
    assert offset is not None
    following = await data(seat, "sheets_query", path="drive:/long.xlsx", offset=int(offset[1]))
    assert following["rows"][0][0] == int(offset[1]) + 1


async def test_a_query_with_rows_too_long_asks_for_columns(seat: ToolDispatcher) -> None:
    path = "drive:/long.xlsx"
    wide = await refused(seat, "sheets_query", path=path, sheet="Wide")
    assert "name only the columns you need" in wide
    few = await said(seat, "sheets_query", path=path, sheet="Wide", columns=["column 7"])
    assert few == "2 rows match\ncolumns: column 7\n2: column 7\n3: column 7"


async def test_rows_are_counted_and_added_up_by_group(seat: ToolDispatcher) -> None:
    arguments: dict[str, JsonValue] = {
        "path": "drive:/hr/staff.csv",
        "group_by": ["Team"],
        "aggregates": ["count", "sum Hours"],
        "sort_by": ["Team"],
    }
    assert await said(seat, "sheets_query", **arguments) == (
        "2 groups\nTeam,count,sum Hours\nOps,1,40\nSales,2,47.5"
    )
    page = await data(seat, "sheets_query", **arguments)
    assert (page["rows"], page["row_numbers"]) == ([["Ops", 1, 40], ["Sales", 2, 47.5]], [])
    counted = await said(seat, "sheets_query", path="drive:/hr/staff.csv", group_by=["Team"])
    assert counted.startswith("2 groups\nTeam,count\n")
    assert "leave columns out" in await refused(
        seat, "sheets_query", path="drive:/hr/staff.csv", group_by=["Team"], columns=["Name"]
    )


async def test_formulas_are_filled_down(seat: ToolDispatcher) -> None:
    path = "workspace:/fill.xlsx"
    rows: list[JsonValue] = [["n", "square"], [1, "=A2^2"], [2], [3]]
    await said(seat, "sheets_create", path=path, rows=rows)
    filled = await said(seat, "sheets_fill", path=path, source="B2", last_row=4)
    assert filled == "Filled Sheet1 B3:B4 in workspace:/fill.xlsx."
    assert (await data(seat, "sheets_read", path=path, range="B:B"))["rows"] == [
        ["square"], [1], [4], [9],
    ]  # fmt: skip


async def test_a_page_says_first_that_more_follows_and_leaves_no_crumb(
    seat: ToolDispatcher,
) -> None:
    first = await said(seat, "sheets_read", path="drive:/long.xlsx")
    end = int(re.findall(r"continue with range=A(\d+):B3000$", first.splitlines()[0])[0])
    just_over = await said(seat, "sheets_read", path="drive:/long.xlsx", range=f"A1:B{end}")
    assert just_over.splitlines()[0] == f"Long A1:B{end}"


async def test_an_unknown_function_is_refused_with_those_that_are_calculated(
    seat: ToolDispatcher,
) -> None:
    done = await seat.call("sheets_calculate", {"expression": "SUMM(1,2)"})
    assert str(done.error).startswith("SUMM is not calculated here. Write its result as a value")
    listed = str(done.error).partition("use one of these functions: ")[2].removesuffix(".")
    assert listed.split(", ") == sorted(FUNCTIONS)
    assert estimate_tokens(str(done.error)) < 1_500


async def test_a_workbook_is_made_filled_and_calculated(seat: ToolDispatcher) -> None:
    path = "workspace:/sum.xlsx"
    rows: list[JsonValue] = [["Item", "Cost"], ["Pen", 1.5], ["Ink", "2.50"]]
    made = await said(seat, "sheets_create", path=path, rows=rows, sheet="Costs")
    assert made == "Made Costs A1:B3 in workspace:/sum.xlsx."
    assert "A4:B4" in await said(seat, "sheets_append", path=path, rows=[["All", "=SUM(B2:B3)"]])
    assert await said(seat, "sheets_read", path=path, range="B4") == "Costs B4\n4: 4"
    wrote = await said(seat, "sheets_write", path=path, start="D1", rows=[["=1/0", "=NA()", "ok"]])
    assert wrote.endswith("These show errors: D1 #DIV/0!, E1 #N/A.")
    assert "already exists" in await refused(seat, "sheets_create", path=path)


async def test_a_csv_file_keeps_its_form_and_takes_no_formulas(seat: ToolDispatcher) -> None:
    path = "drive:/hr/staff.csv"
    await said(seat, "sheets_append", path=path, rows=[["Dee, D.", "Ops", 12, "2025-01-02"]])
    await said(seat, "sheets_write", path=path, start="C2", rows=[["0012"]])
    written = await seat.world.read(lambda tx: Files(tx).text(path))
    changed = STAFF.replace("38.50", "0012")
    assert written == changed + '"Dee, D.",Ops,12,2025-01-02\n'
    assert "only values" in await refused(seat, "sheets_append", path=path, rows=[["=1+1"]])


async def test_sheets_are_added_renamed_and_deleted(seat: ToolDispatcher) -> None:
    async def change(action: str, sheet: str, **more: str) -> str:
        return await said(
            seat, "sheets_change", path="drive:/pay.xlsx", action=action, sheet=sheet, **more
        )

    assert await change("add", "Sum") == "Added Sum in drive:/pay.xlsx."
    await said(
        seat, "sheets_write", path="drive:/pay.xlsx", sheet="Sum", start="A1", rows=[["=Pay!D2"]]
    )
    await change("rename", "Pay", new_name="Wages")
    formula = await said(seat, "sheets_read", path="drive:/pay.xlsx", sheet="Sum", formulas=True)
    assert formula == "Sum A1\n1: =Wages!D2"
    await change("delete", "Notes")
    assert "Notes" not in await said(seat, "sheets_list", path="drive:/pay.xlsx")
    assert "only for rename" in await refused(
        seat, "sheets_change", path="drive:/pay.xlsx", action="add", sheet="A", new_name="B"
    )


async def test_files_are_converted_both_ways(seat: ToolDispatcher) -> None:
    await said(seat, "sheets_convert", source="drive:/pay.xlsx", target="workspace:/pay.csv")
    await said(seat, "sheets_convert", source="workspace:/pay.csv", target="workspace:/b.xlsx")
    back = await said(seat, "sheets_read", path="workspace:/b.xlsx")
    assert back == "Pay A1:D2\n1: Name,Hours,Rate,Pay\n2: Ada,10,€12.50,125".replace(
        "Pay A", "Sheet1 A"
    )


async def test_one_expression_is_calculated_exactly(seat: ToolDispatcher) -> None:
    assert await said(seat, "sheets_calculate", expression="=ROUND(12.5*3,2)") == "37.5"
    assert await data(seat, "sheets_calculate", expression="0.1+0.2") == {"rows": [[0.3]]}
    assert await said(seat, "sheets_calculate", expression="0.1+0.2-0.3") == "0"
    assert await data(seat, "sheets_calculate", expression="2^53+1") == {"rows": [[2**53 + 1]]}
    assert await said(seat, "sheets_calculate", expression="SEQUENCE(2,2)") == "1,2\n3,4"
    assert await said(seat, "sheets_calculate", expression="1/0") == "#DIV/0!"
    path = "drive:/hr/staff.csv"
    total = await data(seat, "sheets_calculate", path=path, expression='SUMIF(B:B,"Sales",C:C)')
    assert total == {"rows": [[47.5]]}
    many = await said(seat, "sheets_calculate", expression="SEQUENCE(5000)")
    assert "of 5000 rows and 1 of 1 columns" in many
    assert estimate_tokens(many) < 4000
    wide = await said(seat, "sheets_calculate", expression="SEQUENCE(3,4000)")
    assert "of 4000 columns" in wide
    assert estimate_tokens(wide) < 4000
    assert await said(seat, "sheets_calculate", expression='REPT("字",30000)') != ""
    assert (
        estimate_tokens(await said(seat, "sheets_calculate", expression='REPT("😀",9000)')) < 4000
    )
    assert "desk_now" in await refused(seat, "sheets_calculate", expression="TODAY()+1")
    assert "refers to cells" in await refused(seat, "sheets_calculate", expression="SUM(B2:B9)")


async def test_a_file_that_is_not_a_table_is_refused_with_the_right_tool(
    seat: ToolDispatcher,
) -> None:
    assert ".xlsx, .csv" in await refused(seat, "sheets_read", path="drive:/readme.md")
    assert "files_list" in await refused(seat, "sheets_read", path="drive:/nothing.csv")
    assert "drive:/" in await refused(seat, "sheets_read", path="/etc/passwd.csv")
    assert "B3:D9" in await refused(seat, "sheets_read", path="drive:/pay.xlsx", range="B")


async def test_an_error_changes_no_file(seat: ToolDispatcher) -> None:
    def content(tx: Transaction) -> str:
        return Files(tx).workbook("drive:/pay.xlsx")

    before = await seat.world.read(content)
    wrong: list[JsonValue] = [[["=NOW()"]], [["=EDATE(1,1E300)"]], [["a\u0007"]], [[]]]
    for rows in wrong:
        await refused(seat, "sheets_write", path="drive:/pay.xlsx", start="A1", rows=rows)
    assert await seat.world.read(content) == before


def test_reading_tools_say_that_they_only_read() -> None:
    assert {tool.name for tool in TOOLS if tool.read_only} == HARMLESS
    assert {tool.name for tool in TOOLS if tool.destructive} == {
        "sheets_write",
        "sheets_fill",
        "sheets_change",
    }


def test_the_schemas_stay_small() -> None:
    told = [
        {"name": tool.name, "description": tool.description(), "inputSchema": tool.input_schema}
        for tool in TOOLS
    ]
    assert len(told) <= 10
    functions = ", ".join(sorted(FUNCTIONS))
    # 42 arguments, each with a description, which some clients demand
    assert len(json.dumps(told)) - len(functions) <= 6_400
    assert len(functions) <= 2_500


@pytest.mark.parametrize(
    "filter_, right",
    [
        ({"column": "a", "op": ">=", "value": 3}, True),
        ({"column": "a", "op": "contains", "value": "x"}, True),
        ({"column": "a", "op": "like", "value": "x"}, False),
        ({"column": "a", "op": "=", "value": None}, False),
        ({"column": "a", "op": "="}, False),
        ({"column": "a", "op": "=", "value": 1, "more": 2}, False),
    ],
)
async def test_the_shortened_schema_says_what_is_taken(
    seat: ToolDispatcher, filter_: dict[str, JsonValue], right: bool
) -> None:
    schema = seat.tools["sheets_query"].input_schema
    arguments: dict[str, JsonValue] = {"path": "drive:/hr/staff.csv", "where": [filter_]}
    assert Draft202012Validator(schema).is_valid(arguments) is right
    if right:
        assert Filter.model_validate(filter_)
    else:
        assert "sheets_query" in await refused(seat, "sheets_query", **arguments)


async def test_a_changed_workbook_is_laid_out_once_for_a_call(
    seat: ToolDispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out = []
    once = values._sheet_values

    def counted(sheet: Sheet, results: Any) -> values.SheetValues:
        laid_out.append(sheet.name)
        return once(sheet, results)

    monkeypatch.setattr(values, "_sheet_values", counted)
    await data(seat, "sheets_create", path="workspace:/new.xlsx", rows=[[1, "=A1*7919"]])
    await data(seat, "sheets_write", path="workspace:/new.xlsx", start="A1", rows=[[3]])
    assert laid_out == ["Sheet1", "Sheet1"]
