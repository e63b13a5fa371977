"""Own offices for tests of the studio: one that is sound, and one whose certificate breaks."""

from __future__ import annotations

import json
from pathlib import Path

from tests.harness.runs import call, day, named

RULE = "harbour.travel_expenses"


def new_office(folder: Path) -> Path:
    """Write the office "harbour" into *folder* and return its folder."""
    call("office", "new", folder / "harbour")
    return folder / "harbour"


def broken_office(folder: Path) -> Path:
    """Return an office whose code has the meal limit as a number of its own, certified as such."""
    office = new_office(folder)
    answer = office / "tasks" / "travel_expenses" / "answer.py"
    text = answer.read_text(encoding="utf-8")
    answer.write_text(text.replace('policy["meal_limit"]', "Decimal(32)"), encoding="utf-8")
    claims = ("--claim", "live policy", "--claim", "solvable", "--claim", "second opinion")
    call("certify", RULE, "--office", office, "--seeds", "1", "--jobs", "1", *claims, exits=1)
    return office


def office_run(office: Path, folder: Path) -> Path:
    """Return the folder of a run of one day in an office, on which nobody works."""
    benchmark = office_benchmark(folder)
    given = ("--config", benchmark, "--office", office, *named("nothing"))
    call("run", *given, "--out", folder / "a-run")
    return folder / "a-run"


def office_benchmark(folder: Path) -> Path:
    """Return a benchmark file of one day in the office "harbour"."""
    scenario = {"name": "one", "seed": 5, "office": "harbour", "days": [day(RULE)]}
    path = folder / "own.json"
    path.write_text(json.dumps({"name": "mine", "scenarios": [scenario]}), encoding="utf-8")
    return path
