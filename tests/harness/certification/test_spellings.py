"""The claim on mutants spells answers otherwise, and finds a family that has a rule of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.meta_tasks.stock_list import Missing, OrderLine, StockList
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.testbench.spelling_mutations import spelling_mutants, spelling_workbooks
from trainee_bench.harness.testbench.workbook_mutations import rows_of, workbook_of
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.answers import Code, PersonRef, RecordId, Text, TextKind
from trainee_bench.meta_tasks.authoring import (
    Deliverable,
    GradingContext,
    TableRow,
    Verdict,
    checkpoint,
    read_table,
)
from trainee_bench.meta_tasks.kept_days import KEPT_DAYS, keep_days
from trainee_bench.world.company.people import create_company

PEOPLE = create_company(1).people
SOMEBODY = PEOPLE[0]


class Payment(Deliverable):
    id: RecordId
    payee: PersonRef
    about: list[Text]


class Payments(Deliverable):
    payments: list[Payment]
    code: Code
    total: float


class Row(TableRow):
    item: Text
    number: RecordId


RIGHT: dict[str, Any] = {
    "payments": [{"id": "P-9a", "payee": SOMEBODY.name, "about": ["Lamp oil"]}],
    "code": "AB-12",
    "total": 2.5,
}


def test_labels_people_and_codes_are_spelt_otherwise_and_ids_are_changed() -> None:
    found = [*spelling_mutants("a.json", json.dumps(RIGHT), Payments, PEOPLE)]
    made = {mutant.name: json.loads(mutant.text) for _, mutant in found}
    harmless = {mutant.name for good, mutant in found if good}
    assert made["lower case"] == {
        "payments": [{"id": "P-9a", "payee": SOMEBODY.name.lower(), "about": ["lamp oil"]}],
        "code": "ab-12",
        "total": 2.5,
    }
    assert made["the id for the name"]["payments"][0]["payee"] == SOMEBODY.id
    assert made["the address for the name"]["payments"][0]["payee"] == SOMEBODY.email
    assert made["another dash"]["code"] == "AB\u201112"
    assert made["no-break blanks"]["payments"][0]["about"] == ["Lamp\u00a0oil"]
    assert made["blanks around"]["payments"][0]["id"] == "\u00a0P-9a "
    assert {name: made[name]["payments"][0]["id"] for name in made if name not in harmless} == {
        "id: an id in another case": "p-9A",
        "id: another dash within an id": "P\u20139a",
        "id: a digit changed": "P-0a",
        "code: a digit changed": "P-9a",
    }
    assert made["code: a digit changed"]["code"] == "AB-22"
    assert len(harmless) == 9


def test_lines_of_labels_are_spelt_otherwise() -> None:
    found = [*spelling_mutants("a.txt", "Ada Quist\n\nBen\n", TextKind.TEXT, PEOPLE)]
    assert all(harmless for harmless, _ in found)
    made = {mutant.name: mutant.text for _, mutant in found}
    assert made["upper case"] == "ADA QUIST\n\nBEN\n"
    assert made["accents"] == "A\u0301da Quist\n\nBe\u0301n\n"


def test_columns_of_a_csv_file_and_a_workbook_are_spelt_otherwise() -> None:
    rows = [["number", "item"], ["N-1", "Lamp"], ["N-2", "Desk"]]
    text = "".join(f"{','.join(row)}\n" for row in rows)
    made = {
        mutant.name: (harmless, mutant.text)
        for harmless, mutant in spelling_mutants("a.csv", text, Row, PEOPLE)
    }
    assert made["upper case"] == (True, "number,item\nN-1,LAMP\nN-2,DESK\n")
    assert made["number: a digit changed"] == (False, "number,item\nN-2,Lamp\nN-2,Desk\n")
    workbook = workbook_of([list(row) for row in rows], "Order")
    of_workbook = {
        name: (harmless, rows_of(changed.sheets[0]))
        for harmless, name, changed in spelling_workbooks(workbook, Row, PEOPLE)
    }
    assert of_workbook.keys() == made.keys()
    assert of_workbook["lower case"] == (True, [rows[0], ["N-1", "lamp"], ["N-2", "desk"]])


class LetterByLetter(StockList):
    """Compares its items by itself."""

    @checkpoint("Exactly the items that are missing are listed", weight=4)
    def lines_right(self, case: GradingContext[Missing]) -> Verdict:
        """Letter by letter."""
        lines = read_table(case, case.truth.path, OrderLine)
        right = {(line.item, line.pieces) for line in case.truth.lines}
        same = {(line.item, line.pieces) for line in lines} == right
        return Verdict(same and len(lines) == len(right), "seen")


async def test_a_family_that_compares_by_itself_does_not_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for family in (LetterByLetter, StockList):
        rules = {rule.id: rule for rule in family.rules()}
        monkeypatch.setattr(catalog, "all_rules", lambda rules=rules: rules)
        keep_days(KEPT_DAYS)  # forgets those of the other family, whose rule is called the same
        claim = await certify_mutants("stock_list.i5", [1])
        broken = [said.partition(" with ")[2] for said in claim.broken]
        if family is StockList:
            assert not broken
        else:
            assert {"upper case fails", "accents fails"} <= {*broken}
