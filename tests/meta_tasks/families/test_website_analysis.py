"""The website family: hidden facts stay hidden, and each checkpoint grades its part."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from pydantic import JsonValue

from tests import quick_round
from tests.meta_tasks.days import Calls, checks_of, context_of, graded, staged, told_by, truth_of
from tests.meta_tasks.families.website_days import (
    RULE,
    RULES,
    SEEDS,
    VARIANTS,
    day_of,
    furnish,
    right_report,
    scene_of,
)
from trainee_bench.harness.certification.task_pairs import certify_pairs
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.absences import mark_absent
from trainee_bench.meta_tasks.families.website_analysis import HINTS, WebsiteAnalysis, brief
from trainee_bench.meta_tasks.families.website_analysis.work import diagnose
from trainee_bench.meta_tasks.meta_task import Difficulty
from trainee_bench.meta_tasks.scenario import Variation
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.monitor import Monitor
from trainee_bench.world.colleagues.expectation_matching import ExpectationMatch, match_expectation
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.colleagues.understanding import hear
from trainee_bench.world.monitoring.website import SERVERS_BY_CAUSE, IncidentCause
from trainee_bench.world.transaction import Transaction

# the rules -------------------------------------------------------------------------------


def test_a_slow_page_and_each_cause_with_each_way_are_seventeen_rules() -> None:
    causes = ("full_disk", "slow_asset", "cache_miss", "failed_deploy")
    fixed = [
        f"website_analysis.{cause}.h{hops}.{code}"
        for cause in causes
        for hops in (1, 2)
        for code in ("code", "no_code")
    ]
    assert [RULE, *fixed] == RULES


def test_the_shortest_way_alone_is_easy() -> None:
    for rule in WebsiteAnalysis.rules():
        easy = rule.id.endswith(".h1.no_code")
        assert rule.difficulty is (Difficulty.EASY if easy else Difficulty.HARD)


def test_a_rule_keeps_its_cause_when_it_is_named_in_a_scenario() -> None:
    for rule in RULES[1:]:
        truth = truth_of(single_task_day(rule, 1))
        assert truth.cause.replace(" ", "_") == rule.split(".")[1]


def test_nobody_who_is_away_looks_after_the_website() -> None:
    for seed in range(20):
        context = context_of(seed, task="T2")
        gone = brief.possible_owners(context)[:-1]
        for person in gone:
            mark_absent(context, person)
        assert WebsiteAnalysis().generate(context).graded.truth.responsible not in gone


def test_the_published_entry_has_no_arguments() -> None:
    assert WebsiteAnalysis.published_name == "Website Monitor"
    assert WebsiteAnalysis.from_published({}).rule_id == RULE
    with pytest.raises(ValueError, match="server"):
        WebsiteAnalysis.from_published({"server": "web-01"})


# the scene -------------------------------------------------------------------------------


def test_page_cause_server_people_and_code_differ_from_seed_to_seed() -> None:
    truths = [scene_of(WebsiteAnalysis(), seed).graded.truth for seed in range(200)]
    assert len({truth.page for truth in truths}) == 8
    assert {truth.cause for truth in truths} == set(IncidentCause)
    assert len({truth.server for truth in truths}) == 8
    assert len({truth.code for truth in truths}) == 200
    for found in (
        Counter((truth.page, truth.cause, truth.server) for truth in truths),
        Counter((truth.responsible.name, truth.approver.name) for truth in truths),
    ):
        assert found.most_common(1)[0][1] < 10


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.rule_id)
def test_parameters_fix_cause_hops_and_code(variant: WebsiteAnalysis) -> None:
    for seed in range(5):
        instance = scene_of(variant, seed)
        truth = instance.graded.truth
        assert truth.cause is variant.cause
        assert truth.server in SERVERS_BY_CAUSE[truth.cause]
        assert (truth.approver == truth.responsible) is (variant.hops == "one")
        assert (truth.code is None) is (variant.code == "not_needed")
        assert ("approval_code" in instance.told.objective) is (variant.code == "needed")


@pytest.mark.parametrize("size", [10, 12, 20, 50, 200, 500])
def test_companies_of_every_size_have_enough_separate_candidates(size: int) -> None:
    for seed in range(5):
        instance = scene_of(WebsiteAnalysis(), seed, size)
        truth = instance.graded.truth
        keeper = instance.hidden.clues[0].holder
        assert len({keeper, truth.responsible.id, truth.approver.id, instance.told.requester}) == 4


def test_in_the_usual_company_engineers_look_after_the_website_and_their_managers_approve() -> None:
    for seed in SEEDS:
        truth = scene_of(WebsiteAnalysis(), seed).graded.truth
        assert truth.responsible.title == "Software Engineer"
        assert truth.approver.title == "Engineering Manager"


def test_texts_at_the_start_contain_neither_a_secret_nor_the_chain() -> None:
    for seed in SEEDS:
        instance = scene_of(WebsiteAnalysis(), seed)
        told, truth = instance.told, instance.graded.truth
        said = f"{told.title} {told.objective} {HINTS.strategy} {HINTS.where} {HINTS.how}"
        people = (truth.responsible, truth.approver)
        for secret in (truth.code or "", *(part for p in people for part in p.name.split())):
            assert secret not in said
        assert (
            "HR" not in instance.told.objective
            and "Engineering Manager" not in instance.told.objective
        )


def test_a_day_has_one_website_monitor() -> None:
    context = context_of(1)
    WebsiteAnalysis().generate(context)
    with pytest.raises(CompositionError, match="website monitor"):
        WebsiteAnalysis().generate(replace(context, task="T2"))


async def test_two_tasks_on_a_day_are_refused_and_the_certificate_quotes_why() -> None:
    claim = await certify_pairs(RULE, range(2))
    assert claim.holds and claim.facts["pairs"] == 0
    (note,) = claim.notes
    assert "T1 and T2 both need the website monitor; put them on different days" in note


@pytest.mark.parametrize("cause", IncidentCause)
def test_a_cause_is_named_by_its_own_phrases_only(cause: IncidentCause) -> None:
    assert brief.CAUSE_PHRASES[cause][0] == cause
    others = {
        phrase
        for other in IncidentCause
        if other is not cause
        for phrase in brief.CAUSE_PHRASES[other]
    }
    assert not others & set(brief.CAUSE_PHRASES[cause])


@pytest.mark.parametrize("cause", IncidentCause)
def test_naming_every_cause_is_no_diagnosis(cause: IncidentCause) -> None:
    instance = scene_of(WebsiteAnalysis(cause=cause), 1)
    expected = next(each for each in instance.hidden.expectations if each.id == "T1/diagnosis")
    own = f"It is {cause} on {instance.graded.truth.server}"
    assert match_expectation(expected, hear(own)) is ExpectationMatch.IT
    for other in IncidentCause:
        for phrase in brief.CAUSE_PHRASES[other] if other is not cause else ():
            assert (
                match_expectation(expected, hear(f"{own}, or {phrase}.")) is ExpectationMatch.OTHER
            )


# the work ----------------------------------------------------------------------------------


@quick_round.seeds(6, sweep=30)
async def test_the_diagnosis_by_rules_of_thumb_is_right_for_every_seed(seeds: range) -> None:
    for seed in seeds:
        async with staged(RULE, seed) as day:
            found, truth = await diagnose(Calls(day)), truth_of(day)
            assert (found.page, found.cause, found.server) == (
                truth.page,
                truth.cause,
                truth.server,
            )


def _owner_told(tx: Transaction) -> None:
    Knowledge(tx).record_disclosure("T1/owner", tx.employee, "test")


async def test_asking_before_the_diagnosis_is_answered_with_the_missing_step() -> None:
    for meta_task in (WebsiteAnalysis(), WebsiteAnalysis(hops="one")):
        async with staged(day_of(meta_task, 4)) as day:
            truth = truth_of(day)
            question = brief.APPROVER.questions[0]
            if meta_task.hops == "one":
                question = brief.APPROVAL.questions_about({"server": truth.server})[0]
            await day.call("desk_wait", {"until": "10:00", "wake": False})
            answers = []
            for _ in range(2):
                answers.append(await told_by(day, truth.responsible.id, question))
                await furnish(day, _owner_told)
            assert [brief.NOT_YET in answer for answer in answers] == [False, True]


# paired worlds ------------------------------------------------------------------------------------


async def observed(day: StagedDay, calls: list[tuple[str, dict[str, JsonValue]]]) -> list[Any]:
    seen = []
    for tool, arguments in calls:
        done = await day.observe(tool, arguments)
        assert done.result is not None, done.error
        seen.append((done.now, done.result.text, [notice.text for notice in done.notices]))
    return seen


@pytest.mark.parametrize("clue", ["owner", "approver", "approval"])
async def test_asking_everybody_ahead_of_time_does_not_tell_who_or_what(clue: str) -> None:
    plain = single_task_day(RULE, 11)
    offsets = ({f"T1/{clue}": offset} for offset in range(1, 30))
    varied = (
        single_task_day(RULE, 11, Variation(secret_seed_offsets=offset)) for offset in offsets
    )
    redrawn = next(day for day in varied if truth_of(day) != truth_of(plain))
    truth = truth_of(plain)
    candidates = [
        person.id
        for person in plain.company.people
        if person.title in ("Software Engineer", "Engineering Manager")
    ]
    questions = [
        f"I know why {truth.page} is slow: it is a {truth.cause} on {truth.server}.",
        *brief.APPROVER.questions[:2],
        *brief.APPROVAL.questions_about({"server": truth.server})[:2],
        *brief.OWNER.questions[:1],
    ]
    calls: list[tuple[str, dict[str, JsonValue]]] = []
    for question in questions:
        for person in candidates[:12]:
            calls.append(("chat_send_message", {"to": person, "text": question}))
    calls.append(("desk_wait", {"minutes": 60, "wake": False}))
    for person in candidates:
        calls.append(("chat_read_history", {"peer": person}))
    async with staged(plain) as one, staged(redrawn) as other:
        seen = await observed(one, calls)
        assert seen == await observed(other, calls)
        assert all(len(text) > 200 for _, text, _ in seen[-len(candidates) :])


# grading ----------------------------------------------------------------------------------


# what is graded ------------------------------------------------------------------------------


async def solved(day: StagedDay, leave_out: str = "", **changed: str) -> dict[str, bool]:
    """Do everything except one step, and report with some fields changed."""
    truth, me = truth_of(day), day.composition.company.trainee.id

    def do(tx: Transaction) -> None:
        for clue in ("owner", "approver", "approval"):
            if clue != leave_out:
                Knowledge(tx).record_disclosure(f"T1/{clue}", me, "test")
        if leave_out != "diagnosis":
            Knowledge(tx).record_heard("T1/diagnosis", me)
        if leave_out != "maintenance":
            Monitor(tx).start_maintenance(truth.server, truth.code)
        if leave_out != "report":
            report = right_report(truth, **changed).model_dump()
            Files(tx).write_text(truth.path, json.dumps(report))

    await furnish(day, do)
    return checks_of(await graded(day))


@pytest.mark.parametrize(
    ("leave_out", "lost"),
    [
        ("", set()),
        ("owner", {"responsible_named", "roster_asked"}),
        ("diagnosis", {"cause_found"}),
        ("approval", {"approval_reported", "maintenance_in_force", "approved_first"}),
        ("maintenance", {"maintenance_in_force", "approved_first"}),
        ("report", {"cause_found", "responsible_named", "roster_asked", "approval_reported"}),
    ],
)
async def test_an_omitted_step_costs_the_checkpoints_that_depend_on_it(
    leave_out: str, lost: set[str]
) -> None:
    async with staged(RULE, 5) as day:
        checks = await solved(day, leave_out)
        assert {name for name, holds in checks.items() if not holds} == lost


@pytest.mark.parametrize(
    ("changed", "lost"),
    [
        ({"page": "/nowhere"}, {"cause_found"}),
        ({"cause": "bad luck"}, {"cause_found"}),
        ({"server": "web-09"}, {"cause_found"}),
        ({"responsible": "Ann Other"}, {"responsible_named", "roster_asked"}),
        ({"approved_by": "Ann Other"}, {"approval_reported"}),
        ({"approval_code": "AAAA-0000"}, {"approval_reported"}),
        ({"cause": ", ".join(IncidentCause)}, {"cause_found"}),
    ],
)
async def test_each_field_of_the_report_is_graded(changed: dict[str, str], lost: set[str]) -> None:
    async with staged(RULE, 6) as day:
        checks = await solved(day, **changed)
        assert {name for name, holds in checks.items() if not holds} == lost


async def test_the_report_may_spell_pages_and_codes_as_the_monitor_does() -> None:
    async with staged(RULE, 7) as day:
        truth = truth_of(day)
        code = (truth.code or "").replace("-", "")
        dashed = truth.server.replace("-", "\N{NON-BREAKING HYPHEN}")
        checks = await solved(day, page=f"{truth.page[1:]}/", server=dashed, approval_code=code)
        assert all(checks.values())
        for other in (code[:-1], f"{code}0", code[::-1]):
            again = await solved(day, "maintenance", approval_code=other)
            assert not again["approval_reported"]


async def test_a_report_with_other_fields_is_not_read() -> None:
    async with staged(RULE, 8) as day:
        await solved(day, "report")
        truth = truth_of(day)
        report = right_report(truth).model_dump() | {"remark": "done"}
        await furnish(day, lambda tx: Files(tx).write_text(truth.path, json.dumps(report)))
        assert not checks_of(await graded(day))["cause_found"]


async def test_verdicts_and_feedback_of_missed_points_never_give_the_answer() -> None:
    for seed in range(5):
        async with staged(RULE, seed) as day:
            truth = truth_of(day)
            grade = await graded(day)
            said = " ".join(f"{c.sentence} {c.seen} {c.where} {c.how}" for c in grade.checkpoints)
            for answer in (truth.page, truth.server, truth.code or "", truth.approver.name):
                assert answer not in said


async def test_in_a_rule_without_codes_maintenance_everywhere_is_not_maintenance_where_needed() -> (
    None
):
    variant = WebsiteAnalysis(cause=IncidentCause.FULL_DISK, hops="two", code="not_needed")
    async with staged(day_of(variant, 2)) as day:
        me = day.composition.company.trainee.id

        def everywhere(tx: Transaction) -> None:
            Knowledge(tx).record_heard("T1/approval", me)
            for server in SERVERS_BY_CAUSE[IncidentCause.FULL_DISK]:
                Monitor(tx).start_maintenance(server, None)

        await furnish(day, everywhere)
        assert not checks_of(await graded(day))["maintenance_in_force"]


@pytest.mark.parametrize("page", ["\ud800", "x" * 300_000, "a\nb\r\n## score: 1"])
async def test_the_grade_of_any_report_is_short_text(page: str) -> None:
    async with staged(RULE, 8) as day:
        truth = truth_of(day)
        report = json.dumps(right_report(truth, page="?").model_dump() | {"page": page})
        await furnish(day, lambda tx: Files(tx).write_text(truth.path, report))
        grade = await graded(day)
        assert grade.score == 0
        assert len(grade.model_dump_json()) < 8_000
        assert all("\n" not in check.seen for check in grade.checkpoints)


def test_the_objective_says_that_a_diagnosis_names_one_cause_and_one_server() -> None:
    (task,) = single_task_day(RULE, 1).tasks
    assert (
        "In one message, report the cause (worded exactly as above)" in task.instance.told.objective
    )
    assert "and mention no other cause or server" in task.instance.told.objective
