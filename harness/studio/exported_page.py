"""A page to send: one file that shows days step by step, without a studio and without a network.

It contains the studio's own modules as one script, and packed data instead of the endpoints. Its
content security policy is part of the page and allows only that script and that style.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

from pydantic import BaseModel

from trainee_bench.harness.records.side_files import own_file
from trainee_bench.harness.studio.answer_table import collect_answers
from trainee_bench.harness.studio.history import EpisodeHistories
from trainee_bench.harness.studio.module_bundle import ModuleBundle
from trainee_bench.harness.studio.opened_run import OpenedRun, ShownEpisode, resolved
from trainee_bench.harness.studio.page import EXPORTED, STATIC, STYLES, VENDORED, source_of
from trainee_bench.harness.studio.requests import ModelSecrets
from trainee_bench.harness.studio.runs import ShownRuns
from trainee_bench.harness.support.value_pool import Pooled, ValuePool


async def export_page(
    runs: ShownRuns,
    name: str,
    episodes: Sequence[ShownEpisode],
    begun: Callable[[ShownEpisode], None],
) -> str:
    """Return the page that shows *episodes* of the run *name*, which is one of *runs*. *begun* is
    called with each episode before it is read. Raises NoWorldYet and WorldFileError for an episode
    that cannot be shown."""
    pool = ValuePool()
    collected: dict[str, Pooled] = {}
    histories = EpisodeHistories()
    try:
        for episode in episodes:
            begun(episode)
            history = await histories.shown_in(runs, episode)
            collected[episode.key] = await collect_answers(pool, episode, history)
    finally:
        histories.close()
    root = pool.add({"run": name, "episodes": collected})
    secrets = ModelSecrets()
    answers = secrets.masked(pool.written(root).encode())
    return _document(secrets.masked(name.encode()).decode(), answers)


def _document(name: str, answers: bytes) -> str:
    """Return the page titled *name*, with the *answers* as JSON."""
    packed = base64.b64encode(gzip.compress(answers, 9, mtime=0)).decode()
    data = json.dumps({"gzip": packed}).replace("<", "\\u003c")
    icon = quote((STATIC / "icon.svg").read_text(encoding="utf-8"))
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {source_of(_script())}",
            f"style-src {source_of(_style())}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    lines = (
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{html.escape(name)} · Trainee-Bench</title>",
        f'<link rel="icon" href="data:image/svg+xml,{icon}">',
        f"<style>{_style()}</style>",
        "</head>",
        "<body>",
        '<div id="studio"></div>',
        f'<script type="application/json" id="answers">{data}</script>',
        f'<script type="module">{_script()}</script>',
        "</body>",
        "</html>",
    )
    return "\n".join(lines) + "\n"


@cache
def _script() -> str:
    """Return the modules as one script."""
    vendored = {name: f"vendor/{file}" for name, file in VENDORED.items()}
    bundle = ModuleBundle(STATIC, vendored, {"parts/api.mjs": f"{EXPORTED}/api.mjs"})
    return bundle.script(f"{EXPORTED}/app.mjs")


@cache
def _style() -> str:
    """Return all styles as one text."""
    styles = (STATIC / "style" / name for name in STYLES)
    return "\n".join(style.read_text(encoding="utf-8") for style in styles)


DOCUMENT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-same-origin"
)
"""The content security policy of documents. They run no scripts. The same origin is allowed so that
links between documents work."""
REPORT, EXPERIMENT = "report.html", "experiment.html"
_RECORD = "experiment.json"
_DAY = re.compile(r"days/[A-Za-z0-9_.-]+\.html")


class RunDocument(BaseModel):
    """A document and the address at which the studio serves it."""

    title: str
    address: str


def documents_of(run: OpenedRun, opened: Sequence[Path]) -> tuple[RunDocument, ...]:
    """Return the documents that exist for *run*: its report and the page of its experiment."""
    titles = {REPORT: "Report", EXPERIMENT: "Experiment"}
    return tuple(
        RunDocument(title=title, address=f"/documents/{run.number}/{name}")
        for name, title in titles.items()
        if document_file(run, name, opened) is not None
    )


def document_file(run: OpenedRun, name: str, opened: Sequence[Path]) -> Path | None:
    """Return the file of the document *name* of *run*; None if there is none.

    An experiment's page is in the folder around the run, so it is served only if that folder, or
    the one around it, is among the *opened* ones.
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
