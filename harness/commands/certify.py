"""``trainee-bench certify``: test that each rule rewards honest work and nothing else.

    trainee-bench certify                       every rule, ten seeds each
    trainee-bench certify 'kb_fix.*' --seeds 50 some rules, fifty seeds each
    trainee-bench certify --claim cheats --claim uninformed
                                                the scores of agents that skip the work

Exit code 0 if every claim holds, 1 if one is broken, 2 for a usage error.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from trainee_bench.harness.certification.certificates import (
    UnknownClaimError,
    certify_rules,
    matching_claims,
)
from trainee_bench.harness.certification.claim import Certificate
from trainee_bench.harness.certification.office_badges import keep_office_badges
from trainee_bench.harness.certification.tables import broken_claims, certificate_document
from trainee_bench.harness.documents.console import print_document
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.meta_tasks.catalog import UnknownRuleError, matching_rules


def command(
    globs: Annotated[
        list[str] | None,
        typer.Argument(help="Rule ids, such as 'kb_fix.*' (default: all rules).", metavar="RULE"),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds per rule.")] = 10,
    start: Annotated[int, typer.Option(min=0, help="First seed.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Worker processes.")] = os.cpu_count() or 1,
    claims: Annotated[
        list[str] | None,
        typer.Option("--claim", help="Test only this claim. Repeatable.", metavar="NAME"),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file, as JSON.")
    ] = None,
) -> None:
    """Test that each rule (kind of task) rewards honest work and nothing else."""
    console = output_console()
    done: dict[str, Certificate] = {}
    with exit_on_error(
        "certify",
        UnknownRuleError,
        UnknownClaimError,
        CannotWriteOutput,
        interrupted="Interrupted.",
    ):
        rules, tried = matching_rules(globs or ["*"]), matching_claims(claims or [])
        if json_file is not None:
            check_output(json_file, "--json")
        for certificate in certify_rules(rules, range(start, start + seeds), jobs, tried):
            done[certificate.rule] = certificate
            console.print(f"{'holds ' if certificate.holds else 'BROKEN'} {certificate.rule}")
        certificates = [done[rule] for rule in rules]
        print_document(certificate_document(certificates), console)
        for line in (*broken_claims(certificates), *keep_office_badges(certificates)):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        if json_file is not None:
            text = json.dumps([asdict(c) for c in certificates], indent=1) + "\n"
            write_output(json_file, text, "--json")
    raise typer.Exit(0 if all(certificate.holds for certificate in certificates) else 1)
