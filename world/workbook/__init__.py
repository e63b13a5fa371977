"""Workbooks: what cells mean, how they are calculated, and their file formats.

A cell passes through four forms: `CellInput` (typed), `CellContent` (interpreted), `CellValue`
(calculated) and, in tool results, `CellData` (JSON).
"""
