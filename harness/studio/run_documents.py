"""The documents that lie beside a run, as the studio serves them: its report, the pages of its
days, and the page of the experiment that the run is part of.

They are files that may come from elsewhere. A policy of their own shuts them in: no script, no
form, nothing that is loaded, so that they can do nothing in the studio's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from trainee_bench.harness.records.own_files import own_file
from trainee_bench.harness.studio.opened_run import OpenedRun, resolved

DOCUMENT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-same-origin"
)
"""The content security policy of documents. They run no scripts; that they count as pages of this
origin is for the links between them."""
REPORT, EXPERIMENT = "report.html", "experiment.html"
_RECORD = "experiment.json"
_DAY = re.compile(r"days/[A-Za-z0-9_.-]+\.html")


class RunDocument(BaseModel):
    """A document, and the address at which the studio serves it."""

    title: str
    address: str


def documents_of(run: OpenedRun, opened: Sequence[Path]) -> tuple[RunDocument, ...]:
    """The report of *run* and the page of its experiment, as far as they are there."""
    titles = {REPORT: "Report", EXPERIMENT: "Experiment"}
    return tuple(
        RunDocument(title=title, address=f"/documents/{run.number}/{name}")
        for name, title in titles.items()
        if document_file(run, name, opened) is not None
    )


def document_file(run: OpenedRun, name: str, opened: Sequence[Path]) -> Path | None:
    """The file of the document *name* of *run*; None if there is none.

    That of an experiment lies in the folder around the run, so it is served only if that folder is
    among the *opened* ones, or in one of them.
    """
    if run.path.is_file():
        return None
    if name == EXPERIMENT:
        around = resolved(run.path).parent
        known = set(map(resolved, opened))
        if known.isdisjoint((around, around.parent)) or not (around / _RECORD).is_file():
            return None
        return own_file(around, name)
    return run.own_file(name) if name == REPORT or _DAY.fullmatch(name) else None
