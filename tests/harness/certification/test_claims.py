"""Each claim of the certificate notices its own kind of defect, and tries nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import pytest

from tests.meta_tasks.stock_list import Missing, OrderLine, StockList
from tests.quick_round import quick_only
from trainee_bench.harness.certification.blindness import certify_blindness
from trainee_bench.harness.certification.certificates import CLAIMS, certify
from trainee_bench.harness.certification.cheats import certify_cheats
from trainee_bench.harness.certification.finishing import certify_finishing
from trainee_bench.harness.certification.followers import certify_followers
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.testbench import work_plan
from trainee_bench.harness.testbench.spelling_mutations import spelling_mutants, spelling_workbooks
from trainee_bench.harness.testbench.workbook_mutations import rows_of, workbook_of
from trainee_bench.meta_tasks import catalog, complications
from trainee_bench.meta_tasks.answers import Code, PersonRef, RecordId, Text, TextKind
from trainee_bench.meta_tasks.authoring import Deliverable, TableRow, read_table
from trainee_bench.meta_tasks.authoring.converters import FULL_NAME
from trainee_bench.meta_tasks.authoring.text_template import ValueTemplate
from trainee_bench.meta_tasks.catalog import find_rule, matching_rules
from trainee_bench.meta_tasks.checkpoints import GradingContext, Verdict, checkpoint
from trainee_bench.meta_tasks.complication import Complicated, Complication, ComplicationKind, Stage
from trainee_bench.meta_tasks.complication_scene import Scene, outsider
from trainee_bench.meta_tasks.complications import careful_habits, discover_complications
from trainee_bench.meta_tasks.kept_days import KEPT_DAYS, keep_days
from trainee_bench.meta_tasks.needs import (
    Around,
    Habit,
    Inbox,
    Inner,
    Need,
    PersonCalled,
    Task,
    Work,
)
from trainee_bench.meta_tasks.work.achieving import Beside
from trainee_bench.meta_tasks.work.asking import Sent, WrittenAbout
from trainee_bench.meta_tasks.work.sources import ReadMessage
from trainee_bench.world.colleagues.knowledge import Expectation
from trainee_bench.world.company.people import create_company

NOTE = ValueTemplate("Tell {value} in the chat that you have begun.", FULL_NAME)


class SaysSo(Habit):
    """Tells the person whom the note names."""

    name: ClassVar[str] = "says so"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        return {Beside: self._said}

    async def _said(
        self, work: Work, need: Beside, inner: Inner[tuple[Need[Any], ...]]
    ) -> tuple[Need[Any], ...]:
        done, name = await inner(), NOTE.search((await work(Task(need.task))).notes)
        if name is None:
            return done
        person = await work(PersonCalled(name))
        return (*done, Sent(need.task, person.id, "I have begun."))


class Beginning(Complication):
    """A colleague waits for the same word on each day."""

    name = "beginning"
    kind = ComplicationKind.PEOPLE
    stage = Stage.BESIDE
    about = "Somebody is told that the work has begun."
    habits = (SaysSo(),)

    def apply(self, scene: Scene) -> Complicated:
        person = outsider(scene, self.name, scene.context.company.people)
        told = Expectation(
            id=scene.context.clue_id("begun"), holder=person.id, values=(("begun",),), reply="Fine."
        )
        scene = scene.with_expectations(told)
        return Complicated(scene.with_note(NOTE.render(person.name)))

    @checkpoint("The colleague knows that you have begun")
    def begun(self, grading: GradingContext[None]) -> Verdict:
        heard = grading.expectation_met_at("begun") is not None
        return Verdict(heard, f"they were {'' if heard else 'not '}told")


@pytest.fixture
def beginning(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    found = {**discover_complications(), Beginning.name: Beginning()}
    for place in (complications.__name__, "trainee_bench.meta_tasks.catalog"):
        monkeypatch.setattr(f"{place}.discover_complications", lambda: found)
    yield
    find_rule.__globals__["_complicated"].cache_clear()


@pytest.mark.usefixtures("beginning")
async def test_a_message_that_earns_the_same_on_each_day_breaks_the_claim() -> None:
    claim = await certify_blindness("kb_fix.easy+beginning", range(2))
    assert claim.broken == [
        "the blind worker handles beginning in 4 of 4 trials",
        "the early worker handles beginning in 4 of 4 trials",
    ]
    assert claim.facts == {"blind beginning": 1, "early beginning": 1}


@pytest.mark.parametrize(
    ("rule", "names"),
    [
        ("kb_fix.easy+outside_mail", ["outside_mail"]),
        ("kb_fix.easy+busy_holder+curious_colleague", ["busy_holder", "curious_colleague"]),
    ],
)
async def test_each_complication_of_a_rule_is_tried_in_both_ways(
    rule: str, names: list[str]
) -> None:
    claim = await certify_blindness(rule, range(1))
    assert claim.holds and claim.tried == 2 * len(names)
    assert claim.facts == {f"{way} {name}": 0 for name in names for way in ("blind", "early")}


async def test_a_cheat_that_knows_other_seeds_is_left_out_where_the_family_says_why() -> None:
    claim = await certify_cheats("week.appointment", ())
    (note,) = claim.notes
    assert note.startswith("rehearsed is left out: two people name few hours")
    assert (await certify_cheats("week.budget", ())).notes == []


async def test_nothing_is_tried_for_a_plain_rule() -> None:
    claim = await certify_blindness("kb_fix.easy", range(3))
    assert claim.holds and claim.inapplicable == "this rule has no complications"
    assert claim.facts == {}


QUICK = [
    "meeting_book.department.c1",
    "website_analysis.failed_deploy.h2.no_code",
    "week.appointment",
]
COMPLICATED = [
    "sales.top_sales_employee+split_knowledge+slow_holder",
    "sales.all_depts_qoq_count+retraction",
    "sales.top_sales_employee+sign_off",
    "sales.top_sales_employee+changed_request",
    "sales.top_sales_employee+flawed_contribution",
    "kb_fix.easy+curious_colleague",
    "kb_fix.easy+hidden_instructions",
    "meeting_attend.check_sum.u3+clashing_invitation",
    "transactions.self_approved.s3+busy_holder+policy_change",
]


THIRD = [rule for n, rule in enumerate(matching_rules(["*"])) if n % 3 == 0 or rule in QUICK]
"""A third of all rules; CI's certificates, which have this claim, try a sixth at another seed."""


