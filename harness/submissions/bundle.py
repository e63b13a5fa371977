"""The file of a submission: a ZIP archive with a run's plan, results, worlds and trajectories.

submission.json     who submits what
run.json            the plan
results.jsonl       a line per episode
worlds/ID.world     each with the log of its actions, from which the episode is repeated
trajectories/ID.json
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from pydantic import Field, ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.results import EpisodeResult

FORMAT = 1
MAX_BYTES = 4_000_000_000
"""Bytes that all files of a submission may have together."""
_NAME = re.compile(
    r"submission\.json|run\.json|results\.jsonl"
    r"|worlds/[\w.-]{1,250}\.world|trajectories/[\w.-]{1,250}\.json"
)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of every file, so that the same run makes the same archive."""


class CannotBundleRun(Exception):
    """A submission cannot be written or read; says why."""


class SubmissionInfo(FrozenModel):
    """Who submits what: a ``name`` for the board, how it works, where to ask."""

    format: int = FORMAT
    name: str = Field(min_length=1, max_length=100)
    about: str = Field(default="", max_length=2_000)
    contact: str = Field(default="", max_length=200)


def write_bundle(out: Path, run: Path, info: SubmissionInfo, results: list[EpisodeResult]) -> None:
    """Write the run in the folder *run* to *out*, whole or not at all. Raises CannotBundleRun."""
    files = ["run.json", "results.jsonl"]
    for result in results:
        files += [name for name in (result.world, result.trajectory) if name is not None]
    draft = out.with_name(f".{out.name}.draft")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, "submission.json", info.model_dump_json(indent=1).encode())
            for name in files:
                _add(archive, name, (run / name).read_bytes())
        draft.replace(out)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise CannotBundleRun(f"{error.filename or out}: {error.strerror}") from None


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, data)


def unpack_bundle(bundle: Path, folder: Path) -> SubmissionInfo:
    """Unpack *bundle* into the empty *folder*; who submits it.

    Raises CannotBundleRun for a file that is no submission, or one with other or too large files.
    """
    try:
        with zipfile.ZipFile(bundle) as archive:
            entries = archive.infolist()
            names = [entry.filename for entry in entries]
            strange = next((name for name in names if not _NAME.fullmatch(name)), None)
            if strange is not None or len(set(names)) < len(names):
                raise CannotBundleRun(
                    f"{bundle} is no submission: it holds {strange or 'a file twice'}"
                )
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise CannotBundleRun(f"{bundle} has more than {MAX_BYTES:,} bytes unpacked")
            archive.extractall(folder)
        return SubmissionInfo.model_validate_json((folder / "submission.json").read_bytes())
    except (OSError, zipfile.BadZipFile, ValidationError) as error:
        raise CannotBundleRun(f"{bundle} is no submission: {error}") from None
