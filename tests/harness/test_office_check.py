"""`office check` finds what a certificate cannot, in the order of its importance."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.harness.runs import call
from tests.meta_tasks.offices.test_damaged_offices import calendar
from tests.meta_tasks.offices.test_reading_an_office import TASK, edit
from trainee_bench.harness.office_check.boundaries import open_boundaries
from trainee_bench.harness.office_check.finding import Finding, Weight, in_order
from trainee_bench.harness.office_check.findings import check_office
from trainee_bench.harness.office_check.office_findings import office_findings
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

pytestmark = pytest.mark.timeout(300)
CHECKED = "tasks/travel_expenses/checked.csv"
EXPENSES = "drive/finance/expenses_2026-02.csv"
ANSWER = "tasks/travel_expenses/answer.py"


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(
        template_folder(), tmp_path / "nordlicht", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path / "nordlicht"


def doubts(folder: Path) -> list[str]:
    return [str(finding) for finding in office_findings(read_office(folder))]


def boundaries(folder: Path) -> list[str]:
    family = read_office(folder).task_classes["travel_expenses"]
    return [str(boundary) for boundary in open_boundaries(family)]


# limits -----------------------------------------------------------------------------------------


def test_the_office_that_ships_vouches_for_its_limits(folder: Path) -> None:
    assert boundaries(folder) == [] and doubts(folder) == []


def test_a_limit_is_open_if_no_checked_row_lies_at_it_and_such_a_record_is_named(
    folder: Path,
) -> None:
    edit(folder, CHECKED, "X-1011,paid,32\n", "")
    (found,) = boundaries(folder)
    assert "policy.meal_limit is compared with euros of expenses" in found
    assert "work out X-1011 by hand" in found


def test_a_limit_at_which_no_record_lies_asks_for_one(folder: Path) -> None:
    edit(folder, CHECKED, "X-1012,paid,130\n", "")
    edit(folder, EXPENSES, "EUR,130.00", "EUR,129.00")
    (found,) = boundaries(folder)
    assert "give a record euros 130" in found


def test_a_value_that_is_subtracted_before_rounding_is_no_limit(folder: Path) -> None:
    edit(
        folder, "tasks/travel_expenses/task.yaml", "hotel_limit: 130}", "hotel_limit: 130, fee: 2}"
    )
    edit(
        folder,
        "drive/handbook/travel_policy.md",
        "- Expenses of",
        "- We keep {fee} euros.\n- Expenses of",
    )
    edit(folder, EXPENSES, "meal,CHF,11.37", "meal,CHF,11.40")  # 11.685 euros
    edit(folder, ANSWER, "Decimal(paid).q", 'max(Decimal(paid) - policy["fee"], Decimal(0)).q')
    assert boundaries(folder) == []


def test_a_record_at_the_limit_to_which_the_limit_does_not_apply_vouches_for_nothing(
    folder: Path,
) -> None:
    edit(folder, EXPENSES, "X-1011,meal,EUR,32.00", "X-1011,gift,EUR,32.00")
    edit(folder, CHECKED, "X-1011,paid,32\n", "X-1011,rejected,0\n")
    (found,) = boundaries(folder)
    assert "meal_limit" in found and "give a record euros 32" in found


def test_a_value_that_is_only_calculated_with_is_no_limit(folder: Path) -> None:
    code = (folder / ANSWER).read_text(encoding="utf-8")
    code = code.replace('"cut" if euros > limit else "paid"', '"paid"')
    code = code.replace("min(euros, limit)", "euros * limit / 100")
    (folder / ANSWER).write_text(code, encoding="utf-8")
    assert boundaries(folder) == []


def test_a_step_in_a_number_is_a_limit_too(folder: Path) -> None:
    code = (folder / ANSWER).read_text(encoding="utf-8")
    code = code.replace('"cut" if euros > limit else "paid"', '"paid"')
    code = code.replace("min(euros, limit)", "(5 if euros > limit else 0)")
    (folder / ANSWER).write_text(code, encoding="utf-8")
    edit(folder, CHECKED, "X-1011,paid,32\n", "")
    (found,) = boundaries(folder)
    assert "meal_limit" in found


# the office as a whole --------------------------------------------------------------------------


def test_somebody_in_two_meetings_at_once_is_found_with_both_lines(folder: Path) -> None:
    calendar(folder, LOCATION="Sund")
    (found,) = doubts(folder)
    assert found.startswith("look at: calendar.ics: Greta Sommer, Nora Weiss, Robin Hale would be")
    assert "'Weekly round' on line 4 and 'Second round' on line 14" in found


def test_a_first_day_at_a_weekend_is_named(folder: Path) -> None:
    edit(folder, "office.yaml", "day: 2026-03-02", "day: 2026-03-01")
    (found,) = doubts(folder)
    assert "2026-03-01 is a Sunday" in found


def test_two_tasks_of_one_title_are_named(folder: Path) -> None:
    edit(folder, TASK, "title: Travel expenses of February", "title: answer to astrid lund")
    (found,) = doubts(folder)
    assert "tasks/travel_expenses/task.yaml" in found and "tasks/customer_reply has" in found


def test_what_nobody_reads_is_named(folder: Path) -> None:
    (folder / "person.csv").write_text("name\n", encoding="utf-8")
    (folder / "LICENSE").write_text("free\n", encoding="utf-8")
    (folder / "mail").mkdir()
    (folder / "mail" / "a.msg").write_text("x", encoding="utf-8")
    first, second = doubts(folder)
    assert "person.csv: it is not read" in first and "mail/a.msg: it is not read" in second


def test_a_name_within_another_name_is_named(folder: Path) -> None:
    edit(folder, "people.csv", "Li Lei,", "Nora Weiss Koch,")
    (found,) = doubts(folder)
    assert "the name Nora Weiss is a part of Nora Weiss Koch" in found
    edit(folder, "people.csv", "Nora Weiss Koch,", "Nora Weiss-Koch,")
    (found,) = doubts(folder)
    assert "the name Nora Weiss is a part of Nora Weiss-Koch" in found


# order and end ----------------------------------------------------------------------------------


def test_what_breaks_a_task_comes_first() -> None:
    findings = [Finding("a", str(weight), weight) for weight in reversed(Weight)]
    assert [finding.weight for finding in in_order(findings)] == list(Weight)
    assert [finding.wrong for finding in in_order(findings)] == [True, True, False, False]


def test_the_holder_of_a_fact_has_to_be_named_by_the_whole_name(folder: Path) -> None:
    edit(folder, "people.csv", "Tomasz Kern,Accountant", "Tomasz Kern-Adler,Accountant")
    edit(folder, "people.csv", "Li Lei,", "Tomasz Kern,")
    edit(folder, TASK, "Tomasz Kern in Finance", "Tomasz Kern-Adler in Finance")
    found = [str(finding) for finding in check_office(open_office(folder)) if finding.wrong]
    assert any("names Tomasz Kern, so nobody knows whom to ask" in text for text in found)


def test_a_fact_whose_holder_works_at_night_is_named_with_the_hours(folder: Path) -> None:
    edit(folder, "people.csv", "08:00-17:00,2", "20:00-23:00,2")
    found = [str(finding) for finding in check_office(open_office(folder))]
    assert "works from 20:00 to 23:00, outside of the trainee's hours" in found[0]
    assert any("Tomasz Kern does not understand 20 of 20 wordings" in text for text in found)


def test_a_task_that_cannot_be_composed_is_a_finding_and_the_others_are_checked(
    folder: Path,
) -> None:
    edit(folder, ANSWER, "rows = []", "rows = [")
    edit(folder, "tasks/customer_reply/task.yaml", "repairs the sextant", "knows it")
    edit(folder, "tasks/customer_reply/task.yaml", "Siobhán O'Neill knows", "Somebody knows")
    first, second, third = [str(finding) for finding in check_office(open_office(folder))][:3]
    assert "nobody knows whom to ask" in first
    assert "no day can have this task" in second and "answer.py" in second
    assert "all fit on one day" in third


def test_a_check_ends_with_a_count_and_the_next_command(folder: Path) -> None:
    checked = call("office", "check", folder).output
    assert "0 wrong, 0 to look at." in checked
    assert checked.rstrip().endswith(
        f"Next: trainee-bench certify 'nordlicht.*' --office {folder} --seeds 3"
    )


def test_a_check_that_finds_something_wrong_ends_with_itself(folder: Path) -> None:
    edit(folder, TASK, "otherwise: [1.5, 2.0, 3.0, 4.5]", "otherwise: [1.5]")
    edit(folder, TASK, "  surcharge: {from: 1.1, to: 5.8, step: 0.1}\n", "")
    checked = call("office", "check", folder, exits=1).output
    assert "1 wrong, 0 to look at." in checked
    assert checked.rstrip().endswith(f"check again: trainee-bench office check {folder}")
