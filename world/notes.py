"""The employee's notes for later days, and how a night may change them.

Losing or changing notes shows whether an agent learns from them from day to day. The world itself
does this between two days. The log has the new texts in full, so a replay needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pydantic import BaseModel, ConfigDict

from trainee_bench.world.apps.files import Files
from trainee_bench.world.errors import Refused
from trainee_bench.world.filesystem.content import FileKind
from trainee_bench.world.filesystem.paths import parse_file_path, parse_folder_path
from trainee_bench.world.transaction import Result, Transaction
from trainee_bench.world.world import ActionResult, World

NOTES_FOLDER = "workspace:/notes"
"""The folder in which the employee is told to keep notes for later days."""
ALTER_NOTES = "world_alter_notes"
"""The name of this action in the log; no agent is offered it."""


class AlteredNotes(BaseModel):
    """The paths of the notes that got another text, and of the removed notes."""

    model_config = ConfigDict(frozen=True)

    written: tuple[str, ...]
    removed: tuple[str, ...]


def read_all_notes(tx: Transaction) -> dict[str, str | None]:
    """Return the text of every file in the notes folder, by path; None for a file that is not a
    text."""
    files = Files(tx)
    return {
        info.path: files.text(info.path) if info.kind is FileKind.TEXT else None
        for info in files.files_within(NOTES_FOLDER)
    }


def check_in_notes(texts: Mapping[str, str | None]) -> None:
    """Raise Refused unless all paths are in the notes folder."""
    folder = parse_folder_path(NOTES_FOLDER)
    for path in texts:
        if not folder.holds(parse_file_path(path)):
            raise Refused(f"{path} is not a note: notes are in {NOTES_FOLDER}.")


async def alter_notes(world: World, texts: Mapping[str, str | None]) -> ActionResult[AlteredNotes]:
    """Give the employee's notes, by path, another text, or remove them (None).

    *world* itself acts, and logs it. Raises Refused for a path outside the notes folder.
    """
    check_in_notes(texts)
    verb = partial(_alter, texts=texts)
    return await world.execute("", ALTER_NOTES, texts, verb, minutes=0, after_hours=True)


def _alter(tx: Transaction, texts: Mapping[str, str | None]) -> Result[AlteredNotes]:
    files = Files(tx)
    for path, text in texts.items():
        if files.exists(path):  # otherwise the employee's file would only be renamed
            files.delete(path)
        if text is not None:
            files.write_text(path, text)
    altered = AlteredNotes(
        written=tuple(path for path, text in texts.items() if text is not None),
        removed=tuple(path for path, text in texts.items() if text is None),
    )
    return Result(f"{len(texts)} notes were altered.", altered)
