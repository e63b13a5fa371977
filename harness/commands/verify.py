"""``trainee-bench verify RUN``: repeat and grade a whole run, and list every difference.

It needs neither the agents nor a model. Exit code 0 if plan, worlds and all results agree, which
the run's reports then say; 1 if anything differs, including run.json; 2 for a usage error.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.analysis.report.publish import publish_report, withdraw_verification
from trainee_bench.harness.batch.verified_run import missing_episodes, verify_lines, verify_record
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.verification import NOT_VERIFIED
from trainee_bench.harness.ladder.climb import climb_of, end_of, size_flaw, world_flaw
from trainee_bench.harness.ladder.document import publish_climb
from trainee_bench.harness.ladder.sources import source_of
from trainee_bench.harness.ladder.state import ClimbState
from trainee_bench.harness.records.plan import ChangedPlan, PlanError, RunPlan
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.text import one_line

_LONGEST_LINE = 4_000
"""Characters that are printed about one episode."""


def command(
    run: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="RUN")],
) -> None:
    """Repeat every episode from its log, grade it again, and compare with results.jsonl."""
    with exit_on_error("verify", PlanError, ResultFileError):
        folder = RunFolder.open(run)
        with folder.locked():
            folder.refuse_links_out()
            if not folder.verified:  # even if the plan or the results cannot be read
                withdraw_verification(folder)
            try:
                plan = folder.plan()
            except ChangedPlan as changed:
                typer.echo(one_line(f"run.json: {changed}"))
                raise typer.Exit(1) from None
            sound = anyio.run(_verify, folder, plan)
            folder.record_verified(sound)
            folder.remove_optimal()  # a changed reference would change the report
        anyio.run(publish_report, folder, plan, folder.ledger.read())
        _publish_climb(folder, plan)
    raise typer.Exit(0 if sound else 1)


async def _verify(folder: RunFolder, plan: RunPlan) -> bool:
    """Print the outcome of each episode; return True if all episodes are there and agree."""
    agree = differ = 0
    async for day in verify_lines(folder, plan):
        agree += not day.problems
        differ += bool(day.problems)
        message = "; ".join(day.problems) or f"{pluralize(day.actions, 'action')}, all the same"
        typer.echo(one_line(f"{day.episode}: {message}", _LONGEST_LINE))
    missing = missing_episodes(folder, plan)
    for episode in missing:
        typer.echo(f"{episode}: it has no result; continue the run with trainee-bench run --resume")
    typer.echo(
        f"{agree} {'agrees' if agree == 1 else 'agree'}, "
        f"{differ} {'differs' if differ == 1 else 'differ'}, "
        f"{len(missing)} {'has' if len(missing) == 1 else 'have'} no result."
    )
    record = verify_record(folder, plan)
    for sentence in (*record.problems, *record.told):
        typer.echo(one_line(sentence))
    climb = await _climb_problem(folder, plan)
    if climb:
        typer.echo(one_line(f"run.json: {climb}"))
    typer.echo(f"Not verified: {'; '.join(NOT_VERIFIED)}.")
    return not (differ or missing or record.problems or climb)


async def _climb_problem(folder: RunFolder, plan: RunPlan) -> str | None:
    """Return how the worlds of a climb do not follow from its seed and results; None if they do, or
    if the run is no climb."""
    if plan.climb is None:
        return None
    try:
        source = source_of(climb_of(plan))
    except PlanError as error:
        return f"the worlds of the climb cannot be checked: {error}"
    return size_flaw(plan, source, folder.ledger.read()) or await world_flaw(plan, source)


def _publish_climb(folder: RunFolder, plan: RunPlan) -> None:
    """Write the report of a climb anew, so that its figures follow from the results.

    Nothing is written if its worlds are not those of its rounds, or cannot be read.
    """
    if plan.climb is None or plan.climb.worlds != len(plan.scenarios):
        return
    state = ClimbState.of(plan, folder.ledger.read())
    with suppress(PlanError, ResultFileError):  # the flaw was printed
        stop = end_of(state, plan, source_of(climb_of(plan)))
        publish_climb(folder, plan, state, stop)
