"""Files beside a run's result lines: agents' memories and people's flags, and checks for links."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.results import EpisodeResult, ResultFileError


class Memories:
    """The agents' memories in the folder *run*, by the id of the episode before them."""

    def __init__(self, run: Path):
        self._run = run

    def exists(self, episode: str) -> bool:
        """Return whether a memory is stored for the time after *episode*."""
        return self._file(episode).exists()

    def read(self, episode: str) -> str | None:
        """Return what the agent remembered after *episode*, None if unknown."""
        return self._file(episode).read_text(encoding="utf-8") if self.exists(episode) else None

    def check(self, results: Iterable[EpisodeResult]) -> None:
        """Raise ResultFileError if a stored memory differs from what the agent of *results*
        remembered.

        A missing memory is no error: its day is repeated.
        """
        for result in results:
            stored = self.digest(result.episode)
            if result.memory_digest is None or stored is None:
                continue
            if stored != result.memory_digest:
                raise ResultFileError(
                    f"{self._file(result.episode)} is not what the agent remembered after "
                    f"{result.episode}: it was changed. Restore it, or remove it to work that day "
                    "and the days after it again."
                )

    def digest(self, episode: str) -> str | None:
        """Return a hash of the memory stored after *episode*, None if there is none."""
        if not self.exists(episode):
            return None
        return sha256(self._file(episode).read_bytes()).hexdigest()

    def write(self, episode: str, text: str) -> None:
        """Store what a learning agent remembers after *episode*, whole or not at all."""
        file = self._file(episode)
        draft = file.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8", errors="replace")
        draft.replace(file)

    def discard(self, episode: str) -> None:
        """Remove the memory stored after *episode*, if there is one."""
        self._file(episode).unlink(missing_ok=True)

    def name(self, episode: str) -> str:
        """Return the path of the memory stored after *episode* within the run's folder."""
        return f"memories/{episode}.md"

    def _file(self, episode: str) -> Path:
        return self._run / self.name(episode)


_TRY_AGAIN = "Then try again."


class LinkOut(PlanError):
    """Something that should lie in a run's folder leads out of it."""


def own_file(folder: Path, name: str) -> Path | None:
    """Return the file *name* of *folder*; None if there is none or it is a link out of the
    folder."""
    try:
        found = (folder / name).resolve()
        own = found.is_relative_to(folder.resolve()) and found.is_file()
    except (OSError, RuntimeError, ValueError):  # a link to itself, or an invalid name
        return None
    return found if own else None


def read_own_file(folder: Path, name: str) -> bytes:
    """Return the content of the file *name* of *folder*, to be given to others.

    Raises LinkOut for any link, since others would get its target, and OSError if the file cannot
    be read.
    """
    path = folder / name
    refuse_link_out(folder, path)
    if path.is_symlink():
        raise LinkOut(f"{path} is a link; replace it with its target. {_TRY_AGAIN}")
    # Open once, so that the checked file is the one that is read, and do not wait for a pipe's
    # writer.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:  # noqa: PTH123 - of a descriptor
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise LinkOut(f"{path} is not a file; begin a new run.")
        if found.st_nlink > 1:
            raise LinkOut(
                f"{path} has another name elsewhere (a hard link), so it may not belong to the "
                f"run; replace it with a copy. {_TRY_AGAIN}"
            )
        return file.read()


def refuse_links_out(folder: Path, *, below: bool = True) -> None:
    """Raise LinkOut if anything in *folder* is a link out of it, or neither a file nor a folder.

    With *below*, this includes everything below its own entries. A pipe, for example, would make
    its reader wait for ever. A link to nothing counts by where it would lead. Raises OSError for a
    folder that cannot be read.
    """
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    refuse_link_out(folder, Path(entry.path))
                elif entry.is_dir(follow_symlinks=False):
                    waiting += [Path(entry.path)] if below else []
                elif not entry.is_file(follow_symlinks=False):
                    raise LinkOut(
                        f"{entry.path} is neither a file nor a folder; remove it. {_TRY_AGAIN}"
                    )


