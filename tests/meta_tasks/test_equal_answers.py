"""Equal answers have equal grades: submissions spelt in other ways, in every family."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
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
    """Return somebody's id or address in place of the name."""

    def form(text: str, day: StagedDay) -> str:
        return str(getattr(day.composition.company.person(text), by))

    return form


def other_person(text: str, day: StagedDay) -> str:
    return next(person.id for person in day.composition.company.people if person.name != text)


def next_digit(text: str) -> str:
    at = next(place for place, letter in enumerate(text) if letter.isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


SPELLINGS: Mapping[str, Form] = {
    "upper": plain(str.upper),
    "lower": plain(str.lower),
    "case": plain(str.swapcase),
    "no_break": plain(lambda text: text.replace(" ", "\u00a0")),
    "wide": plain(lambda text: text.replace(" ", "  ")),
    "around": plain(lambda text: f" {text}\u00a0\n"),
    "en_dash": plain(lambda text: text.replace("-", "\u2013")),
    "blank_for_dash": plain(lambda text: text.replace("-", " ")),
    "dash_for_blank": plain(lambda text: text.replace(" ", "-")),
    "scored": plain(lambda text: text.replace(" ", "_")),
    "joined": plain(lambda text: text.replace("-", "").replace(" ", "")),
    "accent": plain(lambda text: text.replace("e", "\u00e9").replace("a", "a\u0300")),
    "bullet": plain(lambda text: f"- {text}"),
    "first_word": plain(lambda text: text.split()[0]),
    "letter": plain(lambda text: f"{text[:-1]}{'x' if text[-1] != 'x' else 'y'}"),
    "digit": plain(next_digit),
    "id": called("id"),
    "id_in_capitals": lambda text, day: called("id")(text, day).upper(),
    "address": called("email"),
    "other_person": other_person,
}
FORMS: dict[str, list[tuple[str, float, str]]] = {
    "transactions.n2.a1": [
        (
            "abnormal_suppliers",
            1.0,
            "upper lower no_break wide dash_for_blank scored accent around",
        ),
        ("abnormal_suppliers", 0.556, "letter first_word bullet"),
        ("largest_payment", 1.0, "around"),
        ("largest_payment", 0.444, "case en_dash digit joined"),
    ],
    "website_analysis.slow_page": [
        ("page", 1.0, "around"),
        ("page", 0.688, "upper letter"),
        ("cause", 1.0, "upper scored dash_for_blank no_break"),
        ("cause", 0.688, "letter"),
        ("server", 1.0, "upper en_dash blank_for_dash"),
        ("server", 0.688, "digit joined"),
        ("responsible", 1.0, "id address id_in_capitals lower accent wide"),
        ("responsible", 0.875, "first_word other_person letter"),
        ("approved_by", 1.0, "id address upper dash_for_blank"),
        ("approved_by", 0.812, "other_person"),
        ("approval_code", 1.0, "lower en_dash joined blank_for_dash"),
        ("approval_code", 0.812, "digit letter"),
    ],
    "resume_select.pool6": [
        ("lines", 1.0, "upper lower no_break wide accent dash_for_blank around"),
        ("lines", 0.0, "letter first_word bullet"),
    ],
    "meeting_attend.none.u2": [
        ("owner", 1.0, "id address id_in_capitals upper lower accent no_break"),
        ("owner", 0.0, "other_person first_word letter"),
        ("topic", 1.0, "upper dash_for_blank no_break"),
        ("topic", 0.0, "letter"),
    ],
    "meeting_attend.check_sum.u1": [
        ("name", 1.0, "id address upper lower accent"),
        ("name", 0.2, "other_person"),
        ("item", 1.0, "upper accent around"),
        ("item", 0.2, "letter"),
    ],
    "attendance.late_early_employee.L1": [
        ("name", 1.0, "upper lower accent no_break dash_for_blank"),
        ("name", 0.6, "letter"),
        ("employee_id", 1.0, "around"),
        ("employee_id", 0.0, "lower digit"),
    ],
    "sales.cross_depts_top_n": [
        ("name", 1.0, "id address upper lower accent"),
        ("name", 0.556, "letter other_person"),
        ("department", 1.0, "upper lower"),
        ("department", 0.0, "digit"),
        ("employee_id", 1.0, "around"),
        ("employee_id", 0.556, "upper"),
    ],
    "event_planning.B1": [
        ("morning", 1.0, "upper lower dash_for_blank accent no_break"),
        ("lunch", 1.0, "upper lower dash_for_blank accent no_break"),
        ("lunch", 0.3, "letter"),
    ],
    "ads_strategy.balanced.very_easy": [
        ("selected_channels", 1.0, "around"),
        ("selected_channels", 0.0, "lower digit"),
    ],
    "week.rota": [
        ("name", 1.0, "id address upper lower accent"),
        ("name", 0.667, "other_person first_word"),
    ],
    "week.appointment": [
        ("cancelled_by", 1.0, "id address lower"),
        ("cancelled_by", 0.714, "other_person"),
        ("first_hour", 1.0, "around"),
        ("first_hour", 0.714, "digit"),
    ],
    "week.handover": [
        ("customer", 1.0, "around"),
        ("customer", 0.556, "lower en_dash digit"),
    ],
    "week.extract": [
        ("place", 1.0, "upper lower accent"),
        ("place", 0.556, "letter"),
    ],
}
"""The fields of each rule, the score that they then have, and the ways in which they are
respelt."""


def respelt(data: Any, field: str, form: Form, day: StagedDay) -> Any:
    """Return *data* with every text in *field*, at any depth, written in this *form*."""
    if isinstance(data, list):
        return [respelt(item, field, form, day) for item in data]
    if not isinstance(data, dict):
        return data
    found = {}
    for name, value in data.items():
        if name != field:
            found[name] = respelt(value, field, form, day)
        elif isinstance(value, list):
            found[name] = [form(item, day) for item in value]
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
        for field, name, score in (
            (field, name, score) for field, score, names in FORMS[rule] for name in names.split()
        ):
            form = SPELLINGS[name]
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
        ("sales.per_dept_top_n", "employee_id", SPELLINGS["around"], True),
        ("sales.per_dept_top_n", "employee_id", SPELLINGS["upper"], False),
        ("transactions.n5.a2", "approver_name", SPELLINGS["upper"], True),
        ("transactions.n5.a2", "approver_name", SPELLINGS["dash_for_blank"], True),
        ("transactions.n5.a2", "approver_name", SPELLINGS["id"], True),
        ("transactions.n5.a2", "approver_name", SPELLINGS["address"], True),
        ("transactions.n5.a2", "approver_name", SPELLINGS["letter"], False),
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
    [
        (SPELLINGS["lower"], True),
        (plain(lambda code: f"Cost centre: {code}."), True),
        (SPELLINGS["digit"], False),
        (plain(lambda code: f"{code}0"), False),
    ],
)
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
        (waiting,) = [
            expected
            for expected in instance.hidden.expectations
            if expected.id.endswith("reported")
        ]
        said = f"{getattr(curious, by)} asked me for it."
        assert match_expectation(waiting, hear(said)) is ExpectationMatch.IT
        assert match_expectation(waiting, hear("Mara asked me.")) is ExpectationMatch.NOTHING
