"""Each hole that an edit could make in a family breaks a claim that names it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from typing import Any

import pytest

from tests import quick_round
from tests.harness.certification.parcels import Parcels
from tests.meta_tasks.stock_list import StockList
from trainee_bench.harness.agents.cheats.empty_files import EmptyFiles
from trainee_bench.harness.agents.runtime.in_process_episode import run_in_process
from trainee_bench.harness.certification import certificates
from trainee_bench.harness.certification.ablation import certify_ablation
from trainee_bench.harness.certification.ahead import certify_ahead
from trainee_bench.harness.certification.asking import certify_asking
from trainee_bench.harness.certification.certificates import CLAIMS
from trainee_bench.harness.certification.cheats import certify_cheats, certify_guesses
from trainee_bench.harness.certification.claim import Claim
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.finishing import certify_finishing
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.mutants import certify_mutants, mutants_of
from trainee_bench.harness.certification.process_points import certify_process
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.certification.task_pairs import certify_pairs
from trainee_bench.harness.certification.text_ablation import certify_shown
from trainee_bench.harness.certification.uninformed import certify_uninformed
from trainee_bench.harness.testbench.slips import with_slip
from trainee_bench.harness.testbench.staged_day import (
    StagedDay,
    oracle_outputs,
    single_task_day,
    stage_day,
)
from trainee_bench.harness.testbench.workbook_files import copy_as, rows_in, write_as
from trainee_bench.harness.testbench.workbook_mutations import rows_of, workbook_of, wrong_rows
from trainee_bench.meta_tasks import catalog
from trainee_bench.meta_tasks.authoring import Wording
from trainee_bench.meta_tasks.authoring import handbook as handbooks
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.transaction import Transaction

SEEDS = range(3)
HOLES: tuple[tuple[str, Callable[[str, range], Awaitable[Claim]], str], ...] = (
    ("one_ask", certify_asking, "T1/code can be asked for in only 1 way"),
    ("two_values", certify_asking, "the secret of T1/code takes 2 values"),
    ("plain_paths", certify_pairs, "two tasks on a day both use workspace:/parcel.json"),
    ("told_worth_half", certify_process, "told are 50% of the points"),
    ("told_without_outcome", certify_process, "told takes no work and counts without an outcome"),
    ("contradiction", certify_shown, "the oracle succeeds without 'Add 5 kg for the box.'"),
    ("unread_list", certify_shown, "the oracle succeeds without drive:/parcels/rules.md"),
    ("unread_mail", certify_shown, "the oracle succeeds without the mail 'Hi'"),
    ("unstated", certify_shown, "the oracle states nothing of 'Weigh it without its box.'"),
    ("unsaid_word", certify_shown, "nobody says 'stamped'"),
    ("tolerance", certify_mutants, "kilograms: a little more passes"),
    ("sign", certify_mutants, "balance: another sign passes"),
    ("column", certify_mutants, "note: a letter changed passes"),
    ("no_mail", certify_pairs, "the objective mentions a mail, and none comes"),
    ("no_file", certify_pairs, "the objective names drive:/parcels/rules.md, which is not there"),
    (
        "secret_holder",
        certify_counterfactuals,
        "its family has to name all people who may have one",
    ),
    ("no_requester", certify_pairs, "nobody of the company gives the task"),
    ("leaky", certify_counterfactuals, "files_"),
    ("needless", certify_ablation, "without code the oracle still scores 1"),
    ("constant", certify_guesses, "100%"),
    ("free", certify_cheats, "empty_files"),
    ("chatty", certify_leakage, "hint 1 says ['C-"),
    ("lazy", certify_solvable, "the oracle scores 0"),
    ("lazy", certify_finishing, "after somebody has looked around oracles reach 0"),
    ("deeds", certify_mutants, "seed 0: nothing fails"),
    ("deeds", certify_mutants, "seed 0: all of it passes"),
)


@pytest.fixture
def _catalog_of_parcels(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in Parcels.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


@pytest.mark.usefixtures("_catalog_of_parcels")
@pytest.mark.parametrize("name", [name for name in CLAIMS if name != "guesses"])
async def test_every_claim_holds_for_the_family_without_a_hole(name: str) -> None:
    claim = await CLAIMS[name]("parcels.none", SEEDS[:1] if name == "cheats" else SEEDS)
    assert claim.holds, claim.broken


@pytest.mark.usefixtures("_catalog_of_parcels")
@pytest.mark.parametrize(
    ("hole", "certify", "said"), HOLES, ids=[f"{hole}: {said}" for hole, _, said in HOLES]
)
async def test_a_family_with_a_hole_is_refused_by_name(
    hole: str, certify: Callable[[str, range], Awaitable[Claim]], said: str
) -> None:
    claim = await certify(f"parcels.{hole}", SEEDS[:1] if certify is certify_cheats else SEEDS)
    assert any(said in flaw for flaw in claim.broken), claim.broken


@pytest.mark.usefixtures("_catalog_of_parcels")
async def test_guessing_a_secret_of_two_values_is_noticed_if_nothing_asks_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sound = await certify_uninformed("parcels.two_values", SEEDS)
    assert sound.holds, sound.broken
    claim = await certify_uninformed("parcels.two_values_not_needed", SEEDS)
    assert "the guesser, which is told nothing, scores" in claim.broken[0]


@pytest.mark.usefixtures("_catalog_of_parcels")
@pytest.mark.parametrize("name", CLAIMS)
async def test_a_claim_that_raises_names_rule_and_seed_and_goes_on(name: str) -> None:
    claim = await CLAIMS[name]("parcels.raises", range(4, 6))
    raised = [flaw for flaw in claim.broken if "ZeroDivisionError: this family" in flaw]
    assert not claim.holds
    assert {flaw.partition(":")[0] for flaw in raised} == {
        "parcels.raises, seed 4",
        "parcels.raises, seed 5",
    }


@pytest.mark.usefixtures("_catalog_of_parcels")
async def test_a_claim_that_raises_outside_of_any_seed_names_the_rule_and_the_others_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(rule: str, seeds: range) -> Claim:
        raise ZeroDivisionError("this claim cannot be tried")

    monkeypatch.setattr(certificates, "CLAIMS", {**CLAIMS, "solvable": broken})
    certificate = await certificates.certify("parcels.none", range(4, 6), ["solvable", "asking"])
    first, second = certificate.claims
    assert "parcels.none, seeds 4 to 5: ZeroDivisionError: this claim" in first.broken[0]
    assert second.holds and not certificate.holds


@pytest.mark.usefixtures("_catalog_of_parcels")
async def test_a_certificate_of_a_rule_that_raises_is_still_written() -> None:
    certificate = await certificates.certify("parcels.raises", range(1), ["solvable", "shown"])
    assert certificate.rule == "parcels.raises" and not certificate.holds


@pytest.mark.usefixtures("_catalog_of_parcels")
async def test_an_answer_that_differs_with_every_seed_is_not_worth_guessing() -> None:
    claim = await certify_guesses("parcels.none", range(8))
    assert claim.holds
    assert claim.facts == {"commonest": 1 / 8, "guess_seeds": 8}


@pytest.mark.usefixtures("_catalog_of_parcels")
async def test_a_file_that_exists_before_its_task_is_published_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    populate = ComposedDay.populate

    def from_the_start(day: ComposedDay, tx: Transaction) -> None:
        populate(day, tx)
        starts = day.day.starts.isoformat()
        tx.run("UPDATE event SET due = ? WHERE kind <> 'TaskPublished'", starts)

    monkeypatch.setattr(ComposedDay, "populate", from_the_start)
    claim = await certify_ahead("parcels.none", range(1))
    assert not claim.holds
    assert any("there before it is published" in flaw for flaw in claim.broken)


FRESH_SEEDS = count(90_001)
"""Days that no other test has composed, and cached, from the original texts."""


@dataclass(frozen=True)
class Edited:
    """A template with some words of its text exchanged.

    It reads the text back as if it did not notice.
    """

    template: Wording[Any]
    old: str
    new: str
    plain: dict[str, str] = field(default_factory=dict)

    def render(self, value: object) -> str:
        text = self.template.render(value)
        assert self.old in text
        edited = text.replace(self.old, self.new)
        self.plain[edited] = text
        return edited

    def parse(self, text: str) -> object:
        return self.template.parse(self.plain[text])


async def broken_by(rule: str) -> str:
    """Return what breaks the claim that an honest worker can do a day of *rule*."""
    seed = next(FRESH_SEEDS)
    claim = await certify_solvable(rule, range(seed, seed + 1))
    (flaw,) = claim.broken
    return flaw


CONTRADICTIONS = [
    ("kb_fix.easy", "Leave everything else exactly as it is.", "Correct the spelling, too."),
    ("attendance.top_percent_employees.L1", "both descending", "both ascending"),
    ("attendance.top_percent_employees.L2", "; take the first ", "; leave out the first "),
    ("attendance.late_early_employee.L1", "break ties by", "decide ties by"),
    ("attendance.total_absence_days.L1", "lunch included", "lunch left out"),
    ("attendance.average_overtime_hours.L3", "Round only the final result", "Round every day"),
    ("attendance.employees_with_most_remote_days.L4", "all of them if", "any of them if"),
    ("data_completion.web.funnel.easy", "with a decimal point", "with a decimal comma"),
    ("data_completion.sales.qoq_rate.easy", "may be rounded either up or down", "is rounded up"),
    ("data_completion.transactions.tax_fee.easy", "the complete rows are from earlier", "all are"),
    ("sales.cross_depts_extreme_employee", "No two of these employees have", "Some of them have"),
    ("meeting_book.moved.c2", "The length never changes.", "Make it shorter by the delay."),
    ("meeting_book.department.c1", ", ask that person about them, by name", ", leave them out"),
]


@pytest.mark.parametrize("left_out", [False, True], ids=["contradicts", "is left out"])
@pytest.mark.parametrize(("rule", "old", "new"), CONTRADICTIONS, ids=[c[1] for c in CONTRADICTIONS])
async def test_an_objective_that_contradicts_honest_work_or_leaves_a_rule_out_is_refused(
    monkeypatch: pytest.MonkeyPatch, rule: str, old: str, new: str, left_out: bool
) -> None:
    folder = f"trainee_bench.meta_tasks.families.{rule.partition('.')[0]}"
    family = import_module(folder)
    edited = Edited(family.OBJECTIVE, old, "" if left_out else new)
    monkeypatch.setattr(family, "OBJECTIVE", edited)
    monkeypatch.setattr(import_module(f"{folder}.work"), "OBJECTIVE", edited)
    flaw = await broken_by(rule)
    assert "the objective does not say: " in flaw


PAGES = [
    ("sales.all_depts_qoq_count", "are neither a rise nor a fall", "are a rise"),
    (
        "attendance.average_overtime_hours.L2",
        "An absent day is neither, and it has no overtime",
        "",
    ),
    ("attendance.total_absence_days.L4", "with no valid punch is", "with one punch or none is"),
    ("attendance.attendance_statistics.L3", "full blocks of {block} minutes", "minutes"),
    ("data_completion.web.rolling_avg.easy", "and the six before it", "and the seven before it"),
    ("data_completion.web.funnel.medium", "Such a cell is not empty", "Such a cell is empty"),
]


@pytest.mark.parametrize(("rule", "old", "new"), PAGES, ids=[page[1] for page in PAGES])
async def test_a_page_that_contradicts_honest_work_is_refused(
    monkeypatch: pytest.MonkeyPatch, rule: str, old: str, new: str
) -> None:
    def edited(name: str) -> str:
        assert old in plain(name)
        return plain(name).replace(old, new)

    plain = handbooks.resource_text
    monkeypatch.setattr(handbooks, "resource_text", edited)
    assert ".md does not say: " in await broken_by(rule)


async def test_the_manual_decides_how_days_with_only_an_out_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents = import_module("trainee_bench.meta_tasks.families.attendance.subject.documents")
    monkeypatch.setattr(
        documents, "_ONE_IS_ENOUGH", documents._ONE_IS_ENOUGH.replace("overtime count", "nothing")
    )
    flaw = await broken_by("attendance.average_overtime_hours.L1")
    assert "does not say: Without a valid `in`, it is not late; leaving early and" in flaw


RULE = "stock_list.i5"
ROWS = [["item", "pieces"], ["lamps", 12], ["chairs", 7.5]]


@pytest.fixture
def _catalog_of_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {rule.id: rule for rule in StockList.rules()}
    monkeypatch.setattr(catalog, "all_rules", lambda: rules)


@pytest.mark.usefixtures("_catalog_of_stock")
@pytest.mark.parametrize(
    "certify",
    [
        certify_solvable,
        certify_counterfactuals,
        certify_ablation,
        pytest.param(certify_cheats, marks=pytest.mark.sweep),
        certify_guesses,
        certify_mutants,
        certify_leakage,
    ],
)
@quick_round.seeds(1, sweep=2)
async def test_every_claim_holds_for_a_family_that_asks_for_a_workbook(
    certify: Any, seeds: range
) -> None:
    for rule in StockList.rules():
        claim = await certify(rule.id, seeds)
        assert claim.holds, claim.broken


@pytest.mark.usefixtures("_catalog_of_stock")
async def test_the_right_workbook_reads_as_its_rows() -> None:
    (text,) = await oracle_outputs(single_task_day(RULE, 1))
    ((titles, *lines),) = json.loads(text).values()
    assert titles == ["item", "pieces"] and len(lines) == 5
    assert rows_in(text) == [titles, *lines]


async def graded_after(day: StagedDay, tool: str, **arguments: Any) -> tuple[float | None, str]:
    await day.call(tool, arguments)
    (grade,) = await day.grades()
    return grade.score, grade.checkpoints[0].seen


@pytest.mark.usefixtures("_catalog_of_stock")
async def test_a_deliverable_that_is_not_the_required_table_is_named() -> None:
    day = await stage_day(single_task_day(RULE, 1))
    async with day.world:
        (path,) = day.composition.deliverable_paths
        (grade,) = await day.grades()
        assert grade.score == 0 and "no file" in grade.checkpoints[0].seen
        made = await graded_after(day, "sheets_create", path=path, rows=[])
        assert made == (0, f"{path} is empty")
        rows = [["item", "number"], ["lamps", 3]]
        given = await graded_after(day, "sheets_write", path=path, start="A1", rows=rows)
        assert "does not have the columns asked for" in given[1]
        rows = [["item", "pieces"], ["lamps", "many"]]
        given = await graded_after(day, "sheets_write", path=path, start="A1", rows=rows)
        assert given[1].startswith("row 2, pieces:")


@pytest.mark.usefixtures("_catalog_of_stock")
async def test_the_cheat_with_empty_files_makes_an_empty_workbook() -> None:
    done = await run_in_process(
        EmptyFiles.name, compose_day(single_task_day(RULE, 1).scenario_day.scenario)
    )
    assert [entry.tool for entry in done.log if "workspace" in str(entry.arguments)] == [
        "sheets_create"
    ]
    assert done.grade.tasks[0].score == 0


@pytest.mark.usefixtures("_catalog_of_stock")
def test_every_wrong_table_differs_from_the_right_one_and_from_the_others() -> None:
    found = dict(wrong_rows(ROWS))
    assert len(found) == 10
    tables = [json.dumps(rows) for rows in found.values()]
    assert len({*tables, json.dumps(ROWS)}) == 11
    assert found["a number off by one"][1] == ["lamps", 13]
    assert found["two values swapped"][1:] == [["chairs", 12], ["lamps", 7.5]]


@pytest.mark.usefixtures("_catalog_of_stock")
def test_a_workbook_of_rows_has_these_rows() -> None:
    typed = [["item", "pieces"], ["lamps", "12"], ["chairs", "7.5"]]
    assert rows_of(workbook_of(ROWS, "Order").sheets[0]) == typed


@pytest.mark.usefixtures("_catalog_of_stock")
def test_a_picture_has_wrong_mutants_and_no_harmless_ones() -> None:
    picture = FileContent(kind=FileKind.PICTURE, data=b"\x89PNG\r\n\x1a\n" + bytes(40))
    wrong = [mutant.content.data for mutant in mutants_of(picture, harmless=False)]
    assert len({picture.data, *wrong}) == 4
    assert not list(mutants_of(picture, harmless=True))


@pytest.mark.usefixtures("_catalog_of_stock")
def test_a_slip_changes_the_rows_that_are_written_and_nothing_else() -> None:
    given: dict[str, Any] = {"path": "workspace:/order.xlsx", "rows": ROWS}
    slipped = with_slip("sheets_create", given, 0.0, ["a row dropped"])
    assert slipped == {"path": "workspace:/order.xlsx", "rows": ROWS[:2]}
    assert with_slip("sheets_create", given, 0.99)["rows"] != ROWS


@pytest.mark.usefixtures("_catalog_of_stock")
async def test_texts_and_tables_are_written_in_the_form_that_a_name_says() -> None:
    made: list[tuple[str, dict[str, Any]]] = []

    async def call(tool: str, **arguments: Any) -> None:
        made.append((tool, arguments))

    await write_as(call, "workspace:/a.txt", "x")
    await write_as(call, "workspace:/a.xlsx", "x\ny")
    await copy_as(call, "drive:/a.csv", "workspace:/b.xlsx")
    await copy_as(call, "drive:/a.xlsx", "workspace:/b.xlsx")
    await copy_as(call, "drive:/a.md", "workspace:/b.md")
    assert [tool for tool, _ in made] == [
        "files_write", "sheets_create", "sheets_convert", "files_copy", "files_copy",
    ]  # fmt: skip
    assert made[1][1]["rows"] == [["x"], ["y"]]
