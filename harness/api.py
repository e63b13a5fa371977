"""Running a batch from Python: ``trainee-bench run`` without its output.

from trainee_bench.harness.api import run

done = run("quickstart", agents=["oracle", "my_module:my_agent"], limit=1)
print(done.folder, [result.score for result in done.results])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from trainee_bench.harness.analysis.report.publish import print_and_publish
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import RunAborted, create_run, execute
from trainee_bench.harness.batch.plan_builder import build_plan
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.limits import EpisodeLimits

__all__ = ["BatchRun", "EpisodeLimits", "EpisodeResult", "PlanError", "RunAborted", "run"]

AS_USUAL = EpisodeLimits()


@dataclass(frozen=True)
class BatchRun:
    """A finished batch: the folder with its report and worlds, and a result per episode.

    The results are in the order in which the episodes ended.
    """

    folder: Path
    results: tuple[EpisodeResult, ...]


def run(
    config: str | Path | None = None,
    agents: Sequence[str] = (),
    *,
    models: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    limit: int | None = None,
    seed: int | None = None,
    limits: EpisodeLimits = AS_USUAL,
    max_concurrency: int | None = None,
    out: str | Path | None = None,
) -> BatchRun:
    """Run *agents* and *models* on the days of *config*, grade them, and write the report.

    *config* is the name of a benchmark or a file; None is the quickstart. *agents* are names or
    ``module:Name``. Without agents and models, the defaults of ``trainee-bench run`` work. This
    does not compute what steps were worth; ``trainee-bench worth`` does.

    If given, *scenarios* selects scenarios by name, and *limit* takes only the first of them.
    *seed* replaces the scenarios' own. *limits* apply to each day. *out* is the folder to write
    (None: the next free one in ``runs/``).

    Raises PlanError with what to change, and RunAborted if an agent has ended the event loop and
    thus the run. It starts an event loop, so it cannot be called within one. Episodes that break
    are results, too (``EpisodeResult.broken``).
    """
    options = RunOptions(
        config=None if config is None else Path(config),
        agent=list(agents),
        model=list(models),
        scenario=list(scenarios),
        limit=limit,
        seed=seed,
        max_steps=limits.steps,
        max_tokens=limits.tokens,
        max_cost=limits.cost_usd,
        max_seconds=limits.seconds,
        thinking=limits.tokens_per_minute,
        max_concurrency=max_concurrency,
    )
    console = Console(quiet=True)
    made = create_run(build_plan(options), None if out is None else Path(out))
    outcome = execute(made, console)
    print_and_publish(made, outcome.results, console)
    return BatchRun(made.folder.path, outcome.results)
