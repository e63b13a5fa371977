"""The result file, results.jsonl, and the model of its lines: one per episode, flushed at once."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.human_part import ForkPoint, GivenGuidance
from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.records.provenance_figures import ProvenanceFigures
from trainee_bench.harness.records.schedule_figures import ScheduleFigures
from trainee_bench.harness.session.frozen import FrozenDigests
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.mcp_servers.serving.result_text import ResultView
from trainee_bench.meta_tasks.missing_facts import TaskEnding
from trainee_bench.world.errors import first_flaw

__all__ = [
    "CheckpointResult",
    "DayResult",
    "EpisodeResult",
    "ResultFile",
    "ResultFileError",
    "ResultIdentity",
    "TaskResult",
]

Count = Annotated[int, Field(ge=0, le=10**30)]
"""A count. Python refuses to write sums with more than 4,300 digits, so counts are limited."""


UNSUPPORTED = "family not built"
"""The error of a task whose family does not exist."""


_PLAIN_NAME = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]*")
"""Pattern of an episode's id, after which its files are named."""


def world_name(episode: str) -> str:
    """Return the path of the world of *episode* within its run's folder."""
    return f"worlds/{episode}.world"


def trajectory_name(episode: str) -> str:
    """Return the path of the trajectory of *episode* within its run's folder."""
    return f"trajectories/{episode}.json"


class ResultFileError(Exception):
    """A result file cannot be read or written; the message says which line, or why."""


class CheckpointResult(FrozenModel):
    """One checkpoint: its sentence and weight, whether it passed, and what was found."""

    name: str
    sentence: str
    weight: float
    passed: bool
    seen: str


class TaskResult(FrozenModel):
    """One task, with a ``score`` from 0 to 1.

    ``score`` is None, with an ``error``, if its family does not exist or its episode broke. With a
    score, ``error`` names the checks that failed with an exception on the submitted work. ``task``,
    ``domain`` and ``label`` are empty if the family does not exist.

    ``submitted`` means that a submission counts: one was accepted, and the request has not changed
    since. Otherwise ``late_minutes`` has the working minutes from the deadline to the first attempt
    after it, None if there was none.
    """

    task: str
    rule: str
    family: str
    domain: str
    label: str
    score: float | None
    success: bool
    checkpoints: tuple[CheckpointResult, ...] = ()
    harm: tuple[str, ...] = ()
    submitted: bool = False
    late_minutes: int | None = None
    error: str | None = None
    worth: int | None = None
    """Its worth on a day with more work than hours."""
    published_day: int | None = Field(default=None, exclude_if=lambda day: day is None)
    """The day of its week (0 is the first) on which it was published; None outside of weeks."""
    due_day: int | None = Field(default=None, exclude_if=lambda day: day is None)
    """The day of its week on which it was due; None outside of weeks."""
    days: int = Field(default=1, exclude_if=lambda days: days == 1)
    """The number of its days, which is its weight among the tasks of a week."""
    ending: TaskEnding | None = Field(default=None, exclude_if=lambda ending: ending is None)
    """How it ended, if it cannot be done or was given back."""
    sure: int | None = Field(default=None, ge=0, le=100, exclude_if=lambda sure: sure is None)
    """How sure the agent said to be that it is right, in percent, with the submission that counts.

    None if it did not say, was not asked, or no submission counts.
    """


class ResultIdentity(FrozenModel):
    """The settings on which a score depends besides agent and seed.

    Only results with equal identities are compared. ``sandbox`` is what the terminal app ran
    commands in, None if it was not offered. ``results`` is the form in which a model could read
    results.
    """

    score_version: int
    generator: int
    tools: tuple[str, ...]
    npc_brain: str
    modality: str
    limits: EpisodeLimits
    guidance: int = 0
    isolation: str
    sandbox: str | None = None
    results: ResultView = ResultView.TEXT
    guided: tuple[GivenGuidance, ...] = Field(default=(), exclude_if=lambda given: not given)
    """The acts of people who guided the agent, in order."""
    frozen: FrozenDigests | None = Field(default=None, exclude_if=lambda frozen: frozen is None)
    """None in results of older versions."""
    office: str = Field(default="", exclude_if=lambda office: not office)
    """The own office of the day, with its digest; "" for the built-in company."""


class DayResult(FrozenModel):
    """One day of a world of several: what the agent did, and how the day ended.

    ``name`` is its weekday, with the date if the world has several weeks ("Monday, 13 October").

    ``score`` is the mean over the graded tasks due on that day, weighted by their number of days;
    None if there are none. ``due`` is the number of tasks due. ``schedule`` is None if an older
    version wrote the line.
    """

    name: str
    steps: Count
    tool_calls: Count
    failed_calls: Count
    ended: EndReason
    agent_error: str | None = None
    due: Count
    score: float | None
    schedule: ScheduleFigures | None = Field(
        default=None, exclude_if=lambda figures: figures is None
    )


