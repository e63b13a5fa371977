"""The file of a submission: a ZIP archive with a run's plan, results, worlds and trajectories.

submission.json     who submits what
run.json            the plan
results.jsonl       a line per episode
begun.jsonl         every episode that was begun, and how it ended
worlds/ID.world     each with the log of its actions, from which the episode is repeated
trajectories/ID.json
memories/ID.md      what a learning agent remembered after the episode

The names follow from the ids of the plan's episodes. Nothing else of the run's folder is packed,
and nothing that a link in it leads to.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from trainee_bench.harness.records.begun_episodes import BEGUN_FILE
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.own_files import read_own_file
from trainee_bench.harness.records.plan import RunPlan
from trainee_bench.harness.records.results import trajectory_name, world_name
from trainee_bench.harness.records.run_folder import RunFolder

FORMAT = 1
MAX_BYTES = 4_000_000_000
"""Bytes that all files of a submission may have together."""
_NAME = re.compile(
    r"submission\.json|run\.json|results\.jsonl|begun\.jsonl"
    r"|worlds/[\w.-]{1,250}\.world|trajectories/[\w.-]{1,250}\.json|memories/[\w.-]{1,250}\.md"
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


def write_bundle(out: Path, folder: RunFolder, plan: RunPlan, info: SubmissionInfo) -> None:
    """Write the locked run of *plan* in *folder* to *out*, whole or not at all.

    Raises CannotBundleRun, and LinkOut if anything of the run is a link.
    """
    draft = out.with_name(f".{out.name}.draft")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            _add(archive, "submission.json", info.model_dump_json(indent=1).encode())
            for name in _files(folder, plan):
                _add(archive, name, read_own_file(folder.path, name))
        draft.replace(out)
    except OSError as error:
        raise CannotBundleRun(f"{error.filename or out}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def _files(folder: RunFolder, plan: RunPlan) -> Iterator[str]:
    """The names of the files of the run of *plan* in *folder* that a submission has. Raises
    CannotBundleRun for an episode after which no file of a submission can be called."""
    yield from ("run.json", "results.jsonl", BEGUN_FILE)
    for spec in plan.episode_specs():
        for name in (world_name(spec.id), trajectory_name(spec.id)):
            if not _NAME.fullmatch(name):
                raise CannotBundleRun(f"{spec.id!r} is no id of an episode; begin a new run.")
            yield name
        if folder.memories.exists(spec.id):
            yield folder.memories.name(spec.id)


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
    except ValidationError as error:
        flaw = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, flaw["loc"]))
        raise CannotBundleRun(
            f"{bundle} is no submission: submission.json, {where}: {flaw['msg']}"
        ) from None
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise CannotBundleRun(f"{bundle} is no submission: {error}") from None
