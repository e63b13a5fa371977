"""The website family's checkpoints: what each asks for, and what it lets pass."""

from __future__ import annotations

import json

import pytest

from tests.meta_tasks.days import checks_of, graded, staged, truth_of
from tests.meta_tasks.families.website_days import RULE, day_of, furnish, right_report
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.families.website_analysis import WebsiteAnalysis
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.monitor import Monitor
from trainee_bench.world.colleagues.knowledge import Knowledge
from trainee_bench.world.monitoring.website import SERVERS_BY_CAUSE, IncidentCause
from trainee_bench.world.transaction import Transaction

# what is graded ------------------------------------------------------------------------------


async def solved(day: StagedDay, leave_out: str = "", **changed: str) -> dict[str, bool]:
    """Everything done but one thing, and the report with some fields changed."""
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
async def test_what_is_left_out_costs_what_depends_on_it(leave_out: str, lost: set[str]) -> None:
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


async def test_what_the_monitor_takes_for_a_page_or_a_code_the_report_may_say_too() -> None:
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
async def test_whatever_a_report_says_its_grade_can_be_written_down_in_few_words(page: str) -> None:
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
