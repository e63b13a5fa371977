"""The engine's process: shared by threads, loud about bugs, quick to forget what went wrong."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import ValidationError

from trainee_bench.world.errors import Invalid, NotFound, Refused
from trainee_bench.world.workbook import engine, engine_process, values
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import (
    MAX_TEXT_LENGTH,
    Sheet,
    Workbook,
    check_workbook,
    empty_workbook,
    parse_workbook,
)


def book(formula: str) -> Workbook:
    return Workbook(sheets=(Sheet(name="S", cells={"A1": formula}),))


def value_of(formula: str) -> float | str | bool:
    return engine.calculate(book(formula))[0][CellAddress(1, 1)].content.value


def pid() -> int:
    process = engine._ENGINE._process
    assert process is not None
    return process.pid


def test_threads_ask_one_engine_and_each_gets_its_own_answer() -> None:
    value_of("=1")
    before = pid()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: value_of(f"={n}*1000"), range(200)))
    assert answers == [n * 1000 for n in range(200)]
    assert pid() == before


def test_no_engine_is_asked_for_a_workbook_without_formulas() -> None:
    engine._ENGINE.close()
    assert engine.calculate(book("'=1+1")) == ({},)
    assert engine._ENGINE._process is None


def test_a_bug_of_ours_is_raised_and_not_told_to_the_agent() -> None:
    with pytest.raises(RuntimeError, match="KeyError"):
        engine._ENGINE.ask({"do": "something unknown"})
    assert value_of("=2") == 2


def test_a_heavy_request_costs_the_process_and_a_refused_one_does_not() -> None:
    value_of("=1")
    first = pid()
    with pytest.raises(Invalid, match="out of range"):
        value_of("=EDATE(1,1E300)")
    assert value_of("=3") == 3
    assert pid() == first
    with pytest.raises(Invalid, match="gave up"):
        value_of("=LET(f,LAMBDA(g,g(g)),f(f))")
    assert value_of("=4") == 4
    assert pid() != first


def test_warnings_that_the_engine_prints_do_not_disturb_the_answers() -> None:
    broken = io.BytesIO()
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")
    for _ in range(3):
        with pytest.raises(Invalid):
            engine.load(broken.getvalue())
        assert value_of("=5") == 5


def test_formats_come_with_the_results() -> None:
    cells = {"A1": "2026-11-21", "B1": "=A1+1", "C1": "=TRUE", "D1": "=NA()", "E1": '="x"'}
    results = engine.calculate(Workbook(sheets=(Sheet(name="S", cells=cells),)))[0]
    kinds = [result.content.kind for result in results.values()]
    assert kinds == [CellKind.NUMBER, CellKind.BOOLEAN, CellKind.ERROR, CellKind.TEXT]
    assert results[CellAddress(1, 2)].content.format == "yyyy-mm-dd"


def test_the_limits_on_both_sides_of_the_pipe_agree() -> None:
    assert engine_process.MAX_TEXT_LENGTH == MAX_TEXT_LENGTH
    assert value_of(f'=REPT("x",{MAX_TEXT_LENGTH})') == "x" * MAX_TEXT_LENGTH


def test_closing_an_engine_that_never_ran_is_harmless() -> None:
    engine._ENGINE.close()
    engine._ENGINE.close()
    assert value_of("=6") == 6


def test_the_engine_is_not_asked_again_for_what_was_precomputed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    exchange = engine._ENGINE._exchange

    def counted(process: subprocess.Popen[bytes], body: bytes) -> object:
        asked.append(body)
        return exchange(process, body)

    monkeypatch.setattr(engine._ENGINE, "_exchange", counted)
    engine._ENGINE._recent.clear()
    made = Workbook(sheets=(Sheet(name="Once", cells={"A1": "2", "B1": "=A1*21"}),))
    for _ in range(2):
        assert engine.with_sheet_renamed(made, "Once", "Twice").sheets[0].name == "Twice"
    assert len(asked) == 1


def test_a_value_beside_a_sheet_is_calculated_once_for_the_same_workbook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Workbook(sheets=(Sheet(name="S", cells={"A1": "2", "B1": "=A1*21"}),))
    first = values.calculate_within(made, "", "UPPER(B1)")
    monkeypatch.setattr(engine, "calculate", None)
    assert values.calculate_within(made, "", "UPPER(B1)") is first


# the model of a workbook ------------------------------------------------------------------


BOOK = Workbook(
    sheets=(
        Sheet(name="Data", cells={"B2": "=A1*Rate", "A10": "x", "A1": "5"}, formats={"B2": "0.00"}),
        Sheet(name="Übersicht"),
    ),
    names={"Rate": "Data!$A$1"},
)


def one(cells: dict[str, str], **more: str) -> Workbook:
    return Workbook(sheets=(Sheet(name="S", cells=cells),), names=more)


def test_the_canonical_form_is_sorted_json_without_blanks() -> None:
    assert BOOK.dump() == (
        '{"names":{"Rate":"Data!$A$1"},"sheets":[{"cells":{"A1":"5","A10":"x","B2":"=A1*Rate"},'
        '"formats":{"B2":"0.00"},"name":"Data"},{"cells":{},"formats":{},"name":"Übersicht"}]}'
    )
    assert parse_workbook(BOOK.dump()) == BOOK
    assert json.loads(BOOK.dump())["sheets"][0]["cells"]["A1"] == "5"


def test_a_workbook_is_not_changed_in_place_and_knows_no_other_fields() -> None:
    with pytest.raises(ValidationError):
        BOOK.sheets[0].name = "x"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        parse_workbook('{"sheets":[],"names":{},"macros":"no"}')


def test_sheets_are_found_by_name_in_any_case_and_the_first_without() -> None:
    assert BOOK.sheet().name == "Data"
    assert BOOK.sheet("DATA").name == "Data"
    assert BOOK.sheet("übersicht").name == "Übersicht"
    with pytest.raises(NotFound, match="sheets: Data, Übersicht"):
        BOOK.sheet("Sheet1")


def test_a_sheet_is_put_in_the_place_of_its_namesake() -> None:
    changed = BOOK.with_sheet(Sheet(name="Übersicht", cells={"A1": "1"}))
    assert [sheet.name for sheet in changed.sheets] == ["Data", "Übersicht"]
    assert changed.sheets[1].cells == {"A1": "1"}
    assert changed.names == BOOK.names


def test_cells_are_known_by_row_and_column_row_by_row() -> None:
    assert list(BOOK.sheets[0].places) == [CellAddress(1, 1), CellAddress(2, 2), CellAddress(10, 1)]
    assert str(BOOK.sheets[0].used()) == "A1:B10"


def test_only_formulas_need_the_engine() -> None:
    assert BOOK.has_formulas()
    assert not one({"A1": "'=B1", "A2": "5", "A3": "="}).has_formulas()


@pytest.mark.parametrize(
    "workbook, complaint",
    [
        (one({"A1": "a\x1b"}), r"S!A1 contains the control character U\+001B;"),
        (one({"A1": "x" * 32_768}), "at most 32767"),
        (one({"A1": "=" + "1+" * 5_000 + "1"}), "8192"),
        (Workbook(sheets=(Sheet(name="a/b"),)), "cannot be a sheet's name"),
        (Workbook(sheets=()), "1 to 64 sheets"),
    ],
)
def test_contents_that_no_workbook_can_hold_are_refused(workbook: Workbook, complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        check_workbook(workbook)


def test_names_may_hide_no_forbidden_function() -> None:
    assert check_workbook(one({"A1": "1"}, Rate="S!$A$1"))
    with pytest.raises(Refused, match="NOW.*the name Later"):
        check_workbook(one({"A1": "1"}, Later="NOW()+1"))


def test_texts_of_any_script_tabs_and_line_breaks_are_kept() -> None:
    book = one(
        {"A1": "日本 é😀 ‏א", "A2": "a\tb\r\nc", "A3": "x" * 32_767, "A4": "'" + "y" * 32_767}
    )
    assert check_workbook(book) is book
    assert parse_workbook(book.dump()) == book


def test_an_empty_workbook_has_one_sheet() -> None:
    assert [sheet.name for sheet in empty_workbook("Plan").sheets] == ["Plan"]
    with pytest.raises(Invalid):
        empty_workbook("a:b")
