"""``trainee-bench office``: make, import, check and describe an own office.

    trainee-bench office new nordlicht                    write a folder with a task of each kind
    trainee-bench office new clinic --company "Clinic at the Lake"
    trainee-bench office import SOURCE… --office FOLDER   convert real exports into its folder
    trainee-bench office check nordlicht                  read it, ask its questions, list flaws
    trainee-bench office guide                            all that an author needs, on one page

`office import` ends with exit code 0 if all was imported, 1 if an item was refused, 2 for a usage
error.
"""

from __future__ import annotations

import shlex
from dataclasses import asdict
from datetime import date
from importlib import resources
from json import dumps
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from trainee_bench.harness.certification.badges import badge_text, foreign_badges, kept_badges
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.office_check.findings import check_office
from trainee_bench.harness.office_import.import_files import import_files
from trainee_bench.harness.office_import.options import DEFAULT_WEEKS, ImportOptions
from trainee_bench.harness.office_import.refusals import CannotImport
from trainee_bench.harness.office_import.report import ImportOutcome, ImportReport
from trainee_bench.harness.office_import.with_pseudonyms import import_with_pseudonyms
from trainee_bench.harness.pseudonyms.printing import print_pseudonyms
from trainee_bench.harness.pseudonyms.report import (
    CannotPseudonymise,
    PseudonymReport,
    check_mapping,
    check_outside,
    write_mapping,
)
from trainee_bench.harness.pseudonyms.texts import KnownNames
from trainee_bench.harness.scaffolding.office_folder import FolderExists, write_office
from trainee_bench.harness.support.commands import (
    CannotWriteOutput,
    check_output,
    exit_on_error,
    write_output,
)
from trainee_bench.harness.support.terminal import output_console
from trainee_bench.harness.support.text import one_line
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.opened import open_office
from trainee_bench.meta_tasks.offices.source import OfficeError

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Make, import, check and describe your own office: people, files, tasks.",
)
_SHOWN_PEOPLE = 30
_SHORTEST_SEED = 12
_SHORT_SEED = (
    "The seed is short. Somebody who guesses it can test which real names give these pseudonyms; "
    "take 12 characters or more before you publish the office."
)


@command.command()
def new(
    folder: Annotated[Path, typer.Argument(help="The new folder; its name names the office.")],
    company: Annotated[
        str, typer.Option(help="The company's name; else made of the folder's name.")
    ] = "",
    domain: Annotated[
        str, typer.Option(help="The domain of its mail addresses; else NAME.example.")
    ] = "",
) -> None:
    """Write the folder of an office with one task of each kind, for you to change."""
    with exit_on_error("office new", FolderExists):
        for path in write_office(folder, company, domain):
            typer.echo(f"wrote {path}")
    typer.echo("It already works. Change it step by step, and check it with:")
    typer.echo(f"  trainee-bench office check {folder}")
    typer.echo(f"  trainee-bench certify '{folder.name}.*' --office {folder} --seeds 3")
    typer.echo("`trainee-bench office guide` describes every file.")


@command.command()
def check(folder: Annotated[Path, typer.Argument(help="The office's folder.")]) -> None:
    """Read an office, and list what is wrong or doubtful by importance, with the remedy.

    Exit code 0 if nothing is wrong, 1 if something is, 2 if the folder cannot be read.
    """
    with exit_on_error("office check", OfficeError):
        office = open_office(folder)
        findings = check_office(office)
    for finding in findings:
        typer.echo(one_line(str(finding), 2_000))
    for flaw in foreign_badges(office):
        typer.echo(one_line(f"look at: {flaw}", 2_000))
    counts = {
        "people": office.company.people,
        "files": office.drive,
        "earlier mails": office.mails,
        "meetings": office.meetings,
        "tasks": office.tasks,
    }
    listed = ", ".join(f"{what}: {len(things)}" for what, things in counts.items())
    typer.echo(f"{one_line(office.company.name)} ({office.reference}) {listed}")
    for name, source in office.tasks.items():
        rule = f"{office.name}.{name}"
        typer.echo(f"  {rule}: {source.file.kind}; badge: {badge_text(office, rule)}")
    wrong = sum(finding.wrong for finding in findings)
    doubtful = len(findings) - wrong
    order = ", the most important first" if len(findings) > 1 else ""
    typer.echo(f"{wrong} wrong, {doubtful} to look at{order}.")
    typer.echo(f"Next: {_next_step(office, folder, wrong)}")
    raise typer.Exit(1 if wrong else 0)


def _next_step(office: Office, folder: Path, wrong: int) -> str:
    """Return what an author does after a check."""
    place = shlex.quote(str(folder))
    if wrong:
        return f"mend what is wrong, and check again: trainee-bench office check {place}"
    if any(kept.flaw or kept.badge.broken for kept in kept_badges(office).values()) or not all(
        rule in kept_badges(office) for rule in office.rules
    ):
        return f"trainee-bench certify '{office.name}.*' --office {place} --seeds 3"
    return f"trainee-bench run --office {place} --agent oracle"


