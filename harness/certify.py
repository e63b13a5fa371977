"""`python -m harness.certify`: prove of each rule that honest work wins and nothing else does.

    python -m harness.certify                       every rule, ten seeds each
    python -m harness.certify 'kb_fix.*' --seeds 50 some rules, fifty seeds each

Exit code 0 if every claim holds, 1 with the broken ones, 2 on wrong use.
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
from trainee_bench.harness.certification.guesses import certify_guesses
from trainee_bench.harness.certification.leakage import certify_leakage
from trainee_bench.harness.certification.mutants import certify_mutants
from trainee_bench.harness.certification.solvable import certify_solvable
from trainee_bench.harness.certification.tables import (
    certificate_details,
    certificate_table,
    family_certificate_table,
)
from trainee_bench.harness.support.console import output_console
from trainee_bench.meta_tasks.catalog import all_rules

GUESS_SEEDS = 200
"""Seeds over which the commonest answer is counted where fifty or more are asked for."""
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
    """Try every one of *claims* on *rule* over *seeds* (the commonest answer over at least
    as many as GUESS_SEEDS if there are fifty seeds or more)."""
    tried = []
    for name in claims:
        many = name == "guesses" and len(seeds) >= 50
        over = range(seeds.start, seeds.start + max(len(seeds), GUESS_SEEDS)) if many else seeds
        tried.append(await CLAIMS[name](rule, over))
    return Certificate(rule, len(seeds), tuple(tried))


def certify_in_process(rule: str, start: int, count: int) -> Certificate:
    """One rule's certificate; a worker process runs this."""
    return anyio.run(certify, rule, range(start, start + count))


def main(
    globs: Annotated[list[str] | None, typer.Argument(help="rule ids, * allowed")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="instances of each rule")] = 10,
    start: Annotated[int, typer.Option(min=0, help="the first seed")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="worker processes")] = os.cpu_count() or 1,
    json_file: Annotated[Path | None, typer.Option("--json", help="write all figures")] = None,
) -> None:
    """Prove of each rule that honest work wins and nothing else does."""
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
    console.print(certificate_table(certificates))
    console.print(family_certificate_table(certificates))
    for line in certificate_details(certificates):
        console.print(line, highlight=False, soft_wrap=True)
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(c) for c in certificates], indent=1) + "\n")
    broken = [certificate for certificate in certificates if not certificate.holds]
    for certificate in broken:
        _complain(console, certificate)
    raise typer.Exit(1 if broken else 0)


def _matching(globs: Sequence[str]) -> list[str]:
    """The ids of the rules that *globs* mean. Raises BadParameter for one that means none."""
    for glob in globs:
        if not fnmatch.filter(all_rules(), glob):
            raise typer.BadParameter(
                f"no rule matches {glob!r}; `trainee-bench catalog` lists them."
            )
    return [id for id in all_rules() if any(fnmatch.fnmatchcase(id, glob) for glob in globs)]


def _complain(console: Console, certificate: Certificate) -> None:
    for claim in certificate.claims:
        if not claim.holds:
            console.print(f"{certificate.rule}: {claim.name} is broken ({len(claim.broken)} times)")
            for flaw in claim.broken[:_SHOWN_FLAWS]:
                console.print(f"  {flaw}", highlight=False)


if __name__ == "__main__":
    typer.run(main)
