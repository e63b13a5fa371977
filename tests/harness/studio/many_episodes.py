"""Runs with many results, written without any work: their figures follow from their places."""

from __future__ import annotations

from pathlib import Path

from trainee_bench.harness.records.human_part import (
    ForkedDay,
    ForkPoint,
    GivenGuidance,
    GuidanceKind,
)
from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultIdentity, TaskResult
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

RULES = ("kb_fix.easy", "sales.top_sales_employee")
ENDINGS = (EndReason.AGENT, EndReason.DAY_OVER, EndReason.STEP_LIMIT)
AGENTS = ("oracle", "sprayer")
_HINT = GivenGuidance(seq=1, kind=GuidanceKind.HINT, tier=1, task="T1")


def write_run(folder: Path, epochs: int, *, forked: bool = False, waiting: int = 0) -> Path:
    """Write a run of `AGENTS` in *folder*, *epochs* attempts each; the last *waiting* lack results.

    Number n (from 0) has the score n % 5 / 4, n steps, 1,000 n tokens, n cents and n minutes. Every
    tenth is broken, every seventh guided; the others are complete if their score is 1.0.
    """
    days = (DaySpec(name="day_1", tasks=tuple(TaskSpec(rule=rule) for rule in RULES)),)
    point = ForkPoint(run="a-run", episode="one.day_1.oracle.1", step=3)
    plan = RunPlan(
        benchmark="many",
        scenarios=(Scenario(name="one", seed=1, days=days),),
        agents=AGENTS,  # type: ignore[arg-type]  # names are read as agents
        epochs=epochs,
        fork=ForkedDay(day=0, point=point) if forked else None,
    ).sealed()
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(plan.model_dump_json(), encoding="utf-8")
    specs = list(plan.episode_specs())
    done = specs[: len(specs) - waiting]
    lines = [_result(spec, place).model_dump_json() + "\n" for place, spec in enumerate(done)]
    (folder / "results.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def _result(spec: EpisodeSpec, place: int) -> EpisodeResult:
    broken = place % 10 == 9
    score = None if broken else place % 5 / 4
    return EpisodeResult(
        episode=spec.id,
        scenario=spec.scenario.name,
        day=spec.day_name,
        agent=spec.agent,
        attempt=spec.attempt,
        seed=1,
        score=score,
        success=score == 1.0,
        coverage=0.0 if broken else 1.0,
        steps=place,
        tool_calls=place,
        failed_calls=0,
        refused_calls=0,
        tasks=tuple(_task(rule, score) for rule in RULES),
        ended=None if broken else ENDINGS[place % len(ENDINGS)],
        error="the line was dead" if broken else None,
        prompt_tokens=place * 900,
        completion_tokens=place * 100,
        cost_usd=place / 100,
        wall_seconds=60.0 * place,
        transport="memory",
        identity=_identity(guided=place % 7 == 6),
        forked_from=spec.forked_from,
    )


def _task(rule: str, score: float | None) -> TaskResult:
    return TaskResult(
        task="T1",
        rule=rule,
        family=rule.partition(".")[0],
        domain="",
        label="",
        score=score,
        success=score == 1.0,
    )


def _identity(*, guided: bool) -> ResultIdentity:
    return ResultIdentity(
        score_version=1,
        generator=1,
        tools=(),
        npc_brain="scripted",
        modality="text",
        limits=EpisodeLimits(),
        isolation="process",
        guided=(_HINT,) if guided else (),
    )
