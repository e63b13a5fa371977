"""Doors compared with the seat: every script through every door, and a table of the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel, ConfigDict

from trainee_bench.harness.documents.document import Document, Grid, Paragraph, Row
from trainee_bench.harness.documents.formatting import NO_VALUE, format_number
from trainee_bench.harness.parity.door import Door, DoorRun, DoorUnavailable
from trainee_bench.harness.parity.script import ParityScript, SeatResult

_SAME, _DIFFERS = "same", "differs"
_SHOWN_DIGEST = 8
"""Characters of a digest in a table."""


class ShownText(StrEnum):
    """How the text of our results reaches a model."""

    AS_IT_IS = "text"
    WITHIN_MORE = "text within more"
    OTHERWISE = "something else"


class ScriptOutcome(BaseModel):
    """The result of one script through a door, and at the seat without the calls that the door
    refused.

    ``problem`` says what differs, "" if nothing does. ``refused`` are the places (from 0) of the
    calls that the door itself refused, as it may with the ``malformed`` ones. ``shown`` and
    ``pictures_seen`` (of ``pictures``) say what reached a model, None if unknown.
    """

    model_config = ConfigDict(frozen=True)

    digest: str = ""
    score: float | None = None
    seat_digest: str = ""
    seat_score: float | None = None
    refused: tuple[int, ...] = ()
    malformed: int = 0
    shown: ShownText | None = None
    pictures_seen: int | None = None
    pictures: int = 0
    problem: str = ""


class DoorReport(BaseModel):
    """The results of all scripts through one door. ``not_run`` says why it was not tried, "" if it
    was."""

    model_config = ConfigDict(frozen=True)

    door: str
    versions: dict[str, str] = {}
    scripts: dict[str, ScriptOutcome] = {}
    not_run: str = ""

    @property
    def same(self) -> bool:
        """Whether the door was tried and nothing differed."""
        return not self.not_run and not any(outcome.problem for outcome in self.scripts.values())


def check_doors(doors: Sequence[Door], scripts: Sequence[ParityScript]) -> Iterator[DoorReport]:
    """Play *scripts* through each of *doors*; doors that are not installed are reported."""
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
        except Exception as error:  # noqa: BLE001 - a door runs third-party code
            problem = f"{type(error).__name__}: {error}"
            return ScriptOutcome(malformed=len(script.malformed), problem=problem)
    seat = script.at_the_seat(without=run.refused)
    return ScriptOutcome(
        digest=run.digest,
        score=run.score,
        seat_digest=seat.digest,
        seat_score=seat.score,
        refused=run.refused,
        malformed=len(script.malformed),
        shown=None if run.texts is None else _shown(run.texts, seat),
        pictures_seen=run.pictures,
        pictures=seat.pictures,
        problem="; ".join(_problems(script, run, seat)),
    )


def _problems(script: ParityScript, run: DoorRun, seat: SeatResult) -> Iterator[str]:
    if lost := sorted({*run.refused} - script.malformed):
        yield f"valid calls were lost: {len(lost)}, from call {lost[0] + 1} on"
    if run.digest != seat.digest:
        here, at_seat = (result.digest[:_SHOWN_DIGEST] for result in (run, seat))
        yield f"the digest is {here}, at the seat {at_seat}"
    if run.score != seat.score:
        yield f"the score is {run.score}, at the seat {seat.score}"


def _shown(texts: Mapping[int, str], seat: SeatResult) -> ShownText:
    pairs = [(texts.get(place, ""), text) for place, text in seat.texts.items()]
    if all(shown == text for shown, text in pairs):
        return ShownText.AS_IT_IS
    within = all(text in shown for shown, text in pairs)
    return ShownText.WITHIN_MORE if within else ShownText.OTHERWISE


def parity_document(reports: Sequence[DoorReport]) -> Document:
    """Return the table of all doors, and a line for each difference and for each door not run."""
    names = list(dict.fromkeys(name for report in reports for name in report.scripts))
    titles = ("door", "version", *names, "refused", "shown", "picture")
    grid = Grid.from_rows(
        titles, [_row(report, names) for report in reports], left_columns=len(titles)
    )
    notes = [
        f"{report.door} was not run: {report.not_run}." for report in reports if report.not_run
    ]
    notes += [
        f"{report.door}, {name}: {outcome.problem}"
        for report in reports
        for name, outcome in report.scripts.items()
        if outcome.problem
    ]
    return Document("Parity", (grid, *map(Paragraph, notes)))


def _row(report: DoorReport, names: Sequence[str]) -> Row:
    if report.not_run:
        return [report.door, NO_VALUE, *("not run" for _ in names), *[NO_VALUE] * 3]
    outcomes = [report.scripts[name] for name in names]
    return [
        report.door,
        " · ".join(report.versions.values()) or NO_VALUE,
        *map(_verdict, outcomes),
        _refusals(outcomes),
        _views(outcomes),
        _pictures(outcomes),
    ]


def _verdict(outcome: ScriptOutcome) -> str:
    """Return a verdict such as "same: dac6730f, 1.00"."""
    verdict = _DIFFERS if outcome.problem else _SAME
    if not outcome.digest:
        return verdict
    return f"{verdict}: {outcome.digest[:_SHOWN_DIGEST]}, {format_number(outcome.score)}"


def _refusals(outcomes: Sequence[ScriptOutcome]) -> str:
    """Return, for example, "1 of 5": the door itself answered one of five malformed calls."""
    if any(outcome.malformed and not outcome.digest for outcome in outcomes):
        return NO_VALUE
    malformed = sum(outcome.malformed for outcome in outcomes)
    return f"{sum(len(outcome.refused) for outcome in outcomes)} of {malformed}"


def _views(outcomes: Sequence[ScriptOutcome]) -> str:
    """Return the worst case in which a result was shown. Refusals and pictures are left out because
    clients add words to them."""
    plain = [outcome for outcome in outcomes if not outcome.malformed and not outcome.pictures]
    views = {outcome.shown for outcome in plain if outcome.shown}
    return next((view for view in reversed(ShownText) if view in views), NO_VALUE)


def _pictures(outcomes: Sequence[ScriptOutcome]) -> str:
    known = [
        outcome for outcome in outcomes if outcome.pictures_seen is not None and outcome.pictures
    ]
    if not known:
        return NO_VALUE
    return "yes" if all(outcome.pictures_seen == outcome.pictures for outcome in known) else "no"
