"""The workbook that the recorded criteria read: columns that differ in what they hold, and keys."""

from __future__ import annotations

from collections.abc import Iterator

from trainee_bench.world.workbook.model import Sheet, Workbook

MIXED = [
    "2025-09-01", "'2025-09-01", "'2025-09-02", "09:30", "'09:30", "50%", "'50%", "1,000",
    "'1,000", "TRUE", "true", "NaN", "01/09/2025", "2025-09-01 09:30",
]  # fmt: skip
TEXTS = [
    "'2025-09-01", "'2025-09-01", "'2025-09-02", "'09:30", "'50%", "true", "pear", "'2025-09-01 x",
    "'7", "007", "'1,000", "Pear", "'2025-09-01 09:30", "50 %",
]  # fmt: skip
VALUES = [
    "2025-09-01", "2025-09-01", "2025-09-02", "09:30", "50%", "TRUE", "7", "0.5", "1000", "",
    "2025-09-01 09:30", "9:30", "-3", "1,000",
]  # fmt: skip
WORDS = ["apple", "pear", "3", "", "7", "'7", "Pear", "pear tree", "", "x", "4", "5", "", "pear"]
CALCULATED = [
    '="2025-09-"&"01"', "=A1", "=A2", '="09:"&"30"', "=A4", "=A6", '="50"&"%"', "=A8", "=A9",
    '="pe"&"ar"', '="tr"&"ue"', "=7", '="7"', '="007"',
]  # fmt: skip
COLUMNS = {
    "A": MIXED,
    "B": [str(row) for row in range(1, 15)],
    "C": WORDS,
    "D": TEXTS,
    "E": VALUES,
    "G": CALCULATED,
}
KEYS = [
    "2025-09-01", "=2025-09-02", "2025-09-01 09:30", "01/09/2025", "09:30", "50%", "50 %", "1,000",
    "true", "=TRUE", "nan", "pear", "=pear", "<>pear", "<>7", "<>2025-09-01", "<>09:30",
    "<>50%", "<>TRUE", "<>2025-09-03", "<>nan", "<>", "2025-09-01*", "<>2025*",
]  # fmt: skip
"""Criteria, in column H as texts."""


def criteria_workbook() -> Workbook:
    """All columns in a sheet "S"."""
    columns = {**COLUMNS, "H": [f"'{key}" for key in KEYS]}
    cells = {
        f"{name}{row}": typed
        for name, column in columns.items()
        for row, typed in enumerate(column, 1)
        if typed
    }
    return Workbook(sheets=(Sheet(name="S", cells=cells),))


def criteria_formulas() -> Iterator[str]:
    """Yield formulas in which each criterion is for each column: written, in a cell, and
    calculated."""
    for row, key in enumerate(KEYS, 1):
        for criterion in (f'"{key}"', f"H{row}", f'H{row}&""'):
            for column in "ACDEG":
                compared = f"{column}1:{column}14"
                yield f"COUNTIF({compared},{criterion})"
                yield f"SUMIF({compared},{criterion},B1:B14)"
            yield f"MAXIFS(B1:B14,A1:A14,{criterion})"
            yield f"MINIFS(B1:B14,G1:G14,{criterion})"
            yield f"AVERAGEIF(D1:D14,{criterion},B1:B14)"
            yield f"AVERAGEIFS(B1:B14,E1:E14,{criterion})"
            yield f'SUMIFS(B1:B14,A1:A14,{criterion},G1:G14,"<>50%")'
            yield f"COUNTIFS(D1:D14,{criterion},A1:A14,H{row})"
