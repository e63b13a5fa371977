"""A task without facts and without code can be certified: its words are there, and cheats fail."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.scaffolding.office_folder import write_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

PAGE = """
Until 2026-01-14 we paid repairs within 12 months.
These rules are valid from 2026-01-15. Every repair is paid by us
within 24 months of the purchase.
"""
TASK = """
title: Warranty
from: Paula Richter
ask: >
  Please mail Nora Weiss, with the subject "Warranty", from which day the rules in {warranty} are
  valid, and within how many months we pay.
files: {warranty: drive:/handbook/warranty.md}
because:
  warranty:
    - These rules are valid from 2026-01-15.
    - Every repair is paid by us within 24 months of the purchase.
hand_in:
  mail:
    to: [Nora Weiss]
    subject: Warranty
    text: The rules are valid from the 15th of January 2026. We pay within 24 months.
    says:
      - 2026-01-15
      - 24 months
    never: [12 months]
wrong:
  - The rules are valid from 2026-01-16. We pay within 24 months.
  - The rules are valid from 2026-01-15. We pay within 12 months.
"""


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


def test_a_stated_task_holds_with_words_over_two_lines_and_a_date_in_other_spellings(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "stated_office"
    write_office(folder)
    page = folder / "drive" / "handbook" / "warranty.md"
    page.write_text(page.read_text(encoding="utf-8") + PAGE, encoding="utf-8")
    (folder / "tasks" / "warranty").mkdir()
    (folder / "tasks" / "warranty" / "task.yaml").write_text(TASK, encoding="utf-8")
    office = open_office(folder)
    assert office.tasks["warranty"].file.kind == "stated"
    claims = ("solvable", "uninformed", "cheats", "mutants", "wrong list", "grounds")
    certificate = anyio.run(certify, f"{office.name}.warranty", range(1), claims)
    assert [claim.broken for claim in certificate.claims if claim.broken] == []
    solvable, uninformed = certificate.claims[:2]
    assert solvable.tried and uninformed.facts.get("shortcut max") == 0
