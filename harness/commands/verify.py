"""``trainee-bench verify RUN``: repeat and grade a whole run, and say what does not agree.

Neither the agents nor a model are needed. Exit code 0 if plan, worlds and every line agree, which
the run's reports then say, 1 if anything does not, also a changed run.json, 2 for wrong use.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from trainee_bench.harness.analysis.report.publish import publish_report, withdraw_verification
from trainee_bench.harness.batch.verified_run import missing_episodes, verify_lines, verify_record
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.episodes.verification import NOT_VERIFIED
from trainee_bench.harness.records.plan import ChangedPlan, PlanError, RunPlan
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.support.commands import exit_on_error
from trainee_bench.harness.support.text import one_line

_LONGEST_LINE = 4_000
"""Characters of what is said of one episode."""


def command(
    run: Annotated[Path, typer.Argument(help="A run's folder.", metavar="RUN")],
) -> None:
    """Repeat every episode from its log, grade it again, and compare with results.jsonl."""
    with exit_on_error("verify", PlanError, ResultFileError):
        folder = RunFolder.open(run)
        with folder.locked():
            folder.refuse_links_out()
            if not folder.verified:  # said even if the plan or the results cannot be read
                withdraw_verification(folder)
            try:
                plan = folder.plan()
            except ChangedPlan as changed:
                typer.echo(one_line(f"run.json: {changed}"))
                raise typer.Exit(1) from None
            sound = anyio.run(_verify, folder, plan)
            folder.record_verified(sound)
            folder.remove_optimal()  # what a report compares with may have been changed, too
        anyio.run(publish_report, folder, plan, folder.ledger.read())
    raise typer.Exit(0 if sound else 1)


async def _verify(folder: RunFolder, plan: RunPlan) -> bool:
    """Print what each episode came to; whether all is there and agrees."""
    agree = differ = 0
    async for day in verify_lines(folder, plan):
        agree += not day.problems
        differ += bool(day.problems)
        said = "; ".join(day.problems) or f"{pluralize(day.actions, 'action')}, all the same"
        typer.echo(one_line(f"{day.episode}: {said}", _LONGEST_LINE))
    missing = missing_episodes(folder, plan)
    for episode in missing:
        typer.echo(f"{episode}: it has no result; continue the run with run --resume")
    typer.echo(
        f"{agree} {'agrees' if agree == 1 else 'agree'}, "
        f"{differ} {'differs' if differ == 1 else 'differ'}, "
        f"{len(missing)} {'has' if len(missing) == 1 else 'have'} no result."
    )
    record = verify_record(folder, plan)
    for sentence in (*record.problems, *record.told):
        typer.echo(one_line(sentence))
    typer.echo(f"Not verified: {'; '.join(NOT_VERIFIED)}.")
    return not differ and not missing and not record.problems
