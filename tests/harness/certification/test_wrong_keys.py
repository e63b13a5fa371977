"""Certificates of own offices break on wrong keys, and hold on the office that ships."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from tests.harness.certification.wrong_keys import BOOKING, MEETING, WRONG_KEYS, WrongKey
from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.certification.grounds import certify_grounds
from trainee_bench.harness.office_check.boundaries import open_boundaries
from trainee_bench.harness.scaffolding.office_folder import write_office
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office
from trainee_bench.meta_tasks.offices.source import OfficeError

CLAIMS = (
    "solvable", "counterfactuals", "uninformed", "live policy", "second opinion", "wrong list",
    "grounds",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


def office_with(folder: Path, key: WrongKey | None) -> Office:
    write_office(folder)
    if key is not None:
        file = folder / key.file
        text = file.read_text(encoding="utf-8")
        assert key.old in text, f"{key.name}: the office has changed"
        file.write_text(text.replace(key.old, key.new, 1), encoding="utf-8")
    return open_office(folder)


def broken(office: Office, task: str) -> list[str]:
    certificate = anyio.run(certify, f"{office.name}.{task}", range(1), CLAIMS)
    return [claim.name for claim in certificate.claims if claim.broken]


@pytest.mark.parametrize("key", WRONG_KEYS, ids=lambda key: key.name)
def test_a_wrong_key_breaks_the_certificate(tmp_path: Path, key: WrongKey) -> None:
    folder = tmp_path / f"office_{WRONG_KEYS.index(key)}"
    try:
        caught = bool(broken(office_with(folder, key), key.task))
    except OfficeError:  # it is not even read
        caught = True
    assert caught


def test_the_office_that_ships_holds(tmp_path: Path) -> None:
    office = office_with(tmp_path / "right_office", None)
    assert [broken(office, task) for task in office.tasks] == [[], [], []]


def test_a_limit_at_which_no_checked_row_lies_is_left_to_a_person_and_named(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "office_with_an_open_limit"
    write_office(folder)
    checked = folder / "tasks" / "travel_expenses" / "checked.csv"
    lines = checked.read_text(encoding="utf-8").splitlines(keepends=True)
    checked.write_text(
        "".join(line for line in lines if not line.startswith(("X-1011", "X-1012"))),
        encoding="utf-8",
    )
    key = WRONG_KEYS[-1]
    code = folder / key.file
    code.write_text(code.read_text(encoding="utf-8").replace(key.old, key.new), encoding="utf-8")
    office = open_office(folder)
    assert broken(office, key.task) == []
    found = list(open_boundaries(office.task_classes[key.task]))
    assert [boundary.name for boundary in found] == ["hotel_limit", "meal_limit"]


def test_a_recipient_whose_name_is_within_the_name_that_a_page_has_is_not_grounded(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "office_of_two_names"
    write_office(folder)
    people, task = folder / "people.csv", folder / BOOKING
    people.write_text(
        people.read_text(encoding="utf-8")
        .replace("Emre Yıldız,", "Emre Yıldız-Koch,")
        .replace("Li Lei,", "Emre Yıldız,"),
        encoding="utf-8",
    )
    text = task.read_text(encoding="utf-8")
    task.write_text(text.replace("and Emre Yıldız, in", "and Emre Yıldız-Koch, in"), "utf-8")
    claim = anyio.run(certify_grounds, f"{open_office(folder).name}.{MEETING}", range(1))
    assert any("nothing names Emre Yıldız" in flaw for flaw in claim.broken)


QUOTE = """
title: Meals
from: Ines Albrecht
ask: >
  Please write to Jörg Müller-Groß up to how many euros a meal is paid by {policy}, with the
  subject "Meals".
files:
  policy: drive:/handbook/travel_policy.md
policy: {meal_limit: 32, hotel_limit: 130}
hand_in:
  mail:
    to: [Jörg Müller-Groß]
    subject: Meals
    text: A meal is paid up to {meal_limit} euros.
    says: ["paid up to {meal_limit} euros"]
"""


def test_a_mail_that_a_quotation_of_the_page_answers_is_found_by_a_cheat(tmp_path: Path) -> None:
    folder = tmp_path / "quoting_office"
    write_office(folder)
    (folder / "tasks" / "quote").mkdir()
    (folder / "tasks" / "quote" / "task.yaml").write_text(QUOTE, encoding="utf-8")
    open_office(folder)
    certificate = anyio.run(certify, "quoting_office.quote", range(1), ("solvable", "cheats"))
    solvable, cheats = certificate.claims
    assert not solvable.broken
    assert any("canned_replies reaches full score" in flaw for flaw in cheats.broken)
