"""Days with the website family, staged for its tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import product

from pydantic import JsonValue

from harness.in_process import Workday, at_seat, single_task
from meta_tasks.composition import Composition
from meta_tasks.families.website_analysis import Outage, WebsiteAnalysis
from meta_tasks.families.website_analysis.report import Report, ReportWithCode
from meta_tasks.hands import Answer
from meta_tasks.meta_task import Scene
from meta_tasks.stage import Commons, Stage
from world.monitoring.fleet import Cause
from world.people import found_company
from world.turn import Result, Turn
from world.world import World

RULE = "website_analysis.slow_page"
SEEDS = range(30)
RULES = [rule.id for rule in WebsiteAnalysis.rules()]
VARIANTS = [
    WebsiteAnalysis(cause=cause, hops=hops, code=code)  # type: ignore[arg-type]
    for cause, hops, code in product(Cause, ("one", "two"), ("needed", "not_needed"))
]


def truth_of(day: Workday | Composition) -> Outage:
    composition = day.composition if isinstance(day, Workday) else day
    truth = composition.tasks[0].scene.truth
    assert isinstance(truth, Outage)
    return truth


def scene_of(meta_task: WebsiteAnalysis, seed: int, size: int = 50, **twist: int) -> Scene[Outage]:
    day = single_task(RULE, 0)
    stage = Stage(
        task="T1",
        key=("test", seed),
        company=found_company(seed, size),
        day=day.day,
        deadline=day.tasks[0].deadline,
        commons=Commons(),
        twist=twist,
    )
    return meta_task.scene(stage)


async def stage_variant(meta_task: WebsiteAnalysis, seed: int) -> Workday:
    """A day of *meta_task* with the scene of another seed."""
    plain = single_task(RULE, 0)
    scene = scene_of(meta_task, seed)
    task = replace(plain.tasks[0], rule=meta_task.rule_id, meta_task=meta_task, scene=scene)
    composition = replace(plain, company=found_company(seed), tasks=(task,))
    return at_seat(composition, await World.create(None, composition.opening(), composition.stage))


async def passed(day: Workday) -> dict[str, bool]:
    (grade,) = await day.grades()
    assert grade.error is None
    return {check.name: check.passed for check in grade.checkpoints}


async def score(day: Workday) -> float:
    (grade,) = await day.grades()
    assert grade.score is not None
    return grade.score


@dataclass
class Looking:
    """Hands for looks at the monitor."""

    day: Workday
    task: str = "T1"

    async def call(self, tool: str, **arguments: JsonValue) -> Answer:
        return await self.day.call(tool, arguments)

    async def until(self, time: datetime) -> None:
        raise AssertionError("nothing to wait for")

    async def rest(self, minutes: int) -> None:
        raise AssertionError("nothing to wait for")


async def furnish(day: Workday, do: Callable[[Turn], object]) -> None:
    """Let the employee have done something, without the way there."""

    def verb(turn: Turn) -> Result[Report]:
        do(turn)
        return Result("", right_report(truth_of(day)))

    actor = day.composition.company.trainee.id
    await day.world.act(actor, "test", {}, verb)


def right_report(truth: Outage, **changed: str) -> Report:
    fields = {
        "page": truth.page,
        "cause": str(truth.cause),
        "server": truth.server,
        "responsible": truth.responsible.name,
        "approved_by": truth.approver.name,
        "approval_code": truth.code or "",
    }
    return ReportWithCode.model_validate(fields | changed)
