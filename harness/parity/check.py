"""Doors compared with the seat: every script through every door, and a table of what came of it."""

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
    """What a model is shown of our results' text."""

    AS_IT_IS = "text"
    WITHIN_MORE = "text within more"
    OTHERWISE = "something else"


class ScriptOutcome(BaseModel):
    """What one script came to through a door, and at the seat without the calls that the door
    refused.

    ``problem`` says what is not the same, "" if all is. ``refused`` are the door's own refusals,
    by their places from 0; of ``malformed`` many calls it was allowed to. ``shown`` and
    ``pictures_seen`` (of ``pictures``) say what reached a model, None if that is not known.
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
        yield f"calls that are in order were lost: {len(lost)}, from call {lost[0] + 1} on"
    if run.digest != seat.digest:
        here, there = (one.digest[:_SHOWN_DIGEST] for one in (run, seat))
        yield f"the digest is {here}, at the seat {there}"
    if run.score != seat.score:
        yield f"the score is {run.score}, at the seat {seat.score}"


def _shown(texts: Mapping[int, str], seat: SeatResult) -> ShownText:
    pairs = [(texts.get(place, ""), text) for place, text in seat.texts.items()]
    if all(shown == text for shown, text in pairs):
        return ShownText.AS_IT_IS
    within = all(text in shown for shown, text in pairs)
    return ShownText.WITHIN_MORE if within else ShownText.OTHERWISE


def parity_document(reports: Sequence[DoorReport]) -> Document:
    """The table of all doors, and below it a line for whatever is not the same or was not run."""
    names = list(dict.fromkeys(name for report in reports for name in report.scripts))
    titles = ("door", "version", *names, "refused", "shown", "picture")
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
    """Such as "same: dac6730f, 1.00"."""
    verdict = _DIFFERS if outcome.problem else _SAME
    if not outcome.digest:
        return verdict
    return f"{verdict}: {outcome.digest[:_SHOWN_DIGEST]}, {format_number(outcome.score)}"


def _refusals(outcomes: Sequence[ScriptOutcome]) -> str:
    """Such as "1 of 5": of the malformed calls the door answered one itself."""
    if any(outcome.malformed and not outcome.digest for outcome in outcomes):
        return NO_VALUE
    malformed = sum(outcome.malformed for outcome in outcomes)
    return f"{sum(len(outcome.refused) for outcome in outcomes)} of {malformed}"


def _views(outcomes: Sequence[ScriptOutcome]) -> str:
    """The least that was shown of any result; not of refusals and pictures, which clients put words
    around."""
    plain = [one for one in outcomes if not one.malformed and not one.pictures]
    views = {outcome.shown for outcome in plain if outcome.shown}
    return next((view for view in reversed(ShownText) if view in views), NO_VALUE)


def _pictures(outcomes: Sequence[ScriptOutcome]) -> str:
    known = [one for one in outcomes if one.pictures_seen is not None and one.pictures]
    if not known:
        return NO_VALUE
    return "yes" if all(one.pictures_seen == one.pictures for one in known) else "no"
