"""Days with the website family, staged for its tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from tests.meta_tasks.days import context_of, truth_of
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.website_analysis import WebsiteAnalysis
from trainee_bench.meta_tasks.families.website_analysis.deliverables import (
    WebsiteReport,
    WebsiteReportWithCode,
    WebsiteTruth,
)
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.world.company.people import create_company
from trainee_bench.world.monitoring.website import IncidentCause
from trainee_bench.world.transaction import Result, Transaction

RULE = "website_analysis.slow_page"
SEEDS = range(30)
RULES = [rule.id for rule in WebsiteAnalysis.rules()]
VARIANTS = [
    WebsiteAnalysis(cause=cause, hops=hops, code=code)  # type: ignore[arg-type]
    for cause, hops, code in product(IncidentCause, ("one", "two"), ("needed", "not_needed"))
]


def scene_of(
    meta_task: WebsiteAnalysis, seed: int, size: int = 50, **seed_offsets: int
) -> TaskInstance[WebsiteTruth]:
    return meta_task.generate(context_of(seed, size, seed_offsets))


def day_of(meta_task: WebsiteAnalysis, seed: int) -> ComposedDay:
    """Return a day of *meta_task* with the scene of *seed*."""
    plain = single_task_day(RULE, 0)
    instance = scene_of(meta_task, seed)
    task = replace(plain.tasks[0], rule=meta_task.rule_id, meta_task=meta_task, instance=instance)
    return replace(plain, company=create_company(seed), tasks=(task,))


async def furnish(day: StagedDay, do: Callable[[Transaction], object]) -> None:
    """Do something in the world as the employee, without tools."""

    def verb(tx: Transaction) -> Result[WebsiteReport]:
        do(tx)
        return Result("", right_report(truth_of(day)))

    actor = day.composition.company.trainee.id
    await day.world.execute(actor, "test", {}, verb)


def right_report(truth: WebsiteTruth, **changed: str) -> WebsiteReport:
    fields = {
        "page": truth.page,
        "cause": str(truth.cause),
        "server": truth.server,
        "responsible": truth.responsible.name,
        "approved_by": truth.approver.name,
        "approval_code": truth.code or "",
    }
    return WebsiteReportWithCode.model_validate(fields | changed)
