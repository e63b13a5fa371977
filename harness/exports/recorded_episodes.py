"""The episodes of a run with their results and trajectories, for exports."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import own_file

JsonObject = dict[str, JsonValue]


class CannotExport(Exception):
    """Raised if a run has nothing to export or a trajectory cannot be read; says which and why."""


@dataclass(frozen=True)
class RecordedEpisode:
    """One episode: its result, its trajectory (an ATIF document), and the folder to which the paths
    of its pictures are relative."""

    result: EpisodeResult
    trajectory: JsonObject
    folder: Path

    @property
    def steps(self) -> list[JsonObject]:
        """The steps of the trajectory, in order."""
        steps = self.trajectory["steps"]
        assert isinstance(steps, list)
        return [step for step in steps if isinstance(step, dict)]


def recorded_episodes(run: Path, agent: str = "") -> Iterator[RecordedEpisode]:
    """Yield the episodes of the run in the folder *run* that have a trajectory, in the order of
    their results; with *agent*, only those of this agent.

    Raises PlanError or ResultFileError if the folder holds no readable run, and CannotExport for a
    trajectory that cannot be read.
    """
    folder = RunFolder.open(run)
    for result in folder.ledger.read():
        if result.trajectory is None or agent not in ("", result.agent):
            continue
        path = run / result.trajectory
        if path.exists() and own_file(run, result.trajectory) is None:
            raise CannotExport(f"{path} is a link out of the run's folder, so it is not read.")
        try:
            trajectory = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CannotExport(f"{path} cannot be read: {error}") from None
        yield RecordedEpisode(result, trajectory, path.parent)


def objects_in(value: JsonValue) -> list[JsonObject]:
    """Return the objects in a list of a trajectory."""
    assert isinstance(value, list)
    return [part for part in value if isinstance(part, dict)]


def picture_url(source: JsonValue, folder: Path) -> str:
    """Return the data URL of a picture that a trajectory in *folder* refers to. Raises CannotExport
    if it is missing."""
    assert isinstance(source, dict)
    path = folder / str(source["path"])
    if path.exists() and own_file(folder, str(source["path"])) is None:
        raise CannotExport(f"{path} is not in the run's folder, so it is not read.")
    try:
        data = base64.b64encode(path.read_bytes()).decode("ascii")
    except OSError as error:
        raise CannotExport(f"{path} cannot be read: {error.strerror}") from None
    return f"data:{source['media_type']};base64,{data}"
