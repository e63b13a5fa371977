"""The run of 10,000 episodes that `studio.py` sorts: invented results without work."""

from __future__ import annotations

from pathlib import Path

from trainee_bench.harness.records.plan import EpisodeSpec, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.limits import EndReason
from trainee_bench.meta_tasks.benchmark import find_scenario

EPISODES = 10_000
AGENTS = ("oracle", "sprayer")


def write_episodes(folder: Path) -> Path:
    """A run of this many episodes, in *folder*."""
    plan = RunPlan(
        benchmark="many",
        scenarios=(find_scenario(),),
        agents=AGENTS,  # type: ignore[arg-type]  # names are read as agents
        epochs=EPISODES // len(AGENTS),
    ).sealed()
    folder.mkdir()
    (folder / "run.json").write_text(plan.model_dump_json(), encoding="utf-8")
    lines = (_result(spec, place).model_dump_json() for place, spec in enumerate(_specs(plan)))
    (folder / "results.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def _specs(plan: RunPlan) -> list[EpisodeSpec]:
    specs = list(plan.episode_specs())
    assert len(specs) == EPISODES, len(specs)
    return specs


def _result(spec: EpisodeSpec, place: int) -> EpisodeResult:
    """Return figures in no particular order."""
    mixed = place * 7_919 % EPISODES
    endings = tuple(EndReason)
    return EpisodeResult(
        episode=spec.id,
        scenario=spec.scenario.name,
        day=spec.day_name,
        agent=spec.agent,
        attempt=spec.attempt,
        seed=1,
        score=mixed / EPISODES,
        success=mixed % 3 == 0,
        coverage=1.0,
        steps=mixed % 150,
        tool_calls=mixed % 150,
        failed_calls=0,
        refused_calls=0,
        tasks=(),
        ended=endings[mixed % len(endings)],
        prompt_tokens=mixed * 900,
        completion_tokens=mixed,
        cost_usd=mixed / 100,
        wall_seconds=float(mixed),
        transport="memory",
    )
