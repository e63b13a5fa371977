"""Files of an episode that travel between the run's folder and a worker on another machine.

    run's folder ──sent_files──► worker's folder ──taken_files──► store_files ──► run's folder

A worker has no run's folder. It gets the files in which its first episode begins, and returns those
that each episode leaves. Only the run's own process writes the run's folder.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trainee_bench.harness.batch.executors.executor import WorkerReport
from trainee_bench.harness.records.begun_episodes import BegunEpisodes
from trainee_bench.harness.records.plan import EpisodeSpec
from trainee_bench.harness.records.results import ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder

ShippedFiles = tuple[tuple[str, bytes], ...]
"""Names within the run's folder, and contents."""


@dataclass(frozen=True)
class BegunElsewhere:
    """An episode that a worker begins, as try number *tries*."""

    episode: str
    tries: int


@dataclass(frozen=True)
class ShippedReport:
    """A `WorkerReport` as JSON, with the files of its episode."""

    report: str
    files: ShippedFiles = ()


class AnnouncedEpisodes(BegunEpisodes):
    """Tells somebody else that an episode begins, in the place of the record begun.jsonl."""

    def __init__(self, run: Path, announce: Callable[[BegunElsewhere], None]):
        super().__init__(run)
        self._announce = announce

    def begin(self, spec: EpisodeSpec, tries: int) -> None:
        """Announce that the episode of *spec* is begun."""
        self._announce(BegunElsewhere(spec.id, tries))


def sent_files(folder: RunFolder, first: EpisodeSpec) -> ShippedFiles:
    """Return the files that a worker needs to begin with the episode *first*."""
    files = [folder.fork_world, folder.fork_turns] if first.forked_from is not None else []
    if first.remembers is not None:
        files.append(folder.path / folder.memories.name(first.remembers))
    return _contents(folder, [file for file in files if file.is_file()])


def work_folder(path: Path, files: ShippedFiles) -> RunFolder:
    """Return the empty folder *path* as that of a run, with *files*."""
    folder = RunFolder(path)
    folder.create_folders()
    for name, content in files:
        (path / name).write_bytes(content)
    return folder


def taken_files(folder: RunFolder, spec: EpisodeSpec) -> ShippedFiles:
    """Return the files that the episode of *spec* left in *folder*, and remove those that its next
    episode does not read."""
    files = _contents(folder, _files_of(folder, spec))
    for name, _ in files:
        if name != folder.memories.name(spec.id):
            (folder.path / name).unlink()
    return files


def store_files(folder: RunFolder, spec: EpisodeSpec, files: ShippedFiles) -> None:
    """Write *files* of the episode of *spec* to *folder*; tracebacks are added to earlier ones.

    Raises ValueError for a file of something else, and ResultFileError if one cannot be written.
    """
    for name, content in files:
        path = folder.path / name
        if not _is_of(folder, spec, path):
            raise ValueError(f"a worker returned {name}, which is no file of {spec.id}")
        try:
            if path.parent.name == "faults":
                folder.write_traceback(spec, content.decode(errors="replace"))
                continue
            path.parent.mkdir(exist_ok=True)
            draft = path.with_name(f".{path.name}")
            draft.write_bytes(content)
            draft.replace(path)
        except OSError as error:
            raise _unwritten(folder, error) from None


def record_begun(folder: RunFolder, spec: EpisodeSpec, begun: BegunElsewhere) -> None:
    """Record in *folder* that a worker has *begun* the episode of *spec*. Raises
    ResultFileError."""
    try:
        folder.begun.begin(spec, begun.tries)
    except OSError as error:
        raise _unwritten(folder, error) from None


def _unwritten(folder: RunFolder, error: OSError) -> ResultFileError:
    return ResultFileError(
        f"{error.filename or folder.path} cannot be written ({error.strerror}). Fix that and "
        f"continue with --resume {shlex.quote(str(folder.path))}."
    )


def unwrapped(shipped: ShippedReport) -> WorkerReport:
    """Return the report in *shipped*."""
    return WorkerReport.model_validate_json(shipped.report)


def _places(folder: RunFolder, spec: EpisodeSpec) -> tuple[Path, ...]:
    """Return where the files of an episode lie that have one name."""
    texts = (folder.path / kind / f"{spec.id}.txt" for kind in ("logs", "faults"))
    memory = folder.path / folder.memories.name(spec.id)
    return (folder.world(spec), folder.trajectory(spec), memory, *texts)


def _pictures(folder: RunFolder, spec: EpisodeSpec) -> Path:
    return folder.trajectory(spec).with_suffix(".pictures")


def _files_of(folder: RunFolder, spec: EpisodeSpec) -> list[Path]:
    pictures = _pictures(folder, spec)
    shown = sorted(pictures.iterdir()) if pictures.is_dir() else []
    return [file for file in (*_places(folder, spec), *shown) if file.is_file()]


def _is_of(folder: RunFolder, spec: EpisodeSpec, file: Path) -> bool:
    in_pictures = file.parent == _pictures(folder, spec) and file.name != ".."
    return in_pictures or file in _places(folder, spec)


def _contents(folder: RunFolder, files: list[Path]) -> ShippedFiles:
    return tuple((file.relative_to(folder.path).as_posix(), file.read_bytes()) for file in files)
