"""Merges runs that several machines worked into one run.

    RUN, RUN, … ──opened_parts()──► RunPart, … ──merge_plans()──► RunPlan ──write_merged()──► RUN

Each run is locked and checked as `verify` does without repeating its days. The new folder appears
whole or not at all, and the runs stay as they are. A merge that is repeated finds its run.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from trainee_bench.harness.batch.merge_target import (
    checked_target,
    create_draft,
    place,
)
from trainee_bench.harness.batch.merged_plan import (
    CannotMerge,
    RunPart,
    in_fixed_order,
    merge_plans,
)
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
    parts: tuple[MergedPart, ...] = ()
    """The sources of this one, if it is a merged run itself."""


class MergeRecord(FrozenModel):
    """The content of merged.json."""

    parts: tuple[MergedPart, ...]


class RunMerge:
    """A merge of the runs in *paths* into *out*, or into the next free ``runs/NAME-NUMBER``."""

    def __init__(self, paths: Sequence[Path], out: Path | None):
        self._paths, self._out = paths, out
        self._made: Path | None = None

    @property
    def whole(self) -> Path | None:
        """The folder of the merged run as soon as it is there."""
        there = self._made is not None and (self._made / "run.json").is_file()
        return self._made if there else None

    def run(self) -> tuple[RunFolder, RunPlan]:
        """Write the merged run, unless these runs are merged in *out* already.

        Raises CannotMerge, PlanError for a folder that is no run or that another process uses, and
        ResultFileError for a damaged one.
        """
        again = self._out is not None and (self._out / MERGED_FILE).is_file()
        if self._out is not None and not again:
            checked_target(self._out, self._paths)
        with opened_parts(self._paths) as given:
            parts = in_fixed_order(given)
            if again:
                assert self._out is not None
                return _merged_before(self._out, parts)
            plan = merge_plans(parts)
            made = self._out or next_run_folder(Path("runs"), plan.benchmark)
            self._made = made
            try:
                return write_merged(made, parts, plan), plan.sealed()
            except BaseException:
                if self._out is None:
                    with suppress(OSError):
                        made.rmdir()
                raise


def _merged_before(out: Path, parts: Sequence[RunPart]) -> tuple[RunFolder, RunPlan]:
    """Return the run in *out*. Raises PlanError unless it is merged from *parts* as they are."""
    try:
        record = MergeRecord.model_validate_json((out / MERGED_FILE).read_bytes())
    except ValidationError:
        raise PlanError(f"{out / MERGED_FILE} is damaged; give --out another folder.") from None
    if sorted(record.parts, key=str) != sorted(map(_origin, parts), key=str):
        raise PlanError(
            f"--out {out}: it is merged from other runs, or these have changed since. Give --out "
            "another folder."
        )
    folder = RunFolder.open(out)
    return folder, folder.plan()


@contextmanager
def opened_parts(paths: Sequence[Path]) -> Iterator[list[RunPart]]:
    """Lock, read and check the runs in *paths*. Raises as `RunMerge.run` does."""
    allow_open_files(len(paths))
    known: set[Path] = set()
    with ExitStack() as stack:
        parts = []
        for path in paths:
            folder = RunFolder.open(path)
            if path.resolve() in known:
                raise CannotMerge(f"{path} is given twice; name each run once.")
            known.add(path.resolve())
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


def write_merged(out: Path, parts: Sequence[RunPart], plan: RunPlan) -> RunFolder:
    """Write the run of *plan*, merged from *parts*, to *out*: whole or not at all.

    Raises PlanError if the folder cannot be written.
    """
    sources = [part.path for part in parts]
    target = checked_target(out, sources)
    draft = create_draft(target, out)
    try:
        folder = RunFolder.create(draft, plan)
        with folder.locked():  # so that no other merge takes it for a dead one's
            _write(folder, parts, plan)
        place(draft, checked_target(out, sources))
    except OSError as error:
        raise PlanError(
            f"{error.filename or out} cannot be written: {error.strerror or error}. The runs are "
            "unchanged; give --out another folder, with enough room."
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
        for picture in sorted((source / pictures).rglob("*")):  # nothing if there is no such folder
            _copy(source, target, str(picture.relative_to(source)))
    for pattern in _BESIDE_RESULTS:
        _copy(source, target, pattern.format(result.episode))


def _copy(source: Path, target: Path, name: str) -> None:
    """Copy the file *name* of a run, if it has one."""
    if (source / name).is_file():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)


def _origin(part: RunPart) -> MergedPart:
    return MergedPart(
        folder=part.path.resolve().name,
        part=None if part.plan.part is None else str(part.plan.part),
        plan=part.plan.seal,
        results=_hash(part.folder.ledger.path),
        begun=_hash(part.path / BEGUN_FILE),
        episodes=tuple(result.episode for result in part.results),
        parts=_earlier_parts(part.path),
    )


def _earlier_parts(path: Path) -> tuple[MergedPart, ...]:
    """Return the sources of a run that is merged itself. Raises CannotMerge."""
    record = path / MERGED_FILE
    if not record.is_file():
        return ()
    try:
        return MergeRecord.model_validate_json(record.read_bytes()).parts
    except ValidationError:
        raise CannotMerge(f"{record} is damaged; restore it, or leave {path} out.") from None


def _hash(file: Path) -> str:
    return sha256(file.read_bytes() if file.exists() else b"").hexdigest()
