"""What people noted on steps of a run's episodes, as files of its folder: flags/ID.json.

Nothing else of the run refers to them, and nothing of what is verified changes with them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from trainee_bench.harness.records.frozen_model import FrozenModel
from trainee_bench.harness.records.own_files import LinkOut, own_file, refuse_link_out

MOST_CHARACTERS = 2_000
"""Characters of a note."""
MOST_TOOL_CHARACTERS = 200
"""Characters of a tool's name; agents may call what is none."""
MOST_FLAGS = 500
"""Flags of an episode."""
_MOST_BYTES = 6_000_000
"""Bytes of a file; as many flags as there may be fit in, in whatever script."""
_FOLDER = "flags"


class FlagsNotKept(ValueError):
    """Flags cannot be read or written; says why, and what to do."""


class StepFlag(FrozenModel):
    """A flag on a step, with a note that may be empty. ``tool`` and ``at`` are those of the step,
    so that a flag from an earlier try of the episode is told from one of this."""

    step: int = Field(ge=1)
    tool: str = Field(max_length=MOST_TOOL_CHARACTERS)
    at: datetime
    note: str = Field(default="", max_length=MOST_CHARACTERS)


_FLAGS = TypeAdapter(tuple[StepFlag, ...])


class StepFlags:
    """The flags in the folder *run* of a run."""

    def __init__(self, run: Path):
        self._run = run

    def read(self, episode: str) -> tuple[StepFlag, ...]:
        """The flags of an episode, by step. Raises FlagsNotKept for a file that is damaged, too
        large, or of another folder."""
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
        """Store *flag*, in place of the one on its step if there is one; all flags then. Raises
        FlagsNotKept."""
        others = [other for other in self.read(episode) if other.step != flag.step]
        if len(others) >= MOST_FLAGS:
            raise FlagsNotKept(f"An episode has at most {MOST_FLAGS} flags. Delete some first.")
        return self._write(episode, [*others, flag])

    def remove(self, episode: str, step: int) -> tuple[StepFlag, ...]:
        """Remove the flag on *step*, if there is one; the flags that are left. Raises
        FlagsNotKept."""
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