@pytest.mark.parametrize("rule", quick_only(QUICK, THIRD))
async def test_oracles_finish_what_agents_have_left(rule: str) -> None:
    claim = await certify_finishing(rule, range(2, 3))
    assert claim.holds, claim.broken


@pytest.mark.parametrize("rule", quick_only(COMPLICATED[:1], COMPLICATED))
async def test_oracles_finish_tasks_with_complications(rule: str) -> None:
    claim = await certify_finishing(rule, range(1, 2))
    assert claim.holds, claim.broken


async def test_the_claim_says_how_much_is_still_reached_and_how_often_that_is_the_best() -> None:
    claim = await certify_finishing("kb_fix.easy", range(2))
    assert 0 < claim.facts["finished score"] <= 1
    assert 0 < claim.facts["known best"] <= 1


async def test_a_rule_is_tried_after_and_before_another_and_beside_one_of_its_family() -> None:
    claim = await certify_followers("resume_select.pool12+retraction", range(2))
    assert claim.holds, claim.broken
    assert claim.facts == {"days followed": 6, "taken back": 2}


async def test_a_rule_whose_result_others_take_is_tried_with_one_of_them() -> None:
    claim = await certify_followers("sales.top_sales_employee+corrected_file", range(2))
    assert claim.holds, claim.broken
    assert claim.facts["days followed"] == 6


async def test_a_day_that_does_not_fit_is_noted_in_its_own_words_and_not_counted() -> None:
    rule = "sales.cross_depts_extreme_employee+retraction"
    claim = await certify_followers(rule, range(1, 2))
    assert claim.holds, claim.broken
    (note,) = claim.notes
    assert note.startswith("a day giving to meeting_book.manager.c1 is refused: the person that T1")
    assert claim.facts == {"days followed": 3, "taken back": 1}


@pytest.mark.parametrize(
    "rule", ["kb_fix.easy", "meeting_attend.none.u1+clashing_invitation", "week.rota"]
)
async def test_the_claim_says_nothing_of_rules_that_follow_no_other(rule: str) -> None:
    claim = await certify_followers(rule, range(1))
    assert claim.holds and claim.tried == 1 and not claim.facts
    assert claim.inapplicable == "a rule of this kind follows no other"


class TakesFollowersForTheirCause(Habit):
    """Mistakes messages about T1b for messages about T1."""

    name: ClassVar[str] = "takes followers for their cause"

    def ways(self) -> Mapping[type[Need[Any]], Around]:
        return {WrittenAbout: self._written}

    async def _written(
        self, work: Work, need: WrittenAbout, inner: Inner[tuple[ReadMessage, ...]]
    ) -> tuple[ReadMessage, ...]:
        messages = await work(Inbox())
        found = (
            (re.findall(r"(?:\(|\btask )(T\d+)[a-z]?\b", heard.text), heard) for heard in messages
        )
        return tuple(heard for labels, heard in found if need.task in labels)


async def test_a_worker_that_takes_a_follower_for_its_cause_breaks_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    habits = (*careful_habits(), TakesFollowersForTheirCause())
    monkeypatch.setattr(work_plan, "careful_habits", lambda: habits)
    rule = "sales.per_dept_extreme_employee+retraction"
    broken = (await certify_followers(rule, range(1, 2))).broken
    assert [flaw.partition(" scores 0.0; ")[0] for flaw in broken] == [
        f"seed 1: on a day after kb_fix.easy, T1b ({rule})",
        f"seed 1: on a day with facts that one person takes back, T1b ({rule})",
        f"seed 1: on a day with facts that one person takes back, T1c ({rule})",
    ]


async def test_the_certificate_has_the_claim() -> None:
    made = await certify("resume_select.pool12+retraction", range(1), ["followers"])
    assert made.holds and "followers" in CLAIMS and made.fact("taken back") == 1


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
    """A family that compares its items by itself."""

    @checkpoint("Exactly the items that are missing are listed", weight=4)
    def lines_right(self, case: GradingContext[Missing]) -> Verdict:
        """Compare letter by letter."""
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
        keep_days(KEPT_DAYS)  # forget the rules of the other family, which have the same names
        claim = await certify_mutants("stock_list.i5", [1])
        broken = [said.partition(" with ")[2] for said in claim.broken]
        if family is StockList:
            assert not broken
        else:
            assert {"upper case fails", "accents fails"} <= {*broken}
