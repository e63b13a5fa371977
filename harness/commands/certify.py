"""``trainee-bench certify``: test that each rule rewards honest work and nothing else.

    trainee-bench certify                       every rule, ten seeds each
    trainee-bench certify 'kb_fix.*' --seeds 50 some rules, fifty seeds each
    trainee-bench certify --claim cheats --claim uninformed
                                                the scores of agents that skip the work
    trainee-bench certify --office FOLDER --verify-badges
                                                repeat what the badges of an own office say

Exit code 0 if every claim holds or every badge fits, 1 if one does not, 2 for a usage error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trainee_bench.harness.certification.badges import unreadable_badges
from trainee_bench.harness.certification.certificates import (
    UnknownClaimError,
    certify_rules,
    matching_claims,
)
from trainee_bench.harness.certification.claim import Certificate
from trainee_bench.harness.certification.office_badges import (
    RepeatedBadge,
    keep_office_badges,
    repeat_badges,
    uncertified,
)
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
from trainee_bench.meta_tasks.offices.opened import open_offices

_NOT_WITH_BADGES = {
    "seeds": "--seeds",
    "start": "--start",
    "claims": "--claim",
    "json_file": "--json",
}


def command(
    context: typer.Context,
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
    verify_badges: Annotated[
        bool,
        typer.Option(
            "--verify-badges",
            help="Repeat what the badges in the folders of the open offices say, with their seeds "
            "and claims, and say which do not fit.",
        ),
    ] = False,
) -> None:
    """Test that each rule (kind of task) rewards honest work and nothing else."""
    console = output_console()
    if verify_badges:
        with exit_on_error(
            "certify", UnknownRuleError, CannotVerifyBadges, interrupted="Interrupted."
        ):
            rules = matching_rules(globs or ["*"])
            fit = _verify_badges(context, rules, jobs, console)
        raise typer.Exit(0 if fit else 1)
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
        for line in (*broken_claims(certificates), *keep_office_badges(certificates, start)):
            console.print(line, markup=False, highlight=False, soft_wrap=True)
        if json_file is not None:
            text = json.dumps([asdict(c) for c in certificates], indent=1) + "\n"
            write_output(json_file, text, "--json")
    raise typer.Exit(0 if all(certificate.holds for certificate in certificates) else 1)


class CannotVerifyBadges(Exception):
    """No badge can be repeated; the text says what to do."""


def _verify_badges(
    context: typer.Context, rules: Sequence[str], jobs: int, console: Console
) -> bool:
    """Repeat the badges of *rules*, and print what came of each. Return whether all fit."""
    for name, option in _NOT_WITH_BADGES.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise CannotVerifyBadges(
                f"--verify-badges has the seeds and claims of the badges; leave out {option}."
            )
    flaws = [flaw for office in open_offices().values() if (flaw := unreadable_badges(office))]
    if flaws:
        raise CannotVerifyBadges("; ".join(flaws))
    repeated = list[RepeatedBadge]()
    for badge in repeat_badges(rules, jobs):
        repeated.append(badge)
        console.print(str(badge), markup=False, highlight=False, soft_wrap=True)
    if not repeated:
        raise CannotVerifyBadges(
            "no badge is kept for these rules; name the folder of an own office with --office, and "
            "certify its tasks first."
        )
    for line in uncertified(rules):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return not any(badge.flaw for badge in repeated)
