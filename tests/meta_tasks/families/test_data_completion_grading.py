"""The data completion family at work: formulas by hand, honest work, and grading."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction

import pytest

from tests import quick_round
from tests.meta_tasks.days import graded, staged, truth_of, write
from tests.meta_tasks.families.completion_days import (
    COLUMNS,
    LEVELS,
    LOOKUPS,
    day_of,
    solved,
    table_of,
    told_in,
)
from tests.meta_tasks.families.test_data_completion import manual
from trainee_bench.harness.testbench.mutations import wrong_mutants
from trainee_bench.harness.testbench.staged_day import StagedDay, oracle_outputs
from trainee_bench.meta_tasks.families.data_completion.data import DATASET_KINDS
from trainee_bench.meta_tasks.families.data_completion.deliverables import count_right
from trainee_bench.meta_tasks.families.data_completion.subject.dataset import (
    GappedTable,
    round_half_away,
)
from trainee_bench.meta_tasks.families.data_completion.subject.rates import RateTable
from trainee_bench.meta_tasks.families.data_completion.work import (
    RatesByCategory,
    complete_text,
    section_lines,
)
from trainee_bench.meta_tasks.grade import TaskGrade, feedback

# Each formula calculated by hand: a table with blanks, and their values in order.
WORKED = {
    # 6000.00 - 1200.50 - 2300.25; 1000.01 + 2000.02 + 3000.03
    "sales.quarter_from_months": (
        "B-1,2024-Q1,1200.50,2300.25,,6000.00\nB-1,2024-Q2,1000.01,2000.02,3000.03,\n",
        ["2499.25", "6000.06"],
    ),
    # 2000/12000; 14000 * 1.125; 16000 / 1.142857 = 14000.001...; 16000 * 1.0625
    "sales.qoq_rate": (
        (
            "B-1,2024-Q1,12000,n/a\nB-2,2024-Q1,,n/a\n"
            "B-1,2024-Q2,14000,\nB-2,2024-Q2,16000,0.142857\n"
            "B-1,2024-Q3,,0.125000\nB-2,2024-Q3,,0.062500\n"
        ),
        ["14000", "0.166667", "15750", "17000"],
    ),
    # 6.3 % of 1234.56 is 77.77728; 63.00 / 0.063; 100.00 / 0.045 = 2222.22...
    "transactions.tax_fee": (
        "K-1,2025-09-01,A,1234.56,\nK-1,2025-09-02,A,,63.00\nK-2,2025-09-02,B,,100.00\n",
        ["77.78", "1000.00", "2222.22"],
    ),
    # 10.10 + 20.20 + 30.30; 500.00 - 99.99 - 200.01
    "transactions.total_from_items": (
        "K-1,2025-09-01,10.10,20.20,30.30,\nK-2,2025-09-01,99.99,,200.01,500.00\n",
        ["60.60", "200.00"],
    ),
    # 100 + 20 - 30 - 1; 89 + 30 + 1 - 20 = 100; 100 + 20 - 1 - 89; 100 + 20 - 30 - 89
    "inventory.ending_from_flow": (
        (
            "P-1,2025-09-01,100.00,20.00,30.00,1.00,\nP-2,2025-09-01,,20.00,30.00,1.00,89.00\n"
            "P-3,2025-09-01,100.00,20.00,,1.00,89.00\nP-4,2025-09-01,100.00,20.00,30.00,,89.00\n"
        ),
        ["89.00", "100.00", "30.00", "1.00"],
    ),
    # from 100 to 110 in four steps of 2.50; 110 to 109.99 in three of -0.00333...
    "inventory.daily_interpolation": (
        (
            "2025-09-01,100.00\n2025-09-02,\n2025-09-03,\n2025-09-04,\n2025-09-05,110.00\n"
            "2025-09-06,\n2025-09-07,\n2025-09-08,109.99\n"
        ),
        ["102.50", "105.00", "107.50", "110.00", "109.99"],
    ),
    # 100.00 - 150.00 + 20.50; -29.50 - 100.00 - 20.50
    "finance.account_balance_from_details": (
        "L-1,100.00,-150.00,20.50,\nL-2,100.00,,20.50,-29.50\n",
        ["-29.50", "-150.00"],
    ),
    # (13000 - 1000) / 24; 1000 + 24 * 500; 13000 - 24 * 500; 12000 / 500
    "finance.depreciation_straight_line": (
        (
            "F-1,13000.00,1000.00,24,\nF-2,,1000.00,24,500.00\nF-3,13000.00,,24,500.00\n"
            "F-4,13000.00,1000.00,,500.00\n"
        ),
        ["500.00", "13000.00", "1000.00", "24"],
    ),
    # 100 / 60 + 1.5 = 3.16666...; (4.2500 - 0.80) * 70; 55 / 50 + 2
    "logistics.eta_distance_sla": (
        "S2509-1,100.0,X,\nS2509-2,,Z,4.2500\nS2509-3,55.0,Y,\n",
        ["3.1667", "241.5", "3.1000"],
    ),
    # 0.50 + 1.25 + 2.00; 5.00 - 1.10 - 2.20
    "logistics.segment_time_sum": (
        "J-1,0.50,1.25,2.00,\nJ-2,,1.10,2.20,5.00\n",
        ["3.75", "1.70"],
    ),
    # 10; (10 + 20 + 40) / 3; all seven of 10 20 40 10 20 40 70; the last seven without the 10
    "web.rolling_avg": (
        (
            "2025-09-01,10,\n2025-09-02,20,15.0000\n2025-09-03,40,\n2025-09-04,10,20.0000\n"
            "2025-09-05,20,20.0000\n2025-09-06,40,23.3333\n2025-09-07,70,\n2025-09-08,80,\n"
        ),
        ["10.0000", "23.3333", "30.0000", "40.0000"],
    ),
    # 4000 * 0.0325; 130 / 0.0325; 130 / 4000
    "web.funnel": (
        "C-1,4000,0.0325,\nC-2,,0.0325,130\nC-3,4000,,130\n",
        ["130", "4000", "0.0325"],
    ),
}
WORKED_RATES: dict[str, RatesByCategory] = {
    "transactions.tax_fee": {"A": {"rate": Fraction(63, 1000)}, "B": {"rate": Fraction(45, 1000)}},
    "logistics.eta_distance_sla": {
        "X": {"speed": Fraction(60), "handling": Fraction(3, 2)},
        "Y": {"speed": Fraction(50), "handling": Fraction(2)},
        "Z": {"speed": Fraction(70), "handling": Fraction(4, 5)},
    },
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_manual_s_formulas_give_what_was_calculated_by_hand(kind: str) -> None:
    rows, values = WORKED[kind]
    text = f"{COLUMNS[kind]}\n{rows}"
    lines = section_lines(manual(), kind)
    done = complete_text(text, kind, lines, WORKED_RATES.get(kind, {}))
    cells = zip(re.split(r"[,\n]", text), re.split(r"[,\n]", done), strict=True)
    changed = [(before, after) for before, after in cells if before != after]
    assert changed == [("", value) for value in values]


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_solver_of_these_tests_gives_what_was_calculated_by_hand(kind: str) -> None:
    rows, values = WORKED[kind]
    cells = tuple(tuple(line.split(",")) for line in rows.splitlines())
    rates = WORKED_RATES.get(kind, {})
    told = {who: tuple(names.values()) for who, names in rates.items()}
    found = solved(kind, GappedTable(tuple(COLUMNS[kind].split(",")), cells, ()), told)
    assert len(found) == len(values)
    for (_, value), by_hand in zip(sorted(found.items()), values, strict=True):
        decimals = len(by_hand.partition(".")[2])
        assert abs(value - Fraction(by_hand)) <= Fraction(1, 2 * 10**decimals)


# honest work -----------------------------------------------------------------------------


async def test_copying_and_writing_cells_leaves_all_others_unchanged() -> None:
    """The hints' way of working: sheets tools write unchanged cells as they read them."""
    for kind in ("finance.depreciation_straight_line", "web.rolling_avg", "sales.qoq_rate"):
        composition = day_of(f"{kind}.easy", 4)
        instance = composition.tasks[0].instance
        async with staged(composition) as day:
            source, target = re.findall(r"\w+:/\S+\.csv", instance.told.objective)
            await day.call("files_copy", {"source": source, "target": target})
            for blank in instance.graded.truth.table.blanks:
                cell = f"{chr(ord('A') + blank.column)}{blank.row + 2}"
                value = float(blank.value)
                await day.call("sheets_write", {"path": target, "start": cell, "rows": [[value]]})
            assert (await graded(day)).success


