"""The one result file, results.jsonl: a line per episode, flushed at once, and its model."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from trainee_bench.harness.records.npc_fidelity import NpcFidelity
from trainee_bench.harness.session.agent_session import EndReason, EpisodeLimits

__all__ = [
    "CheckpointResult",
    "EpisodeResult",
    "ResultFile",
    "ResultFileError",
    "ResultIdentity",
    "TaskResult",
]

UNSUPPORTED = "family not built"
"""The error of a task that nobody can stage yet."""


class ResultFileError(Exception):
    """A result file cannot be read; says which line, and what to do."""


class _FrozenModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CheckpointResult(_FrozenModel):
    """One checkpoint: what it says and weighs, whether it held, what was seen."""

    name: str
    sentence: str
    weight: float
    passed: bool
    seen: str


class TaskResult(_FrozenModel):
    """One task: ``score`` from 0 to 1, or None with ``error`` where it could not be graded.

    ``task``, ``domain`` and ``text_label`` are empty for a task whose family is not built;
    ``late_minutes`` is by how much it was submitted after its deadline, None if never.
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


class ResultIdentity(_FrozenModel):
    """What a score depends on besides agent and seed; unlike ones are not compared.

    ``sandbox`` is what the terminal's commands ran in, None where it was not offered.
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


class EpisodeResult(_FrozenModel):
    """One agent on one day.

    ``score`` is the mean over the tasks that could be graded, of which there are
    ``coverage`` (a share of all); None with ``error`` where there is none. ``tries`` counts
    how often it was begun anew after a fault of the infrastructure.
    """

    episode: str
    scenario: str
    day: str
    agent: str
    attempt: int
    seed: int
    score: float | None
    success: bool
    coverage: float
    steps: int
    tool_calls: int
    failed_calls: int
    refused_calls: int
    tasks: tuple[TaskResult, ...]
    ended: EndReason | None = None
    agent_error: str | None = None
    error: str | None = None
    tries: int = 1
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    incidents: dict[str, int] = {}
    """What went wrong between an agent and its model, by kind, and how often."""
    colleagues: NpcFidelity | None = None
    """What a model did that played the colleagues, and took for it; None where none did."""
    remembers: str | None = None
    """The episode before it in its course, which the agent could remember."""
    wall_seconds: float
    transport: str
    digest: str | None = None
    world: str | None = None
    trajectory: str | None = None
    identity: ResultIdentity | None = None

    @property
    def broken(self) -> bool:
        """Whether anything that should have been graded was not."""
        return self.error is not None or any(task.error for task in self.tasks)


class ResultFile:
    """The result file of one run, appended to line by line."""

    def __init__(self, path: Path):
        self.path = path

    def append(self, result: EpisodeResult) -> None:
        """Add a line; when this returns it has reached the disk."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(result.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> list[EpisodeResult]:
        """All results, in the order in which they came; none if there is no file yet.

        Raises ResultFileError for a line that is no result, and for a torn last line.
        """
        if not self.path.exists():
            return []
        results = []
        for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                results.append(EpisodeResult.model_validate_json(line))
            except ValidationError as error:
                flaw = error.errors(include_url=False, include_input=False)[0]["msg"]
                raise ResultFileError(f"{self.path.name}, line {number}: {flaw}") from None
        return results

    def repair(self) -> None:
        """Cut off a last line that was torn when its writer was killed."""
        if self.path.exists():
            whole = self.path.read_bytes()
            kept = whole[: whole.rfind(b"\n") + 1]
            if kept != whole:
                os.truncate(self.path, len(kept))

    def rewrite(self, results: Iterable[EpisodeResult]) -> None:
        """Let the file hold exactly *results*, whole or not at all."""
        draft = self.path.with_suffix(".draft")
        lines = "".join(result.model_dump_json() + "\n" for result in results)
        with draft.open("w", encoding="utf-8") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)
