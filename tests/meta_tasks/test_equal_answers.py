"""Equal answers have equal grades: what is handed in, spelt otherwise, in every family."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.meta_tasks.days import staged
from trainee_bench.harness.testbench.staged_day import StagedDay
from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch, match_expectation
from trainee_bench.world.colleagues.understanding import hear
from trainee_bench.world.filesystem.content import FileContent, FileKind

Form = Callable[[str, StagedDay], str]


def plain(change: Callable[[str], str]) -> Form:
    return lambda text, day: change(text)


def called(by: str) -> Form:
    """Somebody's id or address in place of the name."""

    def form(text: str, day: StagedDay) -> str:
        return str(getattr(day.composition.company.person(text), by))

    return form


def other_person(text: str, day: StagedDay) -> str:
    return next(one.id for one in day.composition.company.people if one.name != text)


def next_digit(text: str) -> str:
    at = next(place for place, letter in enumerate(text) if letter.isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


UPPER, LOWER = plain(str.upper), plain(str.lower)
NO_BREAK = plain(lambda text: text.replace(" ", "\u00a0"))
WIDE = plain(lambda text: text.replace(" ", "  "))
EN_DASH = plain(lambda text: text.replace("-", "\u2013"))
BLANK_FOR_DASH = plain(lambda text: text.replace("-", " "))
DASH_FOR_BLANK = plain(lambda text: text.replace(" ", "-"))
SCORED = plain(lambda text: text.replace(" ", "_"))
JOINED = plain(lambda text: text.replace("-", "").replace(" ", ""))
ACCENT = plain(lambda text: text.replace("e", "\u00e9").replace("a", "a\u0300"))
AROUND = plain(lambda text: f" {text}\u00a0\n")
BULLET = plain(lambda text: f"- {text}")
FIRST_WORD = plain(lambda text: text.split()[0])
LETTER = plain(lambda text: f"{text[:-1]}{'x' if text[-1] != 'x' else 'y'}")
DIGIT = plain(next_digit)
ID, ADDRESS = called("id"), called("email")
ID_IN_CAPITALS: Form = lambda text, day: ID(text, day).upper()  # noqa: E731
CASE = plain(str.swapcase)

FORMS: dict[str, list[tuple[str, str, Form, float]]] = {
    "transactions.n2.a1": [
        ("abnormal_suppliers", "upper", UPPER, 1.0),
        ("abnormal_suppliers", "lower", LOWER, 1.0),
        ("abnormal_suppliers", "no_break", NO_BREAK, 1.0),
        ("abnormal_suppliers", "wide", WIDE, 1.0),
        ("abnormal_suppliers", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("abnormal_suppliers", "scored", SCORED, 1.0),
        ("abnormal_suppliers", "accent", ACCENT, 1.0),
        ("abnormal_suppliers", "around", AROUND, 1.0),
        ("abnormal_suppliers", "letter", LETTER, 0.556),
        ("abnormal_suppliers", "first_word", FIRST_WORD, 0.556),
        ("abnormal_suppliers", "bullet", BULLET, 0.556),
        ("largest_payment", "around", AROUND, 1.0),
        ("largest_payment", "case", CASE, 0.444),
        ("largest_payment", "en_dash", EN_DASH, 0.444),
        ("largest_payment", "digit", DIGIT, 0.444),
        ("largest_payment", "joined", JOINED, 0.444),
    ],
    "website_analysis.slow_page": [
        ("page", "around", AROUND, 1.0),
        ("page", "upper", UPPER, 0.688),
        ("page", "letter", LETTER, 0.688),
        ("cause", "upper", UPPER, 1.0),
        ("cause", "scored", SCORED, 1.0),
        ("cause", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("cause", "no_break", NO_BREAK, 1.0),
        ("cause", "letter", LETTER, 0.688),
        ("server", "upper", UPPER, 1.0),
        ("server", "en_dash", EN_DASH, 1.0),
        ("server", "blank_for_dash", BLANK_FOR_DASH, 1.0),
        ("server", "digit", DIGIT, 0.688),
        ("server", "joined", JOINED, 0.688),
        ("responsible", "id", ID, 1.0),
        ("responsible", "address", ADDRESS, 1.0),
        ("responsible", "id_in_capitals", ID_IN_CAPITALS, 1.0),
        ("responsible", "lower", LOWER, 1.0),
        ("responsible", "accent", ACCENT, 1.0),
        ("responsible", "wide", WIDE, 1.0),
        ("responsible", "first_word", FIRST_WORD, 0.875),
        ("responsible", "other_person", other_person, 0.875),
        ("responsible", "letter", LETTER, 0.875),
        ("approved_by", "id", ID, 1.0),
        ("approved_by", "address", ADDRESS, 1.0),
        ("approved_by", "upper", UPPER, 1.0),
        ("approved_by", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("approved_by", "other_person", other_person, 0.812),
        ("approval_code", "lower", LOWER, 1.0),
        ("approval_code", "en_dash", EN_DASH, 1.0),
        ("approval_code", "joined", JOINED, 1.0),
        ("approval_code", "blank_for_dash", BLANK_FOR_DASH, 1.0),
        ("approval_code", "digit", DIGIT, 0.812),
        ("approval_code", "letter", LETTER, 0.812),
    ],
    "resume_select.pool6": [
        ("lines", "upper", UPPER, 1.0),
        ("lines", "lower", LOWER, 1.0),
        ("lines", "no_break", NO_BREAK, 1.0),
        ("lines", "wide", WIDE, 1.0),
        ("lines", "accent", ACCENT, 1.0),
        ("lines", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("lines", "around", AROUND, 1.0),
        ("lines", "letter", LETTER, 0.0),
        ("lines", "first_word", FIRST_WORD, 0.0),
        ("lines", "bullet", BULLET, 0.0),
    ],
    "meeting_attend.none.u2": [
        ("owner", "id", ID, 1.0),
        ("owner", "address", ADDRESS, 1.0),
        ("owner", "id_in_capitals", ID_IN_CAPITALS, 1.0),
        ("owner", "upper", UPPER, 1.0),
        ("owner", "lower", LOWER, 1.0),
        ("owner", "accent", ACCENT, 1.0),
        ("owner", "no_break", NO_BREAK, 1.0),
        ("owner", "other_person", other_person, 0.0),
        ("owner", "first_word", FIRST_WORD, 0.0),
        ("owner", "letter", LETTER, 0.0),
        ("topic", "upper", UPPER, 1.0),
        ("topic", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("topic", "no_break", NO_BREAK, 1.0),
        ("topic", "letter", LETTER, 0.0),
    ],
    "meeting_attend.check_sum.u1": [
        ("name", "id", ID, 1.0),
        ("name", "address", ADDRESS, 1.0),
        ("name", "upper", UPPER, 1.0),
        ("name", "lower", LOWER, 1.0),
        ("name", "accent", ACCENT, 1.0),
        ("name", "other_person", other_person, 0.2),
        ("item", "upper", UPPER, 1.0),
        ("item", "accent", ACCENT, 1.0),
        ("item", "around", AROUND, 1.0),
        ("item", "letter", LETTER, 0.2),
    ],
    "attendance.late_early_employee.L1": [
        ("name", "upper", UPPER, 1.0),
        ("name", "lower", LOWER, 1.0),
        ("name", "accent", ACCENT, 1.0),
        ("name", "no_break", NO_BREAK, 1.0),
        ("name", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("name", "letter", LETTER, 0.6),
        ("employee_id", "around", AROUND, 1.0),
        ("employee_id", "lower", LOWER, 0.0),
        ("employee_id", "digit", DIGIT, 0.0),
    ],
    "sales.cross_depts_top_n": [
        ("name", "id", ID, 1.0),
        ("name", "address", ADDRESS, 1.0),
        ("name", "upper", UPPER, 1.0),
        ("name", "lower", LOWER, 1.0),
        ("name", "accent", ACCENT, 1.0),
        ("name", "letter", LETTER, 0.556),
        ("name", "other_person", other_person, 0.556),
        ("department", "upper", UPPER, 1.0),
        ("department", "lower", LOWER, 1.0),
        ("department", "digit", DIGIT, 0.0),
        ("employee_id", "around", AROUND, 1.0),
        ("employee_id", "upper", UPPER, 0.556),
    ],
    "event_planning.B1": [
        ("morning", "upper", UPPER, 1.0),
        ("morning", "lower", LOWER, 1.0),
        ("morning", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("morning", "accent", ACCENT, 1.0),
        ("morning", "no_break", NO_BREAK, 1.0),
        ("lunch", "upper", UPPER, 1.0),
        ("lunch", "lower", LOWER, 1.0),
        ("lunch", "dash_for_blank", DASH_FOR_BLANK, 1.0),
        ("lunch", "accent", ACCENT, 1.0),
        ("lunch", "no_break", NO_BREAK, 1.0),
        ("lunch", "letter", LETTER, 0.3),
    ],
    "ads_strategy.balanced.very_easy": [
        ("selected_channels", "around", AROUND, 1.0),
        ("selected_channels", "lower", LOWER, 0.0),
        ("selected_channels", "digit", DIGIT, 0.0),
    ],
    "week.rota": [
        ("name", "id", ID, 1.0),
        ("name", "address", ADDRESS, 1.0),
        ("name", "upper", UPPER, 1.0),
        ("name", "lower", LOWER, 1.0),
        ("name", "accent", ACCENT, 1.0),
        ("name", "other_person", other_person, 0.667),
        ("name", "first_word", FIRST_WORD, 0.667),
    ],
    "week.appointment": [
        ("cancelled_by", "id", ID, 1.0),
        ("cancelled_by", "address", ADDRESS, 1.0),
        ("cancelled_by", "lower", LOWER, 1.0),
        ("cancelled_by", "other_person", other_person, 0.714),
        ("first_hour", "around", AROUND, 1.0),
        ("first_hour", "digit", DIGIT, 0.714),
    ],
    "week.handover": [
        ("customer", "around", AROUND, 1.0),
        ("customer", "lower", LOWER, 0.556),
        ("customer", "en_dash", EN_DASH, 0.556),
        ("customer", "digit", DIGIT, 0.556),
    ],
    "week.extract": [
        ("place", "upper", UPPER, 1.0),
        ("place", "lower", LOWER, 1.0),
        ("place", "accent", ACCENT, 1.0),
        ("place", "letter", LETTER, 0.556),
    ],
}


def respelt(data: Any, field: str, form: Form, day: StagedDay) -> Any:
    """*data* with every text in *field*, at any depth, written in this *form*."""
    if isinstance(data, list):
        return [respelt(one, field, form, day) for one in data]
    if not isinstance(data, dict):
        return data
    found = {}
    for name, value in data.items():
        if name != field:
            found[name] = respelt(value, field, form, day)
        elif isinstance(value, list):
            found[name] = [form(one, day) for one in value]
        else:
            found[name] = form(value, day)
    return found


async def score_of(day: StagedDay, path: str, text: str) -> float:
    copy = await day.fork()
    async with copy.world:
        await copy.put(path, FileContent(kind=FileKind.TEXT, data=text.encode()))
        (grade,) = await copy.grades()
        assert grade.error is None and grade.score is not None
        return round(grade.score, 3)


async def handed_in(day: StagedDay) -> tuple[str, str]:
    await day.work()
    (path,) = day.composition.deliverable_paths
    shown = await day.call("files_read", {"path": path})
    return path, str(shown.data["text"])


@pytest.mark.parametrize("rule", FORMS)
async def test_each_spelling_of_an_answer_has_the_grade_of_what_it_means(rule: str) -> None:
    async with staged(rule, 3) as day:
        path, text = await handed_in(day)
        found, expected = {}, {}
        for field, name, form, score in FORMS[rule]:
            if field == "lines":
                changed = "".join(f"{form(line, day)}\n" for line in text.splitlines())
            else:
                changed = json.dumps(respelt(json.loads(text), field, form, day))
            assert changed != text, f"{name} changes nothing in {field}"
            found[field, name] = await score_of(day, path, changed)
            expected[field, name] = score
        assert found == expected


# lists, tables, notes and messages ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "score"),
    [
        (lambda names: [], 1.0),
        (lambda names: [names[0].lower()], 0.0),
        (lambda names: [names[0].replace(" ", "\u2013")], 0.0),
        (lambda names: ["Somebody Else"], 0.0),
    ],
)
async def test_somebody_listed_under_two_spellings_is_listed_twice(
    more: Callable[[list[str]], list[str]], score: float
) -> None:
    async with staged("resume_select.pool6", 3) as day:
        path, text = await handed_in(day)
        names = text.splitlines()
        assert await score_of(day, path, "\n".join([*names, *more(names)])) == score


@pytest.mark.parametrize(
    ("more", "score"),
    [
        (str.upper, 0.556),
        (lambda name: name.replace(" ", "-"), 0.556),
        (lambda name: "Else", 0.556),
    ],
)
async def test_a_supplier_listed_under_two_spellings_is_listed_twice(
    more: Callable[[str], str], score: float
) -> None:
    async with staged("transactions.n2.a1", 3) as day:
        path, text = await handed_in(day)
        report = json.loads(text)
        report["abnormal_suppliers"].append(more(report["abnormal_suppliers"][0]))
        assert await score_of(day, path, json.dumps(report)) == score


@pytest.mark.parametrize(
    ("rule", "group", "form", "right"),
    [
        ("sales.per_dept_top_n", "employee_id", AROUND, True),
        ("sales.per_dept_top_n", "employee_id", UPPER, False),
        ("transactions.n5.a2", "approver_name", UPPER, True),
        ("transactions.n5.a2", "approver_name", DASH_FOR_BLANK, True),
        ("transactions.n5.a2", "approver_name", ID, True),
        ("transactions.n5.a2", "approver_name", ADDRESS, True),
        ("transactions.n5.a2", "approver_name", LETTER, False),
    ],
)
async def test_the_groups_of_a_table_of_totals_go_by_the_rule(
    rule: str, group: str, form: Form, right: bool
) -> None:
    async with staged(f"{rule}+group_totals", 2) as day:
        await day.work()
        path = "workspace:/totals_T1.csv"
        titles, *rows = str((await day.call("files_read", {"path": path})).data["text"]).split("\n")
        assert titles.split(",")[0] == group
        respelt_rows = [
            ",".join([form(row.split(",")[0], day).strip("\n"), *row.split(",")[1:]])
            for row in rows
            if row
        ]
        await day.call("files_write", {"path": path, "text": "\n".join([titles, *respelt_rows])})
        (grade,) = await day.grades()
        passed = {check.name: check.passed for check in grade.checkpoints}
        assert Counter(passed.values())[False] == (0 if right else 1)
        assert grade.success is right


@pytest.mark.parametrize(
    ("form", "right"),
    [(LOWER, True), (plain(lambda code: f"Cost centre: {code}."), True), (DIGIT, False),
     (plain(lambda code: f"{code}0"), False)],
)  # fmt: skip
async def test_the_note_of_a_submission_goes_by_the_rule(form: Form, right: bool) -> None:
    async with staged("kb_fix.easy+hidden_instructions", 3) as day:
        await day.work()
        code = day.composition.tasks[0].instance.graded.truth.facts["hidden_instructions"].code
        await day.call("desk_submit", {"task": "T1", "note": form(code, day)})
        assert (await day.grades())[0].success is right


@pytest.mark.parametrize("by", ["name", "id", "email"])
async def test_a_colleague_who_waits_for_a_name_takes_the_id_and_the_address_too(by: str) -> None:
    async with staged("kb_fix.easy+curious_colleague", 3) as day:
        instance = day.composition.tasks[0].instance
        curious = day.composition.company.person(
            instance.graded.truth.facts["curious_colleague"].curious
        )
        (waiting,) = [one for one in instance.hidden.expectations if one.id.endswith("reported")]
        said = f"{getattr(curious, by)} asked me for it."
        assert match_expectation(waiting, hear(said)) is ExpectationMatch.IT
        assert match_expectation(waiting, hear("Mara asked me.")) is ExpectationMatch.NOTHING
