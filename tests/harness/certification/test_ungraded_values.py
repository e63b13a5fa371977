"""Every value of every kind of deliverable is changed.

A family that grades one too loosely, or not at all, breaks the claim on mutants.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import pytest

from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.meta_tasks import catalog, needs
from trainee_bench.meta_tasks.authoring import (
    PATH,
    Difficulty,
    Domain,
    GradedPart,
    GradingContext,
    HiddenPart,
    Hints,
    MetaTask,
    PlannedEvent,
    RecordId,
    Rule,
    TableRow,
    TaskContext,
    TaskInstance,
    TextTemplate,
    ToldPart,
    Verdict,
    checkpoint,
    read_table,
)
from trainee_bench.world.apps.files import FileAppears

Form = Literal["json", "txt", "csv", "xlsx"]
Hole = Literal["none", "date", "nothing", "digits", "number", "tolerance", "sheet", "share"]
HOLES: tuple[tuple[Form, Hole, str], ...] = (
    ("json", "date", "day: a year later passes"),
    ("json", "nothing", "remark: a value instead of none passes"),
    ("json", "digits", "number: a little more passes"),
    ("txt", "number", ".75: a little more passes"),
    ("csv", "tolerance", "amount: a little less passes"),
    ("xlsx", "tolerance", "amount: a little more passes"),
    ("xlsx", "sheet", "Shares, name: a letter changed passes"),
    ("xlsx", "share", "Shares, share: a little more passes"),
)
SOURCE = "drive:/ledger/data.json"


class Entry(TableRow):
    name: RecordId
    amount: float


class Share(TableRow):
    name: RecordId
    share: float


@dataclass(frozen=True)
class Paths:
    source: str
    output: str


OBJECTIVE = TextTemplate(Paths, "Write what {source} holds to {output}.", dict.fromkeys(
    ("source", "output"), PATH
))  # fmt: skip


def report(data: dict[str, Any]) -> str:
    return f"On {data['day']} no. {data['number']} came to {data['total']:.2f} EUR.\nAll is seen.\n"


class Ledger(MetaTask[dict[str, Any]]):
    """A ledger is copied into one of several forms; ``hole`` is what its grading overlooks."""

    family = "ledger"
    domain = Domain.INFORMATION
    form: Form
    hole: Hole

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        sound: list[tuple[Form, Hole]] = [(form, "none") for form in ("json", "txt", "csv", "xlsx")]
        made = [*sound, *((form, hole) for form, hole, _ in HOLES)]
        return tuple(
            Rule(f"ledger.{form}.{hole}", Difficulty.EASY, cls(form=form, hole=hole))
            for form, hole in made
        )

    @property
    def rule_id(self) -> str:
        return f"ledger.{self.form}.{self.hole}"

    def generate(self, context: TaskContext) -> TaskInstance[dict[str, Any]]:
        draws = context.stream("data")
        rows = [["rent", draws.randrange(900, 9_000) / 4], ["heat", draws.randrange(900) + 0.25]]
        data = {
            "day": f"{date(2025, 3, draws.randrange(1, 29))}",
            "number": f"{draws.randrange(100, 900)}",
            "total": draws.randrange(1_000, 9_000) + 0.75,
            "remark": None,
            "rows": rows,
            "shares": [["rent", 0.25], ["heat", 0.75]],
        }
        paths = Paths(SOURCE, f"workspace:/ledger.{self.form}")
        return TaskInstance(
            ToldPart(
                title="A ledger",
                objective=OBJECTIVE.render(paths),
                hints=Hints("Read.", "On the drive.", "Write."),
                deliverable_paths=(paths.output,),
            ),
            HiddenPart(events=(PlannedEvent(FileAppears(path=SOURCE, text=json.dumps(data))),)),
            GradedPart(data),
        )

    @checkpoint("All of it is right")
    def right(self, grading: GradingContext[dict[str, Any]]) -> Verdict:
        path, data = f"workspace:/ledger.{self.form}", dict(grading.truth)
        text = grading.text(path) if self.form != "xlsx" else None
        near = 0.5 if self.hole == "tolerance" else 0.005
        same = {"json": self._same_json, "txt": self._same_report}.get(self.form)
        if same is not None:
            return Verdict(text is not None and same(text, data), "a file")
        if self.form == "csv":
            rows = [*csv.reader(io.StringIO((text or "").removeprefix("\ufeff")))][1:]
            given = [(row[0], _amount(row)) for row in rows if row]
        else:
            given = [(entry.name, entry.amount) for entry in read_table(grading, path, Entry)]
            shares = [(s.name, s.share) for s in read_table(grading, path, Share, "Shares")]
            loose = self.hole == "share"
            if self.hole != "sheet" and not _close(shares, data["shares"], 9 if loose else 0.005):
                return Verdict(False, "other shares")
        return Verdict(_close(given, data["rows"], near), "rows")

    def _same_json(self, text: str, data: dict[str, Any]) -> bool:
        try:
            given = json.loads(text)
            if self.hole == "date":
                given["day"] = data["day"] if date.fromisoformat(given["day"]) else ""
            if self.hole == "nothing":
                given["remark"] = None
            if self.hole == "digits" and len(given["number"]) == len(data["number"]):
                given["number"] = data["number"]
        except (ValueError, KeyError, TypeError):
            return False
        return bool(given == data)

    def _same_report(self, text: str, data: dict[str, Any]) -> bool:
        told, right = text.removeprefix("\ufeff"), report(data)
        if self.hole == "number":
            told, right = (re.sub(r"-?\d+\.\d\d EUR", "", report) for report in (told, right))
        return told.split() == right.split()

    @staticmethod
    async def honest_work(work: needs.Work, task: str) -> None:
        paths = await work(needs.TaskBrief(task, OBJECTIVE))
        source = await work(needs.FileText(paths.source, task))
        data = json.loads(source)
        rows = [["name", "amount"], *data["rows"]]
        match paths.output.rpartition(".")[2]:
            case "json":
                await needs.hand_in(work, task, paths.output, json.dumps(data, indent=1))
            case "txt":
                await needs.hand_in(work, task, paths.output, report(data))
            case "csv":
                text = "".join(f"{name},{amount}\n" for name, amount in rows)
                await needs.hand_in(work, task, paths.output, text)
            case _:
                path, shares = paths.output, [["name", "share"], *data["shares"]]
                await work.call("sheets_create", path=path, rows=rows)
                await work.call("sheets_change", path=path, action="add", sheet="Shares")
                await work.call("sheets_write", path=path, start="A1", rows=shares, sheet="Shares")


def _amount(row: list[str]) -> float:
    """Return the amount in a row, or no valid amount if the row is malformed."""
    try:
        return float(row[1]) if len(row) == 2 else -1.0
    except ValueError:
        return -1.0


def _close(given: list[tuple[str, float]], right: list[list[Any]], near: float) -> bool:
    return len(given) == len(right) and all(
        name == wanted and abs(amount - value) <= near
        for (name, amount), (wanted, value) in zip(given, right, strict=True)
    )


@pytest.fixture(autouse=True)
def _catalog_of_ledgers(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in Ledger.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


@pytest.mark.parametrize("form", ["json", "txt", "csv", "xlsx"])
async def test_a_family_that_grades_every_value_lets_no_changed_one_pass(form: str) -> None:
    claim = await certify_mutants(f"ledger.{form}.none", range(1))
    assert claim.holds, claim.broken


@pytest.mark.parametrize(("form", "hole", "said"), HOLES, ids=[" ".join(h[:2]) for h in HOLES])
async def test_a_value_that_is_not_graded_is_found(form: Form, hole: Hole, said: str) -> None:
    claim = await certify_mutants(f"ledger.{form}.{hole}", range(1))
    assert any(said in flaw for flaw in claim.broken), claim.broken