# what is graded --------------------------------------------------------------------------


async def graded_with(rule: str, seed: int, text: str) -> TaskGrade:
    """Return the grade of a day on which *text* is handed in."""
    async with staged(day_of(rule, seed)) as day:
        return await handed_in(day, text)


async def handed_in(day: StagedDay, text: str) -> TaskGrade:
    await write(day, text)
    return await graded(day)


def with_blanks(table: GappedTable, values: list[str]) -> str:
    """Return the table with *values* in its blanks."""
    rows = [list(row) for row in table.rows]
    for blank, value in zip(table.blanks, values, strict=True):
        rows[blank.row][blank.column] = value
    return "".join(f"{','.join(row)}\n" for row in (table.columns, *rows))


@pytest.mark.parametrize("kind", ["web.rolling_avg", "finance.account_balance_from_details"])
async def test_irrelevant_differences_are_accepted(kind: str) -> None:
    rule = f"{kind}.medium"
    (right,) = await oracle_outputs(day_of(rule, 1))
    quoted = io.StringIO(newline="")
    csv.writer(quoted, quoting=csv.QUOTE_ALL).writerows(csv.reader(io.StringIO(right)))
    table = truth_of(day_of(rule, 1)).table
    for text in (
        right,
        right.replace("\n", "\r\n"),
        right + "\n",
        right.rstrip("\n"),
        "\ufeff" + right,
        quoted.getvalue(),
        with_blanks(table, [f"{float(b.value):.9f}" for b in table.blanks]),
        with_blanks(table, [f" {float(b.value):.12e} " for b in table.blanks]),
    ):
        assert (await graded_with(rule, 1, text)).success, text[:80]


