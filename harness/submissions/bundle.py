"""The file of a submission: a ZIP archive with a run's plan, results, worlds and trajectories.

submission.json     the submitter and the submission's name
run.json            the plan
results.jsonl       a line per episode
begun.jsonl         every episode that was begun, and how it ended
worlds/ID.world     each with the log of its actions, from which the episode is repeated
trajectories/ID.json
memories/ID.md      what a learning agent remembered after the episode

The names follow from the ids of the plan's episodes. Other files of the run's folder, and targets
of links in it, are not packed. An archive with any other file is not a valid submission.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from trainee_bench.harness.records.begun_episodes import BEGUN_FILE
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import trajectory_name, world_name
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.side_files import read_own_file
from trainee_bench.world.errors import first_flaw

FORMAT: Literal[1] = 1
MAX_BYTES = 4_000_000_000
"""The maximum size in bytes of all files of a submission together."""
_LARGEST = {
    "submission.json": 100_000,
    "run.json": 50_000_000,
    "results.jsonl": 200_000_000,
    BEGUN_FILE: 50_000_000,
    "worlds": 200_000_000,
    "trajectories": 200_000_000,
    "memories": 10_000_000,
}
"""The maximum size in bytes of a file, by its name or its folder: many times what runs need, but
still readable."""
_NAME = re.compile(
    r"submission\.json|run\.json|results\.jsonl|begun\.jsonl"
    r"|worlds/[\w.-]{1,240}\.world|trajectories/[\w.-]{1,240}\.json|memories/[\w.-]{1,240}\.md",
    re.ASCII,
)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (
    OSError, EOFError, RuntimeError, ValueError, zipfile.BadZipFile, zipfile.LargeZipFile,
    zlib.error, struct.error,
)  # fmt: skip
"""The errors of reading an archive that is damaged or was tampered with."""
_SHOWN = 3
"""The number of files that an error names."""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same run gives the same archive."""


class CannotBundleRun(Exception):
    """Raised if a submission cannot be written or read; the message says why."""


class SubmissionInfo(FrozenModel):
    """The submitter's information: a ``name`` for the board, a description of the agent, a
    contact."""

    format: Literal[1] = FORMAT
    name: str = Field(min_length=1, max_length=100)
    about: str = Field(default="", max_length=2_000)
    contact: str = Field(default="", max_length=200)


def write_bundle(out: Path, folder: RunFolder, plan: RunPlan, info: SubmissionInfo) -> None:
    """Write the locked run of *plan* in *folder* to *out*, either completely or not at all.

    Raises CannotBundleRun, and LinkOut if any file of the run is a link.
    """
    draft = out.with_name(f".{out.name}.draft")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, "submission.json", info.model_dump_json(indent=1).encode())
            for name in _files(folder, plan):
                _add(archive, name, read_own_file(folder.path, name))
            flaw = _flaw(archive.infolist())
            if flaw:
                raise CannotBundleRun(f"This run cannot be submitted: {flaw}.")
        draft.replace(out)
    except OSError as error:
        raise CannotBundleRun(f"{error.filename or out}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def _files(folder: RunFolder, plan: RunPlan) -> Iterator[str]:
    """Yield the names of the files that a submission of the run of *plan* in *folder* has."""
    yield from ("run.json", "results.jsonl", BEGUN_FILE)
    for spec in plan.episode_specs():
        yield from (world_name(spec.id), trajectory_name(spec.id))
        if folder.memories.exists(spec.id):
            yield folder.memories.name(spec.id)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def unpack_bundle(bundle: Path, folder: Path) -> SubmissionInfo:
    """Unpack *bundle* into the empty *folder*, and return the submitter's information.

    Raises CannotBundleRun for a file that is not a submission, or has foreign or too large files.
    """
    try:
        with zipfile.ZipFile(bundle) as archive:
            strange = _flaw(archive.infolist())
            if strange:
                raise CannotBundleRun(f"{bundle} is not a submission: {strange}")
            archive.extractall(folder)
        return SubmissionInfo.model_validate_json((folder / "submission.json").read_bytes())
    except ValidationError as error:
        where, flaw = first_flaw(error)
        raise CannotBundleRun(
            f"{bundle} is not a submission: submission.json, {where}: {flaw}"
        ) from None
    except _UNREADABLE as error:
        why = getattr(error, "strerror", None) or error
        raise CannotBundleRun(f"{bundle} is not a submission: {why}") from None


def _flaw(entries: Sequence[zipfile.ZipInfo]) -> str | None:
    """Return why an archive of *entries* is not a submission, None if it may be one. Names that
    differ only in case are refused: some systems would unpack them to one file."""
    names = [entry.filename for entry in entries]
    strange = next((name for name in names if not _NAME.fullmatch(name)), None)
    if strange is not None:
        return f"it contains {strange}"
    if len({name.lower() for name in names}) < len(names):
        return "it contains a file twice"
    if "submission.json" not in names:
        return "it contains no submission.json"
    for entry in entries:
        most = _LARGEST[entry.filename.partition("/")[0]]
        if entry.file_size > most:
            return f"{entry.filename} has {entry.file_size:,} bytes; at most {most:,} are allowed"
        if entry.compress_type not in _METHODS:
            return f"{entry.filename} uses a compression method that is not allowed"
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        return f"it has more than {MAX_BYTES:,} bytes unpacked"
    return None


def foreign_files(folder: RunFolder, plan: RunPlan) -> Iterator[str]:
    """Yield a sentence for each foreign file of the unpacked submission in *folder*, at most
    `_SHOWN`. A file is foreign unless it is `submission.json` or belongs to the run of *plan*."""
    own = {"submission.json", *_files(folder, plan)}
    found = (file for file in folder.path.rglob("*") if not file.is_dir())
    names = {file.relative_to(folder.path).as_posix() for file in found}
    yield from (
        f"it contains {name}, which belongs to no episode" for name in sorted(names - own)[:_SHOWN]
    )
