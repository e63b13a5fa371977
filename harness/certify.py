"""``python -m harness.certify``: verify that each rule rewards honest work and nothing else.

    python -m harness.certify                       every rule, ten seeds each
    python -m harness.certify 'kb_fix.*' --seeds 50 some rules, fifty seeds each

Exit 0 if every claim holds, 1 if one is broken, 2 on wrong use.
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import anyio
import typer
from rich.console import Console

from trainee_bench.harness.certification.ablation import certify_ablation
from trainee_bench.harness.certification.cheats import certify_cheats
from trainee_bench.harness.certification.claim import Certificate
from trainee_bench.harness.certification.counterfactuals import certify_counterfactuals
from trainee_bench.harness.certification.guesses import certify_guesses, guess_seeds
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.certification.tables import certificate_document
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.support.console import output_console
from trainee_bench.meta_tasks.catalog import all_rules

CLAIMS = {
    "solvable": certify_solvable,
    "twins": certify_counterfactuals,
    "withheld": certify_ablation,
    "cheats": certify_cheats,
    "guesses": certify_guesses,
    "mutants": certify_mutants,
    "discretion": certify_leakage,
}
_SHOWN_FLAWS = 5


async def certify(rule: str, seeds: range, claims: Sequence[str] = tuple(CLAIMS)) -> Certificate:
    """Try *claims* on *rule* over *seeds*; guessing over more seeds, see `guess_seeds`."""
    tried = []
    for name in claims:
        over = guess_seeds(seeds) if name == "guesses" else seeds
        tried.append(await CLAIMS[name](rule, over))
    return Certificate(rule, len(seeds), tuple(tried))


def certify_in_process(rule: str, start: int, count: int) -> Certificate:
    """One rule's certificate, in a worker process."""
    return anyio.run(certify, rule, range(start, start + count))


def main(
    globs: Annotated[list[str] | None, typer.Argument(help="Rule ids, * allowed.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Instances of each rule.")] = 10,
    start: Annotated[int, typer.Option(min=0, help="The first seed.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file.")
    ] = None,
) -> None:
    """Verify that each rule rewards honest work and nothing else."""
    console = output_console()
    wanted = _matching(globs or ["*"])
    if json_file is not None and (not json_file.parent.is_dir() or json_file.is_dir()):
        raise typer.BadParameter(f"{json_file} is not a file in a folder that exists.")
    done: dict[str, Certificate] = {}
    with ProcessPoolExecutor(max_workers=min(jobs, len(wanted))) as pool:
        tasks = [pool.submit(certify_in_process, rule, start, seeds) for rule in wanted]
        for task in as_completed(tasks):
            certificate = task.result()
            done[certificate.rule] = certificate
            console.print(f"{'holds ' if certificate.holds else 'BROKEN'} {certificate.rule}")
    certificates = [done[rule] for rule in wanted]
    print_document(certificate_document(certificates), console)
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(c) for c in certificates], indent=1) + "\n")
    broken = [certificate for certificate in certificates if not certificate.holds]
    for certificate in broken:
        _print_broken(console, certificate)
    raise typer.Exit(1 if broken else 0)


def _matching(globs: Sequence[str]) -> list[str]:
    """The ids of the rules that match *globs*. Raises BadParameter for one that matches none."""
    for glob in globs:
        if not fnmatch.filter(all_rules(), glob):
            raise typer.BadParameter(
                f"no rule matches {glob!r}; `trainee-bench catalog` lists them."
            )
    return [id for id in all_rules() if any(fnmatch.fnmatchcase(id, glob) for glob in globs)]


def _print_broken(console: Console, certificate: Certificate) -> None:
    for claim in certificate.claims:
        if not claim.holds:
            console.print(f"{certificate.rule}: {claim.name} is broken ({len(claim.broken)} times)")
            for flaw in claim.broken[:_SHOWN_FLAWS]:
                console.print(f"  {flaw}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