@pytest.mark.parametrize("kind", [kind for kind in COLUMNS if kind not in LOOKUPS])
async def test_a_value_past_its_tolerance_is_wrong_and_at_it_right(kind: str) -> None:
    async with staged(day_of(f"{kind}.very_easy", 2)) as day:
        table = truth_of(day).table
        first, *others = [(f"{float(b.value):.12f}", b) for b in table.blanks]
        rest = [text for text, _ in others]
        blank = first[1]
        for share, right in ((0.98, True), (-0.98, True), (1.02, False), (-1.02, False)):
            text = f"{float(blank.value + Fraction(share) * blank.slack):.12f}"
            grade = await handed_in(day, with_blanks(table, [text, *rest]))
            assert grade.checkpoints[0].passed is right


@pytest.mark.parametrize("kind", COLUMNS)
@quick_round.seeds(2, sweep=10)
def test_no_wrong_copy_that_certificates_try_falls_within_a_tolerance(
    kind: str, seeds: range
) -> None:
    for level in LEVELS[:4]:
        for seed in seeds:
            table = table_of(f"{kind}.{level}", seed)
            decimals = [DATASET_KINDS[kind].decimals[table.columns[b.column]] for b in table.blanks]
            values = [
                round_half_away(b.value, d) for b, d in zip(table.blanks, decimals, strict=True)
            ]
            text = with_blanks(table, values)
            blanks = len(table.blanks)
            assert count_right(text, table) == blanks
            for mutant in wrong_mutants(text):
                assert count_right(mutant.text, table) != blanks, mutant.name


