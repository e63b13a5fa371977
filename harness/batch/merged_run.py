"""Merges runs that several machines worked into one run.

    RUN, RUN, … ──opened_parts()──► RunPart, … ──merge_plans()──► RunPlan ──write_merged()──► RUN

Each run is locked and checked as `verify` does without repeating its days. The new folder appears
whole or not at all, and the runs stay as they are.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from trainee_bench.harness.batch.merged_plan import CannotMerge, RunPart, merge_plans
from trainee_bench.harness.batch.pipeline import check_spec_digests
from trainee_bench.harness.batch.verified_run import verify_record
from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.harness.records.begun_episodes import BEGUN_FILE
from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import PlanError, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder, next_run_folder

MERGED_FILE = "merged.json"
_OTHER_FILES = 256
"""Files that a merge may open besides one for each run."""
_BESIDE_RESULTS = ("memories/{}.md", "worth/{}.json", "flags/{}.json")
_OF_TRIES = ("faults/{}.txt", "logs/{}.txt")


class MergedPart(FrozenModel):
    """A source of episodes of a merged run: the run's folder by name, and hashes of its files."""

    folder: str
    part: str | None
    plan: str
    results: str
    begun: str
    episodes: tuple[str, ...]


class MergeRecord(FrozenModel):
    """The content of merged.json."""

    parts: tuple[MergedPart, ...]


def merge_runs(paths: Sequence[Path], out: Path | None) -> tuple[RunFolder, RunPlan]:
    """Merge the runs in *paths* into a new run in *out*, or in the next free ``runs/NAME-NUMBER``.

    Raises CannotMerge, PlanError for a folder that is no run or that another process uses, and
    ResultFileError for a damaged one.
    """
    if out is not None:
        _check_free(out)
    with opened_parts(paths) as parts:
        plan = merge_plans(parts)
        made = out or next_run_folder(Path("runs"), plan.benchmark)
        try:
            return write_merged(made, parts, plan), plan.sealed()
        except BaseException:
            if out is None:
                with suppress(OSError):
                    made.rmdir()
            raise


@contextmanager
def opened_parts(paths: Sequence[Path]) -> Iterator[list[RunPart]]:
    """Lock, read and check the runs in *paths*. Raises as `merge_runs` does."""
    allow_open_files(len(paths))
    known: set[Path] = set()
    with ExitStack() as stack:
        parts = []
        for path in paths:
            if path.resolve() in known:
                raise CannotMerge(f"{path} is given twice; name each run once.")
            known.add(path.resolve())
            folder = RunFolder.open(path)
            stack.enter_context(folder.locked())
            parts.append(_read(folder))
        yield parts


def allow_open_files(locked: int) -> None:
    """Let this process hold the files of so many *locked* runs open. Raises CannotMerge."""
    if sys.platform == "win32":
        return
    import resource  # Windows has none

    wanted = locked + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise CannotMerge(
            f"Merging needs {pluralize(wanted, 'open file')}, but this process may have at most "
            f"{hard:,}. Merge the runs in groups, then merge the merged runs."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _read(folder: RunFolder) -> RunPart:
    """Read the locked run in *folder*. Raises CannotMerge if its files contradict each other."""
    folder.refuse_links_out()
    plan = folder.plan()
    if plan.fork is not None or plan.only_day is not None:
        raise CannotMerge(
            f"{folder.path} is a single day of a person, or goes on with another run's day. Only "
            "runs of `trainee-bench run` can be merged; leave it out."
        )
    results = folder.ledger.lines()
    check_spec_digests(plan, results, folder.path)
    folder.memories.check(results)
    flaws = [*_line_flaws(folder, plan, results), *verify_record(folder, plan).problems]
    if flaws:
        raise CannotMerge(
            f"{folder.path} is not in order: {flaws[0]}. `trainee-bench verify` says more; restore "
            "the folder, or leave it out."
        )
    return RunPart(folder, plan, tuple(results), tuple(folder.begun.read()))


def _line_flaws(
    folder: RunFolder, plan: RunPlan, results: Sequence[EpisodeResult]
) -> Iterator[str]:
    """Yield what is wrong with the lines in *folder*: foreign or doubled ones, missing files."""
    planned = {spec.id for spec in plan.episode_specs()}
    seen: set[str] = set()
    for result in results:
        if result.episode not in planned:
            yield f"its plan has no episode {result.episode}"
        if result.episode in seen:
            yield f"{result.episode} has several lines"
        seen.add(result.episode)
        for name in (result.world, result.trajectory):
            if name is not None and not (folder.path / name).is_file():
                yield f"{name} is missing"


def _check_free(out: Path) -> None:
    """Raise PlanError unless *out* is free or an empty folder."""
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise PlanError(f"--out {out}: it exists already; name a new folder.")


def write_merged(out: Path, parts: Sequence[RunPart], plan: RunPlan) -> RunFolder:
    """Write the run of *plan*, merged from *parts*, to *out*: whole or not at all.

    Raises PlanError if the folder cannot be written.
    """
    draft = out.with_name(f".{out.name}.{os.getpid()}.draft")
    try:
        folder = RunFolder.create(draft, plan)
        _write(folder, parts, plan)
        _check_free(out)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    except OSError as error:
        raise PlanError(
            f"{error.filename or out} cannot be written: {error.strerror}. The runs are unchanged; "
            "give --out another folder, with enough room."
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return RunFolder(out)


def _write(folder: RunFolder, parts: Sequence[RunPart], plan: RunPlan) -> None:
    by_episode = {result.episode: result for part in parts for result in part.results}
    order = [spec.id for spec in plan.episode_specs() if spec.id in by_episode]
    folder.ledger.rewrite(by_episode[episode] for episode in order)
    folder.begun.write(event for part in parts for event in part.events)
    for part in parts:
        for result in part.results:
            _copy_files(part.path, folder.path, result)
        for episode in part.touched:
            for pattern in _OF_TRIES:
                _copy(part.path, folder.path, pattern.format(episode))
    record = MergeRecord(parts=tuple(map(_origin, parts)))
    (folder.path / MERGED_FILE).write_text(record.model_dump_json(indent=1), encoding="utf-8")


def _copy_files(source: Path, target: Path, result: EpisodeResult) -> None:
    """Copy the files of an episode with a result."""
    if result.world is not None:
        for suffix in ("", "-wal"):  # a copied log is read when the world is opened
            _copy(source, target, result.world + suffix)
    if result.trajectory is not None:
        _copy(source, target, result.trajectory)
        pictures = Path(result.trajectory).with_suffix(".pictures")
        if (source / pictures).is_dir():
            shutil.copytree(source / pictures, target / pictures)
    for pattern in _BESIDE_RESULTS:
        _copy(source, target, pattern.format(result.episode))


def _copy(source: Path, target: Path, name: str) -> None:
    """Copy the file *name* of a run, if it has one."""
    if (source / name).is_file():
        (target / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, target / name)


def _origin(part: RunPart) -> MergedPart:
    return MergedPart(
        folder=part.path.resolve().name,
        part=None if part.plan.part is None else str(part.plan.part),
        plan=part.plan.seal,
        results=_hash(part.folder.ledger.path),
        begun=_hash(part.path / BEGUN_FILE),
        episodes=tuple(result.episode for result in part.results),
    )


def _hash(file: Path) -> str:
    return sha256(file.read_bytes() if file.exists() else b"").hexdigest()
