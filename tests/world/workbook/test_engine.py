"""The engine's process: shared by threads, loud about bugs, quick to forget what went wrong."""

from __future__ import annotations

import io
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from trainee_bench.world.errors import Invalid
from trainee_bench.world.workbook import engine, engine_process, values
from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.inputs import CellKind
from trainee_bench.world.workbook.model import MAX_TEXT_LENGTH, Sheet, Workbook


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


def test_what_the_engine_prints_about_a_file_does_not_disturb_the_answers() -> None:
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


def test_what_a_tool_computes_before_its_action_is_not_asked_again(
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