def refuse_link_out(folder: Path, file: Path) -> None:
    """Raise LinkOut if *file*, or a folder that it is in, leads out of *folder*."""
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
    except RuntimeError:  # a link to itself
        inside = False
    if not inside:
        link = next((part for part in (file, *file.parents) if part.is_symlink()), None)
        if link is None:
            raise LinkOut(f"{file} is not in the run's folder; begin a new run.")
        raise LinkOut(
            f"{link} is a link out of the run's folder, to {link.readlink()}; nothing is written "
            "through it. Replace it with its target if that belongs to the run, otherwise remove "
            "the link. Then try again."
        )


MOST_CHARACTERS = 2_000
"""Maximal characters of a note."""
MOST_TOOL_CHARACTERS = 200
"""Maximal characters of a tool's name; agents may call tools that do not exist."""
MOST_FLAGS = 500
"""Maximal number of an episode's flags."""
_MOST_BYTES = 6_000_000
"""Maximal bytes of a file; the largest number of flags fits in, in any script."""
_FOLDER = "flags"


class FlagsNotKept(ValueError):
    """Flags cannot be read or written; the message says why, and what to do."""


class StepFlag(FrozenModel):
    """A flag on a step, with a note that may be empty.

    ``tool`` and ``at`` are those of the step: they distinguish the flag from one of an earlier try
    of the episode.
    """

    step: int = Field(ge=1)
    tool: str = Field(max_length=MOST_TOOL_CHARACTERS)
    at: datetime
    note: str = Field(default="", max_length=MOST_CHARACTERS)


_FLAGS = TypeAdapter(tuple[StepFlag, ...])


class StepFlags:
    """The flags in the folder *run*."""

    def __init__(self, run: Path):
        self._run = run

    def read(self, episode: str) -> tuple[StepFlag, ...]:
        """Return the flags of an episode, by step.

        Raises FlagsNotKept for a file that is damaged, too large, or in another folder.
        """
        file = self._file(episode)
        name = f"{_FOLDER}/{file.name}"
        own = own_file(self._run, name)
        if own is None:
            if os.path.lexists(file):
                raise FlagsNotKept(f"{name} is not a file of the run's folder. Remove it.")
            return ()
        try:
            if own.stat().st_size > _MOST_BYTES:
                raise FlagsNotKept(f"{name} is larger than flags can be. Remove it.")
            return _FLAGS.validate_json(own.read_bytes())
        except OSError as error:
            raise FlagsNotKept(f"{name} cannot be read: {error.strerror}.") from None
        except ValidationError:
            raise FlagsNotKept(f"{name} is damaged or of another version. Remove it.") from None

    def put(self, episode: str, flag: StepFlag) -> tuple[StepFlag, ...]:
        """Store *flag*, replacing an existing one on its step, and return all flags. Raises
        FlagsNotKept."""
        others = [stored for stored in self.read(episode) if stored.step != flag.step]
        if len(others) >= MOST_FLAGS:
            raise FlagsNotKept(f"An episode has at most {MOST_FLAGS} flags. Delete some first.")
        return self._write(episode, [*others, flag])

    def remove(self, episode: str, step: int) -> tuple[StepFlag, ...]:
        """Remove the flag on *step*, if there is one, and return the rest. Raises FlagsNotKept."""
        flags = self.read(episode)
        kept = [flag for flag in flags if flag.step != step]
        return flags if len(kept) == len(flags) else self._write(episode, kept)

    def _write(self, episode: str, flags: Sequence[StepFlag]) -> tuple[StepFlag, ...]:
        """Store *flags*, whole or not at all."""
        ordered = tuple(sorted(flags, key=lambda flag: flag.step))
        file = self._file(episode)
        draft = file.with_suffix(f".{os.getpid()}.draft")
        try:
            refuse_link_out(self._run, draft)
            refuse_link_out(self._run, file)
            file.parent.mkdir(exist_ok=True)
            stored = json.dumps(_FLAGS.dump_python(ordered, mode="json"), indent=1)
            draft.write_text(stored + "\n", encoding="utf-8")
            draft.replace(file)
            if not ordered:
                file.unlink()
        except LinkOut as error:
            raise FlagsNotKept(str(error)) from None
        except OSError as error:
            raise FlagsNotKept(
                f"Flags cannot be written in {self._run}: {error.strerror}. Copy the folder of the "
                "run to where it can be written, and open it there."
            ) from None
        return ordered

    def _file(self, episode: str) -> Path:
        return self._run / _FOLDER / f"{episode}.json"