class EpisodeResult(FrozenModel):
    """The result of one agent on one day, or in one week.

    ``score`` is the mean over the graded tasks, whose share of all tasks is ``coverage``. It is
    None, with an ``error``, if there are none. ``tries`` counts how often the episode was started.
    ``faults`` has the error of each try before the last. ``spec_digest`` is the digest of the
    EpisodeSpec that was executed.
    """

    episode: str
    scenario: str
    day: str
    agent: str
    attempt: Count
    seed: int
    score: float | None
    success: bool
    coverage: float
    steps: Count
    tool_calls: Count
    failed_calls: Count
    refused_calls: Count
    tasks: tuple[TaskResult, ...]
    ended: EndReason | None = None
    agent_error: str | None = None
    error: str | None = None
    tries: Count = 1
    faults: tuple[str, ...] = ()
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cost_usd: float | None = None
    incidents: dict[str, Count] = Field(default_factory=dict)
    """Counts of problems between agent and model, by kind."""
    colleagues: NpcFidelity | None = None
    """Figures on the model that played the colleagues; None if they followed their script."""
    schedule: ScheduleFigures | None = None
    """The schedule of the day.

    None for a week, whose days have their own, for a line of an older version, or if nothing ran.
    """
    provenance: ProvenanceFigures | None = Field(
        default=None, exclude_if=lambda figures: figures is None
    )
    """Figures on where the facts of the day or week came from, and how the agent asked.

    None for a line of an older version, or if nothing ran.
    """
    remembers: str | None = None
    """The previous episode in its day sequence, which the agent could remember."""
    wall_seconds: float
    transport: str
    digest: str | None = None
    world: str | None = None
    trajectory: str | None = None
    identity: ResultIdentity | None = None
    spec_digest: str | None = None
    memory_digest: str | None = None
    """A hash of the learning agent's memory afterwards."""
    days: tuple[DayResult, ...] = Field(default=(), exclude_if=lambda days: not days)
    """The days of a week, in order. The counts above are their sums, ``ended`` is that of the last
    day."""
    forked_from: ForkPoint | None = Field(default=None, exclude_if=lambda point: point is None)
    """The point at which the agent took the day over from another; None for a whole day.

    The counts above are its own. Such results are never pooled with whole days.
    """

    @model_validator(mode="before")
    @classmethod
    def _view_of_older_lines(cls, line: object) -> object:
        """Add the form of results to older lines, which do not name one.

        Programs got structured content, and all other agents showed their models the text.
        """
        identity = line.get("identity") if isinstance(line, dict) else None
        if not isinstance(line, dict) or not isinstance(identity, dict) or "results" in identity:
            return line
        isolated = identity.get("isolation") in ("sandbox", "user")
        # The tokens of a program are unknown; those of a model with such a name are known.
        named = str(line.get("agent")).startswith("command") and line.get("prompt_tokens") is None
        view = ResultView.STRUCTURED if isolated or named else ResultView.TEXT
        return {**line, "identity": {**identity, "results": view}}

    @model_validator(mode="after")
    def _names_its_own_files(self) -> Self:
        """Refuse lines that name other files than their own: a line may come from elsewhere."""
        if not _PLAIN_NAME.fullmatch(self.episode):
            raise ValueError(
                f"{self.episode!r} is not a valid episode id, because it is not a file name"
            )
        own = {
            "world": (self.world, world_name(self.episode)),
            "trajectory": (self.trajectory, trajectory_name(self.episode)),
        }
        for what, (named, expected) in own.items():
            if named not in (None, expected):
                raise ValueError(f"the line names the {what} {named!r}; its own is {expected}")
        return self

    @property
    def broken(self) -> bool:
        """Whether the episode or any of its tasks could not be graded.

        A task with a check that failed with an exception was graded: otherwise an agent could
        remove a day from a comparison.
        """
        return self.error is not None or any(task.score is None for task in self.tasks)

    @property
    def schedules(self) -> tuple[tuple[str, ScheduleFigures], ...]:
        """Each measured day by its name: the single day, or those of the week."""
        days = [(day.name, day.schedule) for day in self.days] or [(self.day, self.schedule)]
        return tuple((name, figures) for name, figures in days if figures is not None)


class ResultFile:
    """The result file of one run, appended to line by line."""

    def __init__(self, path: Path):
        self.path = path

    def append(self, result: EpisodeResult) -> None:
        """Add a line; it is on the disk when this returns.

        Raises ResultFileError if it cannot be written, for example on a full disk.
        """
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(result.model_dump_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ResultFileError(
                f"{self.path} cannot be written ({error.strerror}); its contents are kept. Fix "
                f"that and continue with --resume {shlex.quote(str(self.path.parent))}."
            ) from None

    def read(self) -> list[EpisodeResult]:
        """Return the result of each episode in the order of writing; none if there is no file.

        If an episode has several lines, the first counts. An incomplete last line is skipped.
        Raises ResultFileError for an invalid line.
        """
        first: dict[str, EpisodeResult] = {}
        for result in self.lines():
            first.setdefault(result.episode, result)
        return list(first.values())

    def lines(self) -> list[EpisodeResult]:
        """Return every line, also if an episode has several. Raises as `read` does."""
        if not self.path.exists():
            return []
        results = []
        for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                results.append(EpisodeResult.model_validate_json(line))
            except ValidationError as error:
                _, flaw = first_flaw(error)
                raise ResultFileError(f"{self.path.name}, line {number}: {flaw}") from None
        return results

    def repair(self) -> None:
        """Cut off an incomplete last line, left by a process that was killed while writing it."""
        if self.path.exists():
            whole = self.path.read_bytes()
            kept = whole[: whole.rfind(b"\n") + 1]
            if kept != whole:
                os.truncate(self.path, len(kept))

    def rewrite(self, results: Iterable[EpisodeResult]) -> None:
        """Replace the file's content by *results*, whole or not at all."""
        draft = self.path.with_suffix(".draft")
        lines = "".join(result.model_dump_json() + "\n" for result in results)
        with draft.open("w", encoding="utf-8") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)
