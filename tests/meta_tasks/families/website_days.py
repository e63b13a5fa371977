"""Days with the website family, staged for its tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from pydantic import JsonValue

from trainee_bench.harness.testbench.staged_day import StagedDay, open_staged_day, single_task_day
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.families.website_analysis import WebsiteAnalysis
from trainee_bench.meta_tasks.families.website_analysis.deliverables import (
    WebsiteReport,
    WebsiteReportWithCode,
    WebsiteTruth,
)
from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import DayReservations, TaskContext
from trainee_bench.meta_tasks.tool_client import ToolResponse
from trainee_bench.world.company.people import create_company
from trainee_bench.world.monitoring.website import IncidentCause
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import World

RULE = "website_analysis.slow_page"
SEEDS = range(30)
RULES = [rule.id for rule in WebsiteAnalysis.rules()]
VARIANTS = [
    WebsiteAnalysis(cause=cause, hops=hops, code=code)  # type: ignore[arg-type]
    for cause, hops, code in product(IncidentCause, ("one", "two"), ("needed", "not_needed"))
]


def truth_of(day: StagedDay | ComposedDay) -> WebsiteTruth:
    composition = day.composition if isinstance(day, StagedDay) else day
    truth = composition.tasks[0].instance.graded.truth
    assert isinstance(truth, WebsiteTruth)
    return truth


def scene_of(
    meta_task: WebsiteAnalysis, seed: int, size: int = 50, **seed_offsets: int
) -> TaskInstance[WebsiteTruth]:
    day = single_task_day(RULE, 0)
    context = TaskContext(
        task="T1",
        key=("test", seed),
        company=create_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        reservations=DayReservations(),
        secret_seed_offsets=seed_offsets,
    )
    return meta_task.generate(context)


async def stage_variant(meta_task: WebsiteAnalysis, seed: int) -> StagedDay:
    """A day of *meta_task* with the scene of another seed."""
    plain = single_task_day(RULE, 0)
    instance = scene_of(meta_task, seed)
    task = replace(plain.tasks[0], rule=meta_task.rule_id, meta_task=meta_task, instance=instance)
    composition = replace(plain, company=create_company(seed), tasks=(task,))
    return open_staged_day(
        composition, await World.create_inline(composition.world_config(), composition.populate)
    )


async def passed(day: StagedDay) -> dict[str, bool]:
    (grade,) = await day.grades()
    assert grade.error is None
    return {check.name: check.passed for check in grade.checkpoints}


async def score(day: StagedDay) -> float:
    (grade,) = await day.grades()
    assert grade.score is not None
    return grade.score


@dataclass
class Looking:
    """Hands for looks at the monitor."""

    day: StagedDay
    task: str = "T1"

    async def call(self, tool: str, **arguments: JsonValue) -> ToolResponse:
        return await self.day.call(tool, arguments)

    async def until(self, time: datetime) -> None:
        raise AssertionError("nothing to wait for")

    async def rest(self, minutes: int) -> None:
        raise AssertionError("nothing to wait for")


async def furnish(day: StagedDay, do: Callable[[Transaction], object]) -> None:
    """Let the employee have done something, without the way there."""

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
