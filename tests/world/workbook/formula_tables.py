"""The workbook that the recorded formulas read: a staff list with awkward cells, and numbers."""

from __future__ import annotations

from trainee_bench.world.workbook.addresses import CellAddress
from trainee_bench.world.workbook.edits import add_sheet, write
from trainee_bench.world.workbook.model import Workbook, empty_workbook

STAFF = [
    ["Name", "Team", "City", "Hours", "Rate", "Since", "In", "Note"],
    ["Ada", "Sales", "Oslo", 38.5, 25, "2020-03-01", "08:55", "late"],
    ["Bob", "Ops", "Rome", 40, 30, "2021-06-15", "09:05", None],
    ["Cy", "Sales", "Rome", 9, 22.5, "2019-01-02", "08:30", "x*y"],
    ["Dee", "Ops", "Oslo", None, 30, "2022-12-24", "10:00", None],
    ["Eve", None, "Bern", 12, 18, "2020-02-29", "09:05", "'12"],
    ["Fay", "Sales", "Oslo", -4, 25, "2023-07-31", "07:45", "yes"],
    ["Gus", "Ops", "Bern", 40, 41.25, "2018-11-05", "16:20", "note?"],
    ["Hal", "Legal", "Rome", 0, 60, "2024-01-31", "12:00", 5],
    ["Ida", "Sales", "Bern", 27.25, 22.5, "2020-03-01", "08:30", "Late"],
    ["Jon", "legal", "Oslo", 33, 35, "2021-12-31", "23:59", "a~b"],
    ["Kim", "Ops", "Rome", 38.5, 30, "2019-05-20", "09:00", -3],
    ["Lea", "Sales", "Oslo", 16.75, 28, "2022-02-28", "08:55", "a,b;c"],
]
# x, y, payments and their days, a square matrix, two sets of criteria
NUMBERS = [
    [1, 2.1, -1000, "2024-01-01", None, None, 2, 1, None, None, "Team", "Name"],
    [2, 3.9, 300, "2024-06-30", None, None, 3, 4, None, None, "Ops", "Gus"],
    [3, 6.2, 420, "2024-12-31"],
    [4, 7.8, 680, "2025-07-15"],
    [5, 10.1, -50, "2026-01-01"],
    [6, 12.2, 90, "2026-08-01"],
    [7, 13.8],
    [8, 16.1],
]


def formula_workbook() -> Workbook:
    """Both tables, as the sheets "Data" and "Nums"."""
    workbook = add_sheet(empty_workbook("Data"), "Nums")
    workbook, _ = write(workbook, "Data", CellAddress(1, 1), STAFF)
    workbook, _ = write(workbook, "Nums", CellAddress(1, 1), NUMBERS)
    return workbook
