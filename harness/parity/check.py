"""Doors compared with the seat: every script through every door, and a table of what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.documents.document import Document, Grid, Paragraph, Row
from trainee_bench.harness.documents.formatting import NO_VALUE
from trainee_bench.harness.parity.door import Door, DoorUnavailable
from trainee_bench.harness.parity.script import ParityScript

_SAME = "same"


class ScriptOutcome(BaseModel):
    """What one script came to through a door, and at the seat without the calls that the door
    refused.

    ``problem`` says what is not the same, "" if all is. ``refused`` are the door's own refusals,
    by their places from 0; of ``malformed`` many calls it was allowed to.
    """

    model_config = ConfigDict(frozen=True)

    digest: str = ""
    score: float | None = None
    seat_digest: str = ""
    seat_score: float | None = None
    refused: tuple[int, ...] = ()
    malformed: int = 0
    problem: str = ""


class DoorReport(BaseModel):
    """What all scripts came to through one door. ``not_run`` says why it was not tried, "" if it
    was."""

    model_config = ConfigDict(frozen=True)

    door: str
    versions: dict[str, str] = {}
    scripts: dict[str, ScriptOutcome] = {}
    not_run: str = ""

    @property
    def same(self) -> bool:
        """Whether the door was tried and everything was the same."""
        return not self.not_run and not any(one.problem for one in self.scripts.values())


def check_doors(doors: Sequence[Door], scripts: Sequence[ParityScript]) -> Iterator[DoorReport]:
    """Play *scripts* through each of *doors*, which need not be installed."""
    for door in doors:
        try:
            versions = dict(door.versions())
        except DoorUnavailable as missing:
            yield DoorReport(door=door.name, not_run=str(missing))
            continue
        outcomes = {script.name: check_script(door, script) for script in scripts}
        yield DoorReport(door=door.name, versions=versions, scripts=outcomes)


def check_script(door: Door, script: ParityScript) -> ScriptOutcome:
    """Play *script* through *door* and compare."""
    with TemporaryDirectory(prefix="trainee-bench-parity-") as folder:
        try:
            run = door.play(script, Path(folder))
        except Exception as error:  # noqa: BLE001 - a door runs code of others
            problem = f"{type(error).__name__}: {error}"
            return ScriptOutcome(malformed=len(script.malformed), problem=problem)
    seat = script.at_the_seat(without=run.refused)
    problems = []
    if lost := sorted({*run.refused} - script.malformed):
        problems.append(
            f"calls that are in order were lost: {len(lost)}, from call {lost[0] + 1} on"
        )
    if run.digest != seat.digest:
        problems.append(f"the digest is {run.digest[:8]}, at the seat {seat.digest[:8]}")
    if run.score != seat.score:
        problems.append(f"the score is {run.score}, at the seat {seat.score}")
    return ScriptOutcome(
        digest=run.digest,
        score=run.score,
        seat_digest=seat.digest,
        seat_score=seat.score,
        refused=run.refused,
        malformed=len(script.malformed),
        problem="; ".join(problems),
    )


def parity_document(reports: Sequence[DoorReport]) -> Document:
    """The table of all doors, and below it a line for whatever is not the same or was not run."""
    names = list(dict.fromkeys(name for report in reports for name in report.scripts))
    titles = ("door", "version", *names, "score", "refused by the door")
    grid = Grid.from_rows(titles, [_row(one, names) for one in reports], left_columns=len(titles))
    notes = [f"{one.door} was not run: {one.not_run}." for one in reports if one.not_run]
    notes += [
        f"{report.door}, {name}: {outcome.problem}"
        for report in reports
        for name, outcome in report.scripts.items()
        if outcome.problem
    ]
    return Document("Parity", (grid, *map(Paragraph, notes)))


def _row(report: DoorReport, names: Sequence[str]) -> Row:
    if report.not_run:
        return [report.door, NO_VALUE, *("not run" for _ in names), NO_VALUE, NO_VALUE]
    outcomes = report.scripts
    return [
        report.door,
        " · ".join(report.versions.values()) or NO_VALUE,
        *("differs" if outcomes[name].problem else _SAME for name in names),
        " · ".join(_score(outcome) for outcome in outcomes.values()),
        _refusals(outcomes),
    ]


def _score(outcome: ScriptOutcome) -> str:
    return NO_VALUE if outcome.score is None else f"{outcome.score:.2f}"


def _refusals(outcomes: Mapping[str, ScriptOutcome]) -> str:
    """Such as "1 of 5": of the malformed calls the door answered one itself."""
    malformed = sum(outcome.malformed for outcome in outcomes.values())
    if any(outcome.malformed and not outcome.digest for outcome in outcomes.values()):
        return NO_VALUE
    return f"{sum(len(outcome.refused) for outcome in outcomes.values())} of {malformed}"
