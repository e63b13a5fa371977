"""The list of all channels: everything that the employee has sent and others can read.

Chat messages, group names, mails and invitations each have their readers. A file on the drive is
for the whole company. Notes at the desk are private. Things that were undone later (a cancelled
meeting, a deleted or replaced file) were still read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from trainee_bench.meta_tasks.meta_task import TaskInstance
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.apps.chat import Chat
from trainee_bench.world.apps.files import Files
from trainee_bench.world.apps.mail import Mail
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.understanding import Topic, topics_collide
from trainee_bench.world.filesystem.content import FileContent, FileKind
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.workbook.model import parse_workbook
from trainee_bench.world.workbook.values import calculate


@dataclass(frozen=True)
class SentText:
    """Texts that were sent together, and who can read them: ids, or addresses outside the company.
    ``mail`` is the number of the mail, if it has attachments. ``at`` is when they were sent; None
    for the name of a group."""

    readers: frozenset[str]
    texts: tuple[str, ...]
    mail: int | None = None
    at: datetime | None = None


def sent_texts(tx: Transaction) -> Iterator[SentText]:
    """Yield everything that the employee has sent to certain people."""
    me = tx.employee
    for text, readers, at in Chat(tx).sent_by(me):
        yield SentText(readers, (text,), at=at)
    for group in Chat(tx).groups_made_by(me):
        yield SentText(frozenset(group.members) - {me}, (group.name,))
    for message in Mail(tx).sent_by(me):
        readers = Mail(tx).readers_of(message)
        names = tuple(attachment.name for attachment in message.attachments)
        number = message.id if names else None
        yield SentText(readers - {me}, (message.subject, message.body, *names), number, message.at)
    for meeting in Calendar(tx).ever_booked_by(me):
        yield SentText(
            frozenset(meeting.attendees), (meeting.title, meeting.agenda), at=meeting.booked_at
        )


def attached_files(tx: Transaction, mail: int) -> Iterator[FileContent]:
    """Yield the files that a mail carries."""
    for file in Mail(tx).attachment_files(mail):
        yield FileContent(kind=file.kind, data=file.data)


def lines_of(content: FileContent) -> list[str]:
    """Return the lines that somebody reads in a file; for a workbook, its rows as calculated.
    Nobody reads text in a picture."""
    if content.kind is FileKind.PICTURE:
        return []
    if content.kind is not FileKind.WORKBOOK:
        # the files app does not take UTF-16 for text
        return content.data.decode("utf-8", "replace").replace("\0", "").splitlines()
    found = list[str]()
    for sheet in calculate(parse_workbook(content.data.decode())):
        rows = dict[int, list[str]]()
        for place, cell in sheet.cells.items():
            shown = (cell.text,) if cell.text == cell.formatted else (cell.text, cell.formatted)
            rows.setdefault(place.row, []).extend(shown)
        found += [sheet.name, *(" ".join(cells) for cells in rows.values())]
    return found


def came_by_itself(tx: Transaction) -> Iterator[FileContent]:
    """Yield the files that the employee was given or found on the drive, in their present form."""
    files = Files(tx)
    for info in (*files.files_within("drive:/"), *files.files_within("workspace:/")):
        if not info.changed_by:
            yield files.content(info.path)


_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[A-Z]\.)\s+(?=[^\W\d_a-z]|`)")
_MARKS = re.compile(r"^[-#*\d.\s]+|[*`]")
_PLACEHOLDER = re.compile(r"(?<!\{)\{+\w+\}+")
_BLOCK_END = re.compile(r"\n(?:[^\S\n]*\n)+|\n(?=[^\S\n]*(?:-|\d+\.)\s)")


def topic_sentences(page: str) -> tuple[str, ...]:
    """Return the headings of a Markdown page and the first sentence of each paragraph and list
    item, in order. Tables, indented formulas and template placeholders are left out."""
    found = []
    for block in _BLOCK_END.split(page):
        if not block.strip() or block.startswith(("|", "    ")):
            continue
        first = _SENTENCE.split(" ".join(block.split()))[0]
        said = _PLACEHOLDER.sub("", _MARKS.sub("", first)).strip()
        if said:
            found.append(said)
    return tuple(found)


def check_clue_collisions(scenes: Sequence[TaskInstance[Any]]) -> None:
    """Raise CompositionError if a question for one clue could be taken for another clue of the same
    holder."""
    held: dict[str, list[Clue]] = defaultdict(list)
    for instance in scenes:
        for clue in instance.hidden.clues:
            if clue.holder and clue.asks:
                held[clue.holder].append(clue)
    for holder, clues in held.items():
        for first, second in combinations(clues, 2):
            if topics_collide(_topic(first), _topic(second)):
                raise CompositionError(
                    f"{holder} holds {first.id} and {second.id}, and a question for one could be "
                    "taken for the other; use another seed, put them on different days, or let the "
                    "scenario have copies"
                )


def _topic(clue: Clue) -> Topic:
    return Topic(clue.id, clue.asks, clue.keys)
