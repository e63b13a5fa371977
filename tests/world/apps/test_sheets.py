"""Workbooks and CSV files among the files."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from trainee_bench.world.apps.files import FileAppears, Files
from trainee_bench.world.apps.sheets import CellError, SheetChange, Sheets, WorkbookAppears
from trainee_bench.world.errors import Invalid, NotFound, Refused, WorldError
from trainee_bench.world.transaction import Result, Transaction, deserialize
from trainee_bench.world.workbook.edits import CellInput
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.query import Condition, Operator
from trainee_bench.world.workbook.xlsx import to_xlsx
from trainee_bench.world.world import World, WorldConfig

START = datetime(2025, 10, 1, 9)
OPENING = WorldConfig(employee="robin.hale", starts=START, ends=datetime(2025, 10, 1, 18))
PAY: dict[str, list[list[CellInput]]] = {"Pay": [["Name", "Pay"], ["Ada", "=10*12.5"]], "Notes": []}
CSV = "drive:/list.csv"
BOOK = "drive:/pay.xlsx"
T = TypeVar("T")


class Nothing(BaseModel):
    """No data."""


def stage(tx: Transaction) -> None:
    FileAppears(path=CSV, text="\ufeffid;name\r\n0012;Ann, Lee\r\n").fire(tx)
    FileAppears(path="drive:/note.txt", text="id,name\n").fire(tx)
    WorkbookAppears(path=BOOK, sheets=PAY).fire(tx)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with await World.create_inline(OPENING, stage) as world:
        yield world


async def do(world: World, verb: Callable[[Sheets], T], actor: str = "robin.hale") -> T:
    """What *verb* returns, or the error it is refused with."""
    got: list[T] = []

    def act(tx: Transaction) -> Result[Nothing]:
        got.append(verb(Sheets(tx)))
        return Result("", Nothing())

    done = await world.execute(actor, "sheets", {}, act)
    if done.error is not None:
        raise done.error
    return got[0]


async def text(world: World, path: str) -> str:
    return await world.read(lambda tx: Files(tx).text(path))


async def shown(world: World, path: str, sheet: str = "") -> list[list[str]]:
    reading = await do(world, lambda sheets: sheets.read(path, "", sheet))
    return [["" if value is None else value.text for value in row] for row in reading.rows]


async def test_both_kinds_of_file_are_read_alike(world: World) -> None:
    assert await shown(world, CSV) == [["id", "name"], ["0012", "Ann, Lee"]]
    assert await shown(world, BOOK) == [["Name", "Pay"], ["Ada", "125"]]
    assert await shown(world, BOOK, "notes") == []


async def test_a_reading_has_values_and_what_was_typed(world: World) -> None:
    reading = await do(world, lambda sheets: sheets.read(BOOK, "A2:C9"))
    assert (reading.sheet, str(reading.area)) == ("Pay", "A2:B2")
    assert [list(row) for row in reading.typed] == [["Ada", "=10*12.5"]]
    nothing = await do(world, lambda sheets: sheets.read(BOOK, "Z1:Z9"))
    assert (nothing.area, nothing.rows) == (None, ())


async def test_the_first_part_of_a_sheet_with_far_corners_is_laid_out(world: World) -> None:
    await do(world, lambda sheets: sheets.write(BOOK, "XFD1048576", [[1]]))
    reading = await do(world, lambda sheets: sheets.read(BOOK))
    assert str(reading.area) == "A1:XFD1048576"
    assert (len(reading.rows), len(reading.rows[0])) == (2000, 400)
    with pytest.raises(Invalid, match="maximum at once is 1000000"):
        await do(world, lambda sheets: sheets.convert(BOOK, "workspace:/big.csv"))


async def test_the_sheets_are_listed_with_what_they_use(world: World) -> None:
    facts = await do(world, lambda sheets: sheets.sheets(BOOK))
    assert [(one.name, one.used, one.formulas) for one in facts] == [
        ("Pay", "A1:B2", 1),
        ("Notes", "", 0),
    ]


async def test_a_csv_file_keeps_separator_line_ends_and_mark(world: World) -> None:
    change = await do(world, lambda sheets: sheets.append(CSV, [["0013", 'a "b"; c', 1.5]]))
    assert change == SheetChange(path=CSV, sheet="Sheet1", range="A3:C3")
    assert await text(world, CSV) == (
        '\ufeffid;name;\r\n0012;Ann, Lee;\r\n0013;"a ""b""; c";1.5\r\n'
    )


async def test_writing_back_what_was_read_changes_no_byte(world: World) -> None:
    before = await text(world, CSV)
    await do(world, lambda sheets: sheets.write(CSV, "A1", [["id"]]))
    assert await text(world, CSV) == before
    assert await world.read(lambda tx: Files(tx).changed_drive_files()) == []


async def test_a_csv_file_takes_no_formulas_and_no_second_sheet(world: World) -> None:
    verbs: list[Callable[[Sheets], object]] = [
        lambda sheets: sheets.write(CSV, "A1", [["=1+1"]]),
        lambda sheets: sheets.create("workspace:/new.csv", [["=1+1"]]),
        lambda sheets: sheets.create("workspace:/new.csv", [["a"]], "Data"),
        lambda sheets: sheets.add_sheet(CSV, "Two"),
        lambda sheets: sheets.rename_sheet(CSV, "Sheet1", "Two"),
        lambda sheets: sheets.delete_sheet(CSV, "Sheet1"),
    ]
    for verb in verbs:
        with pytest.raises(Refused, match=r"\.csv file h"):
            await do(world, verb)


async def test_new_files_are_made_by_their_ending(world: World) -> None:
    rows = [["Name", "Hours"], ["Ada", 3]]
    for path in ("workspace:/a.csv", "workspace:/a.tsv", "workspace:/a.xlsx"):
        await do(world, lambda sheets, path=path: sheets.create(path, rows))  # type: ignore[misc]
        assert await shown(world, path) == [["Name", "Hours"], ["Ada", "3"]]
    assert await text(world, "workspace:/a.csv") == "Name,Hours\nAda,3\n"
    assert await text(world, "workspace:/a.tsv") == "Name\tHours\nAda\t3\n"
    with pytest.raises(Refused, match="already exists"):
        await do(world, lambda sheets: sheets.create("workspace:/a.csv"))
    with pytest.raises(Invalid, match=r"\.xlsx, \.csv"):
        await do(world, lambda sheets: sheets.create("workspace:/a.txt"))


async def test_a_change_tells_which_written_cells_show_errors(world: World) -> None:
    change = await do(world, lambda sheets: sheets.write(BOOK, "C1", [["=1/0", "=A1", "#N/A"]]))
    assert change.flaws == (
        CellError(cell="C1", error="#DIV/0!"),
        CellError(cell="E1", error="#N/A"),
    )
    later = await do(world, lambda sheets: sheets.write(BOOK, "A9", [["fine"]]))
    assert later.flaws == ()


async def test_a_workbook_that_cannot_be_calculated_is_not_kept(world: World) -> None:
    digest = await world.read(lambda tx: Files(tx).workbook(BOOK))
    for formula in ("=EDATE(1,1E300)", "=NOW()", "=" + "(" * 100):
        with pytest.raises(WorldError):
            await do(world, lambda sheets, it=formula: sheets.write(BOOK, "A1", [[it]]))  # type: ignore[misc]
    assert await world.read(lambda tx: Files(tx).workbook(BOOK)) == digest


async def test_sheets_come_and_go(world: World) -> None:
    await do(world, lambda sheets: sheets.add_sheet(BOOK, "Sum"))
    await do(world, lambda sheets: sheets.write(BOOK, "A1", [["=Pay!B2"]], "Sum"))
    change = await do(world, lambda sheets: sheets.rename_sheet(BOOK, "pay", "Wages"))
    assert change.sheet == "Wages"
    assert await shown(world, BOOK, "Sum") == [["125"]]
    await do(world, lambda sheets: sheets.delete_sheet(BOOK, "Notes"))
    with pytest.raises(NotFound, match="Wages, Sum"):
        await do(world, lambda sheets: sheets.delete_sheet(BOOK, "Notes"))


async def test_files_are_converted_in_the_form_of_the_new_name(world: World) -> None:
    await do(world, lambda sheets: sheets.convert(BOOK, "workspace:/pay.csv"))
    assert await text(world, "workspace:/pay.csv") == "Name,Pay\nAda,125\n"
    await do(world, lambda sheets: sheets.convert(CSV, "workspace:/list.xlsx"))
    assert await shown(world, "workspace:/list.xlsx") == [["id", "name"], ["0012", "Ann, Lee"]]
    await do(world, lambda sheets: sheets.convert(BOOK, "workspace:/copy.xlsx"))
    assert await do(world, lambda sheets: sheets.workbook("workspace:/copy.xlsx")) == await do(
        world, lambda sheets: sheets.workbook(BOOK)
    )
    with pytest.raises(Refused, match="already exists"):
        await do(world, lambda sheets: sheets.convert(BOOK, CSV))
    with pytest.raises(NotFound, match="Costs"):
        await do(world, lambda sheets: sheets.convert(BOOK, "workspace:/x.csv", "Costs"))


async def test_real_xlsx_files_come_in_and_go_out(world: World) -> None:
    file = await do(world, lambda sheets: sheets.export_xlsx(BOOK))
    assert file.startswith(b"PK")
    await do(world, lambda sheets: sheets.import_xlsx("workspace:/in.xlsx", file))
    assert await shown(world, "workspace:/in.xlsx") == [["Name", "Pay"], ["Ada", "125"]]
    with pytest.raises(Invalid, match="xlsx"):
        await do(world, lambda sheets: sheets.import_xlsx("workspace:/bad.xlsx", b"PK\x03\x04"))


async def test_rows_are_queried_and_expressions_calculated(world: World) -> None:
    where = [Condition("id", Operator.EQUAL, "0012")]
    found = await do(world, lambda sheets: sheets.query(CSV, where, ["name"]))
    assert [[value.text for value in row if value] for _, row in found.rows] == [["Ann, Lee"]]
    ((value,),) = await do(world, lambda sheets: sheets.calculate("SUM(B:B)*2", BOOK))
    assert value.value == 250
    ((value,),) = await do(world, lambda sheets: sheets.calculate("2^10"))
    assert value.value == 1024


async def test_everybody_has_a_workspace_of_their_own(world: World) -> None:
    await do(world, lambda sheets: sheets.create("workspace:/mine.csv", [["a"]]))
    with pytest.raises(NotFound):
        await do(world, lambda sheets: sheets.read("workspace:/mine.csv"), actor="mara.lindt")


def test_an_event_has_rows_or_a_file_and_survives_being_stored() -> None:
    event = WorkbookAppears(path=BOOK, sheets=PAY)
    assert deserialize("WorkbookAppears", event.model_dump_json()) == event
    with pytest.raises(ValidationError, match="either"):
        WorkbookAppears(path=BOOK)
    with pytest.raises(ValidationError, match="either"):
        WorkbookAppears(path=BOOK, sheets=PAY, xlsx_base64="UEs=")


async def test_an_xlsx_file_appears_as_the_workbook_in_it() -> None:
    book = Workbook(sheets=(Sheet(name="S", cells={"A1": "2026-11-21", "B1": "=A1+1"}),))
    event = WorkbookAppears(path=BOOK, xlsx_base64=base64.b64encode(to_xlsx(book)).decode())
    async with await World.create_inline(OPENING, event.fire) as world:
        assert await shown(world, BOOK) == [["2026-11-21", "2026-11-22"]]
        assert await world.read(lambda tx: Files(tx).workbook(BOOK)) == book.dump()


async def test_the_order_of_typing_leaves_no_trace_in_the_digest() -> None:
    async def kept(*writes: tuple[str, CellInput]) -> str:
        def stage(tx: Transaction) -> None:
            sheets = Sheets(tx)
            sheets.create(BOOK)
            for at, value in writes:
                sheets.write(BOOK, at, [[value]])

        async with await World.create_inline(OPENING, stage) as world:
            return await world.read(lambda tx: Files(tx).workbook(BOOK))

    assert await kept(("A1", 1), ("B2", "x")) == await kept(("B2", "'x"), ("A1", "1"))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.text(max_size=6) | st.sampled_from(["A1", "B2", "XFD1048576"]),
    value=st.text(max_size=20) | st.integers() | st.floats() | st.sampled_from(["=A1", "=TODAY()"]),
    path=st.sampled_from([CSV, BOOK, "drive:/note.txt", "drive:/gone.csv", "../x.csv", ""]),
)
async def test_any_write_is_done_or_refused_in_words(
    start: str, value: str | int | float, path: str
) -> None:
    async with await World.create_inline(OPENING, stage) as world:
        try:
            change = await do(world, lambda sheets: sheets.write(path, start, [[value]]))
        except WorldError as error:
            assert "/tmp" not in str(error)  # noqa: PT017
            return
        assert change.path == path
        await do(world, lambda sheets: sheets.read(path))