@command.command()
def guide() -> None:
    """Print how to write an office: every file, every entry, what is proved, and an example."""
    page = resources.files("trainee_bench.meta_tasks.offices") / "guide.md"
    typer.echo(page.read_text(encoding="utf-8"))


@command.command("import")
def import_sources(
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders: .eml, mbox, .ics, .xlsx, .csv, .docx, .pdf, .pptx, pictures, "
            "texts.",
            metavar="SOURCE...",
        ),
    ],
    office: Annotated[Path, typer.Option(help="Folder of the office; created if needed.")],
    zone: Annotated[str, typer.Option(help="Time zone of the office, such as Europe/Berlin.")] = "",
    encoding: Annotated[
        str, typer.Option(help="Encoding of texts that are not Unicode, such as cp1252.")
    ] = "",
    first_day: Annotated[
        str,
        typer.Option("--from", help="First day of the meetings; else the day in office.yaml."),
    ] = "",
    weeks: Annotated[int, typer.Option(help="Weeks of meetings to import.")] = DEFAULT_WEEKS,
    owner: Annotated[
        str, typer.Option(help="Address of the person whose calendar or mailbox it is.")
    ] = "",
    json: Annotated[Path | None, typer.Option(help="File for the report as JSON.")] = None,
    pseudonyms: Annotated[
        str,
        typer.Option(
            help="Replace people, companies, addresses and numbers in the whole folder; the same "
            "seed gives the same names.",
            metavar="SEED",
        ),
    ] = "",
    also: Annotated[
        list[str] | None, typer.Option(help="A name to replace, besides those found. Repeatable.")
    ] = None,
    keep: Annotated[list[str] | None, typer.Option(help="A name that stays. Repeatable.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="File for the real names; keep it out of the office.")
    ] = None,
) -> None:
    """Convert real exports into the folder of an office, and report what became of each."""
    with exit_on_error("office import", CannotImport, CannotWriteOutput, CannotPseudonymise):
        if not pseudonyms and (also or keep or mapping):
            raise CannotPseudonymise("--also, --keep and --mapping need --pseudonyms SEED")
        _check_outputs(json, mapping, office, pseudonyms)
        options = ImportOptions(zone, encoding, _day(first_day), weeks, owner)
        known = KnownNames(also=tuple(also or ()), keep=tuple(keep or ()))
        report, replaced = (
            import_with_pseudonyms(sources, office, options, pseudonyms, known)
            if pseudonyms
            else (import_files(sources, office, options), None)
        )
        if mapping is not None and replaced is not None:
            write_mapping(mapping, replaced, office)
        if json is not None:
            write_output(json, _as_json(report, replaced), "--json")
    _print(report)
    if replaced is not None:
        _print_replaced(replaced, pseudonyms)
    raise typer.Exit(1 if report.count(ImportOutcome.REFUSED) else 0)


def _check_outputs(json: Path | None, mapping: Path | None, office: Path, seed: str) -> None:
    """Refuse files that could not be written, or would bring real names into the office."""
    if json is not None:
        check_output(json, "--json")
        if seed:
            check_outside(json, office)
    if mapping is not None:
        check_mapping(mapping, office)


def _as_json(report: ImportReport, replaced: PseudonymReport | None) -> str:
    """Return the report as JSON, with all doubtful places; the terminal shows only some."""
    found = report.model_dump(mode="json")
    if replaced is not None:
        found["doubtful"] = [asdict(place) for place in (*replaced.left_over, *replaced.uncertain)]
        found["not_looked_into"] = [asdict(file) for file in replaced.not_looked_into]
    return dumps(found, indent=2, ensure_ascii=False) + "\n"


def _print_replaced(replaced: PseudonymReport, seed: str) -> None:
    print_pseudonyms(replaced)
    if len(seed) < _SHORTEST_SEED:
        typer.echo(_SHORT_SEED)


def _day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CannotImport(f"--from {text!r} is not a day; write it like 2026-11-30.") from None


def _print(report: ImportReport) -> None:
    console = output_console()
    table = Table("source", "outcome", "became", "notes")
    for row in report.rows:
        table.add_row(
            escape(one_line(row.named)),
            row.outcome.value,
            escape(one_line("\n".join(row.became))),
            escape(one_line(" ".join(row.notes), 2_000)),
        )
    console.print(table)
    counts = ", ".join(
        f"{count:,} {outcome.value}"
        for outcome in ImportOutcome
        if (count := report.count(outcome))
    )
    console.print(f"{pluralize(len(report.rows), 'item')}: {counts}.")
    if not report.unknown_people:
        return
    people = Table("address", "name", "times", title="People not in people.csv")
    for person in report.unknown_people[:_SHOWN_PEOPLE]:
        people.add_row(
            escape(one_line(person.address)), escape(one_line(person.name)), f"{person.times:,}"
        )
    console.print(people)
    hidden = len(report.unknown_people) - _SHOWN_PEOPLE
    if hidden > 0:
        console.print(f"{hidden:,} more are in the report that --json writes.")
