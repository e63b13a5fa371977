"""Criteria over texts that look like numbers, dates, times and truth values.

`recorded_criteria.json` holds LibreOffice's values of the formulas in `criteria_tables` (see
record_formulas.py). Values written here were worked out by hand.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from benchmarks.formulas_against_libreoffice import agree, value_of
from tests.world.workbook.criteria_tables import criteria_formulas, criteria_workbook
from tests.world.workbook.libreoffice import Value
from trainee_bench.world.errors import Refused
from trainee_bench.world.workbook import engine
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.array_arguments import formula_for_engine
from trainee_bench.world.workbook.model import Sheet, Workbook
from trainee_bench.world.workbook.typed_cells import TypedCells, TypedSheet
from trainee_bench.world.workbook.values import calculate, calculate_within

WORKBOOK = criteria_workbook()
RECORDED: dict[str, list[list[Value]]] = json.loads(
    Path(__file__).with_name("recorded_criteria.json").read_text(encoding="utf-8")
)
FORMULAS_AT_ONCE = 150
DATES = [f"2025-09-{day:02}" for day in range(1, 31)]


def calculated(formula: str, workbook: Workbook = WORKBOOK) -> str:
    return calculate_within(workbook, workbook.sheets[0].name, formula)[0][0].text


def sheet_of(name: str = "S", **columns: list[str]) -> Sheet:
    return Sheet(
        name=name,
        cells={
            f"{column}{row}": typed
            for column, cells in columns.items()
            for row, typed in enumerate(cells, 1)
        },
    )


def for_engine(formula: str, sheet: Sheet) -> str:
    """The formula as the engine gets it, in a workbook in which nothing spills."""
    typed = TypedCells({sheet.name.casefold(): TypedSheet(sheet.places, None)}).on(sheet.name)
    return formula_for_engine(formula, {}, len(sheet.cells), typed)


@pytest.mark.parametrize("first", range(0, len(RECORDED), FORMULAS_AT_ONCE))
def test_criteria_find_the_cells_that_another_spreadsheet_program_finds(first: int) -> None:
    formulas = list(RECORDED)[first : first + FORMULAS_AT_ONCE]
    (sheet,) = WORKBOOK.sheets
    written = {f"T{row}": f"={formula}" for row, formula in enumerate(formulas, 1)}
    (values,) = calculate(Workbook(sheets=(Sheet(name="S", cells={**sheet.cells, **written}),)))
    differing = []
    for row, formula in enumerate(formulas, 1):
        ours, [[theirs]] = value_of(values.cells[CellAddress(row, 20)]), RECORDED[formula]
        if not agree(ours, theirs):
            differing.append((formula, ours, theirs))
    assert differing == []


def test_every_formula_of_the_tables_is_recorded() -> None:
    assert list(RECORDED) == list(criteria_formulas())


@pytest.mark.parametrize(
    "formula, expected",
    [
        ('COUNTIF(D1:D14,"7")', "2"),  # 7 and 007, as in Excel
        ('COUNTIF(C1:C14,"007")', "2"),
        ('COUNTIF(D1:D14,"<>7")', "13"),
        ('COUNTIF(A1:A14,"<2025-09-02")', "5"),  # LibreOffice counts TRUE as 1
        ('COUNTIF(A1:A14,">=2025-09-01 09:30")', "1"),
        ('COUNTIF(A1:A14,">2025-09-01")', "1"),
        ('SUMIF(A:A,"09:30",B1)', "9"),
        ('SUMIF(D:D,"2025-09-01",B:B)', "3"),
        ('COUNTIF(A2,"2025-09-01")', "1"),
        ('COUNTIF(A1:A14,"="&"2025-09-01")', "2"),
        ('COUNTIF(OFFSET(A1,0,0,14),"2025-09-01")', "2"),
        ('COUNTIF(OFFSET(A1,0,0,14),H1&"")', "2"),
        ('COUNTIFS(A1:A14,"<>pear",D1:D14,"<>pear",C1:C14,"<>pear")', "10"),
        ('LET(tb_k,"2025-09-01",COUNTIF(A1:A14,tb_k))', "2"),
    ],
)
def test_criteria_come_to_what_was_worked_out_by_hand(formula: str, expected: str) -> None:
    assert calculated(formula) == expected


def test_a_range_on_another_sheet_is_read_there() -> None:
    here, there = sheet_of(A=["7"]), sheet_of("T", A=["'2025-09-01", "2025-09-01", "pear"])
    workbook = Workbook(sheets=(here, there), names={"Days": "T!$A$1:$A$3"})
    for compared in ("T!A1:A3", "T!A:A", "Days"):
        assert calculated(f'COUNTIF({compared},"2025-09-01")', workbook) == "2"
        assert calculated(f"COUNTIF({compared},T!A1)", workbook) == "2"


def test_criteria_and_cells_that_formulas_spill_are_found() -> None:
    dates = [f"'{date}" for date in DATES]
    workbook = Workbook(
        sheets=(
            sheet_of(
                A=dates,
                C=["=UNIQUE(A1:A30)"],
                D=["=COUNTIF(A:A,C3)", "=COUNTIF(C:C,A3)", '=COUNTIF(C:C,"2025-09-03")'],
            ),
        )
    )
    (values,) = calculate(workbook)
    assert [values.cells[CellAddress(row, 4)].text for row in (1, 2, 3)] == ["1", "1", "1"]


def test_names_of_a_workbook_that_begin_like_ours_keep_their_meaning() -> None:
    workbook = Workbook(
        sheets=(sheet_of(A=["'50%", "50%", "=A1"], B=["5"]),),
        names={"tb_kind": "S!$B$1", "tb_value": "LAMBDA(x,x+1)"},
    )
    assert calculated("COUNTIF(A1:A3,A3)+tb_kind", workbook) == "8"
    assert calculated("COUNTIF(A1:A3,A3)+tb_value(1)", workbook) == "5"


@pytest.mark.parametrize("name", ["tb_days", "a tb_kind"])
def test_the_names_of_sheets_may_begin_like_ours(name: str) -> None:
    cells = sheet_of(name, A=["'2025-09-01", "2025-09-01"], B=["7", "8"])
    workbook = Workbook(sheets=(cells, sheet_of("S", A=["x"])))
    assert calculated(f"COUNTIF('{name}'!A1:A2,'{name}'!A1)", workbook) == "2"
    assert calculated(f"SUMIF('{name}'!A1:A2,\"2025-09-01\",'{name}'!B1)", workbook) == "15"
    assert calculated(f"MATCH(8,'{name}'!B:B)", workbook) == "2"


def test_an_exported_file_holds_criteria_as_typed_and_none_of_our_names() -> None:
    formulas = ['=COUNTIF(A1:A2,"2025-09-01")', '=COUNTIF(A1:A2,A1&"")']
    workbook = Workbook(sheets=(sheet_of(A=["'2025-09-01", "2025-09-01", *formulas]),))
    file = engine.export(workbook)
    found = engine.load(file)
    assert [cell.formula for cell in found.cells if cell.formula] == formulas
    assert found.names == {}
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert re.findall("</f><v>([^<]*)</v>", sheet) == ["2", "2"]


def test_a_formula_stays_as_typed_if_its_range_holds_no_text_like_a_number() -> None:
    sheet = sheet_of(A=["apple", "pear", "2025-09-01", "TRUE", ""], B=["'2025-09-01", "pear", "7"])
    for criterion in ("B1", "B2", "B3", '"2025-09-01"', '"TRUE"', '"pear"', '"<>2025-09-01"'):
        formula = f"=COUNTIF(A:A,{criterion})"
        assert for_engine(formula, sheet) == formula
    for criterion in ("B2", "-7", "B3+1"):
        assert "COUNTIFS" not in for_engine(f"=COUNTIF(B:B,{criterion})", sheet)
    assert for_engine("=COUNTIF(B:B,B2)", sheet) == "=COUNTIF(B:B,B2)"


def test_a_range_is_read_only_for_what_it_holds() -> None:
    texts = sheet_of(A=[f"'{date}" for date in DATES], B=["50%", "7"], C=["'50%"])
    mixed = sheet_of(A=[*DATES, *(f"'{date}" for date in DATES)], C=["'50%"])
    only_texts, only_values, both = (
        for_engine("=COUNTIF(A:A,A1)", texts),
        for_engine("=COUNTIF(B:B,C1)", texts),
        for_engine("=COUNTIF(A:A,A31)", mixed),
    )
    assert [found.count("COUNTIFS(") for found in (only_texts, only_values, both)] == [1, 1, 2]
    assert "0.5" in only_values


def test_the_columns_of_a_range_are_told_apart() -> None:
    sheet = sheet_of(A=["pear"] * 3, B=["x", "x", "'2025-09-01"], C=["'2025-09-01"])
    assert for_engine("=COUNTIF(A1:B2,C1)", sheet) == "=COUNTIF(A1:B2,C1)"
    assert for_engine("=COUNTIF(A1:B3,C1)", sheet) != "=COUNTIF(A1:B3,C1)"


def test_a_column_of_text_dates_may_be_counted_for_each_of_its_cells() -> None:
    keys = [f"'{year}-{month:02}-{day:02}" for year in (2024, 2025) for month in range(1, 13)
            for day in range(1, 29)]  # fmt: skip
    formulas = [f"=COUNTIF(A:A,A{row})" for row in range(1, len(keys) + 1)]
    (values,) = calculate(Workbook(sheets=(sheet_of(A=keys, B=formulas),)))
    assert {values.cells[CellAddress(row, 2)].text for row in range(1, len(keys) + 1)} == {"1"}


def test_a_comparison_with_a_truth_value_is_refused() -> None:
    with pytest.raises(Refused, match="COUNTIF cannot compare truth values"):
        calculated('COUNTIF(A1:A14,"<TRUE")')


@pytest.mark.parametrize("key, count", [("50%", "1"), ("<>50%", "4"), ("<>pear", "4")])
def test_calculated_criteria_find_words_among_values(key: str, count: str) -> None:
    workbook = Workbook(sheets=(sheet_of(A=["50%", "pear", "apple", "7", "TRUE"], B=[f"'{key}"]),))
    assert calculated('COUNTIF(A1:A5,B1&"")', workbook) == count
    assert calculated("COUNTIF(A1:A5,B1)", workbook) == count