async def test_unchanged_copies_and_files_without_rows_earn_nothing() -> None:
    """In the original, an unchanged copy earned points for integrity."""
    for kind in COLUMNS:
        async with staged(day_of(f"{kind}.easy", 3)) as day:
            table = truth_of(day).table
            for text in (table.csv, "\n\n", f"{COLUMNS[kind]}\n"):
                assert (await handed_in(day, text)).score == 0


async def test_every_other_cell_counts_as_text() -> None:
    rule = "finance.account_balance_from_details.medium"
    (right,) = await oracle_outputs(day_of(rule, 5))
    lines = right.splitlines(keepends=True)
    shown = truth_of(day_of(rule, 5)).table.csv.splitlines()
    number = next(
        n for n, line in enumerate(shown) if n and "" not in line.split(",") and line.endswith("7")
    )
    line = lines[number]
    for other, said in (
        (line.replace("7\n", "8\n"), "was changed"),
        (line.replace("\n", "0\n"), "was changed"),
        (line.replace("\n", ",\n"), "6 cells"),
        (line.lower(), "was changed"),
        ("", "rows"),
        (line * 2, "rows"),
        ('"' + line, "rows"),
    ):
        text = "".join([*lines[:number], other, *lines[number + 1 :]])
        grade = await graded_with(rule, 5, text)
        assert grade.score == 0
        assert said in grade.checkpoints[0].seen
    for text, said in (
        (right.upper(), "header"),
        (right.replace(",", ";"), "header"),
        (lines[0] + "".join(reversed(lines[1:])), "was changed"),
        (right + "Checked.\n", "rows"),
        ("x" * 200_000, "CSV"),
        ("to be done", "header"),
    ):
        grade = await graded_with(rule, 5, text)
        assert grade.score == 0
        assert said in grade.checkpoints[0].seen


async def test_three_quarters_of_the_blanks_earn_a_part_and_fewer_nothing() -> None:
    rule = "sales.quarter_from_months.medium"
    async with staged(day_of(rule, 6)) as day:
        table = truth_of(day).table
        right = [f"{float(blank.value):.2f}" for blank in table.blanks]
        assert len(right) == 48
        for wrong, score in ((0, 1), (1, 0.25), (12, 0.25), (13, 0), (48, 0)):
            grade = await handed_in(day, with_blanks(table, ["1.00"] * wrong + right[wrong:]))
            assert grade.score == score and grade.success == (score == 1)
            assert grade.checkpoints[0].seen.startswith(f"{48 - wrong} of 48")


@pytest.mark.parametrize(
    "cell", ["", "n/a", "nan", "inf", "1_0", "12,5", "EUR 3", "3 %", "=1+1", "٣", "1e999", "9" * 50]
)
async def test_a_cell_without_a_plain_number_fills_no_blank(cell: str) -> None:
    rule = "web.funnel.very_easy"
    table = truth_of(day_of(rule, 7)).table
    text = with_blanks(table, [f'"{cell}"'])
    assert (await graded_with(rule, 7, text)).score == 0


async def test_the_verdict_reveals_no_value() -> None:
    for kind in COLUMNS:
        async with staged(day_of(f"{kind}.easy", 8)) as day:
            table = truth_of(day).table
            grade = await handed_in(day, with_blanks(table, ["1.5"] * len(table.blanks)))
            said = feedback(grade, 3)
            for blank in table.blanks:
                assert not re.search(rf"\b{re.escape(f'{float(blank.value):g}')}\b", said)


def test_the_worked_rates_are_read_from_a_colleague_s_words() -> None:
    assert told_in("For tax_fee.csv, September 2025: A 6.3 %, B 4.5 %.") == {
        "A": (Fraction(63, 1000),),
        "B": (Fraction(45, 1000),),
    }
    assert not isinstance(table_of("web.funnel.easy", 1), RateTable)
