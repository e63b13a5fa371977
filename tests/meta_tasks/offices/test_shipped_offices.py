"""The offices that ship beside the built-in company: read, without flaws, and solvable."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

import anyio
import pytest

from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.office_check.findings import check_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, offered_offices, open_office

SHIPPED = {
    "brandt": {"archive_list", "billing", "conflict_check", "deadlines", "hearing_moved"},
    "nordlicht": {"customer_reply", "meeting_prep", "travel_expenses"},
}
CLAIMS = ("solvable", "uninformed", "second opinion", "grounds", "wrong list", "cheats")


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_office_has_no_wrong_finding_and_its_tasks_hold(name: str) -> None:
    office = open_office(Path(str(files("trainee_bench.meta_tasks.offices"))) / name)
    assert set(office.tasks) == SHIPPED[name]
    assert [str(finding) for finding in check_office(office) if finding.wrong] == []
    for rule in office.rules:
        certificate = anyio.run(certify, rule, range(1), CLAIMS)
        assert [claim.broken for claim in certificate.claims if claim.broken] == []


def test_the_law_office_is_opened_by_name() -> None:
    assert offered_offices()["brandt"].package.startswith("trainee-bench ")
