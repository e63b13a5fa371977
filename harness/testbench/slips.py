"""Mistakes in written files, for agents and models that make seeded errors."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import JsonValue

from trainee_bench.harness.testbench.mutations import wrong_mutants
from trainee_bench.harness.testbench.workbook_mutations import wrong_rows
from trainee_bench.mcp_servers import discover_tools

ANY: Collection[str] = ()


def takes_whole_file(tool: str) -> bool:
    """Whether the tool writes a whole deliverable, with its full content as an argument."""
    known = discover_tools().get(tool)
    return known is not None and known.content != ""


def with_slip(
    tool: str, arguments: Mapping[str, JsonValue], place: float, kinds: Collection[str] = ANY
) -> dict[str, JsonValue]:
    """Return the *arguments* of a tool that writes a whole file, with one mistake in the content.

    *place* (0 to 1) selects it from all possible mistakes, or from those named in *kinds* if any of
    these is possible.
    """
    key = discover_tools()[tool].content
    mutants = _wrong(arguments[key])
    some = [changed for name, changed in mutants if name in kinds]
    others = some or [changed for _, changed in mutants]
    return {**arguments, key: others[int(place * len(others))]}


def _wrong(written: JsonValue) -> list[tuple[str, JsonValue]]:
    if not isinstance(written, list):
        return [(mutant.name, mutant.text) for mutant in wrong_mutants(str(written))]
    rows = [[_cell(cell) for cell in row] for row in written if isinstance(row, list)]
    changed: list[tuple[str, JsonValue]] = [("nothing", [])]
    for name, wrong in wrong_rows(rows):
        changed.append((name, [list(row) for row in wrong]))
    return changed


def _cell(value: JsonValue) -> str | int | float | bool | None:
    return str(value) if isinstance(value, list | dict) else value
