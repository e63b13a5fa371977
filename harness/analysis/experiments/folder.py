"""An experiment's folder: its runs, and the pages made from them.

experiment.json    which experiment, and where its runs are
NAME/              a run's folder, for each of its runs
experiment.md, experiment.html, figure.svg, …
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainee_bench.harness.analysis.experiments.experiment import ExperimentResults
from trainee_bench.harness.analysis.report.run_document import NOT_VERIFIED
from trainee_bench.harness.batch.pipeline import create_run
from trainee_bench.harness.documents.document import Document
from trainee_bench.harness.documents.html import render_html
from trainee_bench.harness.documents.markdown import render_markdown
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.run_folder import RunFolder, next_run_folder

_RECORD = "experiment.json"
_IN_THE_STUDIO = "To step through its days, run trainee-bench studio . in the folder of this page."
_BORROWED_IN_THE_STUDIO = (
    "To step through its days, run trainee-bench studio with the run that --from named."
)


class _Record(BaseModel):
    """The record of an experiment.

    ``runs`` are folders by name; ``borrowed`` means that they belong to another experiment.
    ``people`` is a run that people guided.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    experiment: str
    runs: dict[str, str]
    borrowed: bool = False
    people: str | None = Field(default=None, exclude_if=lambda path: path is None)


class ExperimentFolder:
    """The folder of one experiment. Use `create`, `create_from` or `open` to get one."""

    def __init__(self, path: Path, record: _Record):
        self.path = path
        self.experiment = record.experiment
        self.borrowed = record.borrowed
        self.people = RunFolder(Path(record.people)) if record.people is not None else None
        self.runs = {name: RunFolder(path / inner) for name, inner in record.runs.items()}

    @classmethod
    def create(
        cls,
        path: Path | None,
        experiment: str,
        plans: Mapping[str, RunPlan],
        people: Path | None = None,
    ) -> ExperimentFolder:
        """Create a folder in *path*, or in ``runs/``, with a run for each plan.

        It also shows the run in *people*. Raises PlanError.
        """
        guided = None
        if people is not None:
            _whole_days(RunFolder.open(people).plan(), f"--people {people}")
            guided = str(people.resolve())
        path = _fresh(path, experiment)
        for name, plan in plans.items():
            create_run(plan, path / name)
        record = _Record(experiment=experiment, runs={name: name for name in plans}, people=guided)
        return cls._recorded(path, record)

    @classmethod
    def create_from(cls, path: Path | None, experiment: str, source: Path) -> ExperimentFolder:
        """Create a folder that uses the results of the run or experiment in *source*.

        Raises PlanError if *source* is neither, or has several runs.
        """
        run = _only_run(source)
        _whole_days(run.plan(), f"--from {source}")
        path = _fresh(path, experiment)
        runs = {"run": str(run.path.resolve())}
        return cls._recorded(path, _Record(experiment=experiment, runs=runs, borrowed=True))

    @classmethod
    def _recorded(cls, path: Path, record: _Record) -> ExperimentFolder:
        (path / _RECORD).write_text(record.model_dump_json(indent=1), encoding="utf-8")
        return cls(path, record)

    @classmethod
    def open(cls, path: Path) -> ExperimentFolder:
        """Open the experiment in *path*. Raises PlanError if there is none."""
        try:
            text = (path / _RECORD).read_bytes()
            return cls(path, _Record.model_validate_json(text))
        except OSError:
            raise PlanError(
                f"There is no experiment in {path}: it has no {_RECORD}. If it was interrupted "
                "right at the start, begin again in another folder."
            ) from None
        except ValidationError:
            raise PlanError(
                f"{path / _RECORD} is not a valid record of an experiment. To use the results of "
                "its runs, give a run's folder with --from."
            ) from None

    def read_results(self) -> ExperimentResults:
        """Read the results of its runs so far. Raises PlanError, ResultFileError."""
        plans = {name: RunFolder.open(run.path).plan() for name, run in self.runs.items()}
        read = {name: run.ledger.read() for name, run in self.runs.items()}
        return ExperimentResults(plans, read, self.people.ledger.read() if self.people else ())

    def publish(self, page: Document) -> tuple[Path, Path]:
        """Write the page as HTML, and as Markdown with its charts; return the paths of these two
        files.

        The page says so if the runs that it shows were not verified.
        """
        if not all(run.verified for run in self.runs.values()):
            page = replace(page, footer=f"{page.footer} {NOT_VERIFIED}".strip())
        studio = _BORROWED_IN_THE_STUDIO if self.borrowed else _IN_THE_STUDIO
        page = replace(page, footer=f"{page.footer} {studio}".strip())
        for chart in page.charts:
            (self.path / f"{chart.name}.svg").write_text(chart.svg, encoding="utf-8")
        html, markdown = self.path / "experiment.html", self.path / "experiment.md"
        html.write_text(render_html(page), encoding="utf-8")
        markdown.write_text(render_markdown(page), encoding="utf-8")
        return html, markdown


def _fresh(path: Path | None, experiment: str) -> Path:
    try:
        if path is None:
            return next_run_folder(Path("runs"), experiment)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise PlanError(
                f"{path} is taken. Continue an experiment with --resume "
                f"{shlex.quote(str(path))}, or give --out another folder."
            )
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = path or "runs"
        raise PlanError(f"--out {where}: {error.strerror}; give --out another folder.") from None
    return path


def _whole_days(plan: RunPlan, option: str) -> None:
    """Raise PlanError if *plan* belongs to a run that continues another run from a step."""
    if plan.fork is not None:
        raise PlanError(f"{option}: it continues another run from a step, so it has no whole days.")


def _only_run(source: Path) -> RunFolder:
    if not (source / _RECORD).is_file():
        return RunFolder.open(source)
    runs = list(ExperimentFolder.open(source).runs.values())
    if len(runs) != 1:
        raise PlanError(f"--from {source}: it has {len(runs)} runs; give the folder of one.")
    return RunFolder.open(runs[0].path)
