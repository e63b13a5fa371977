"""The right result of an own office's task, as its page shows it to the author."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from trainee_bench.harness.documents.formatting import pluralize
from trainee_bench.meta_tasks.offices.hand_ins import SMALLEST
from trainee_bench.meta_tasks.offices.instance import TaskSource
from trainee_bench.meta_tasks.offices.office import Office
from trainee_bench.meta_tasks.offices.table_answer import TableAnswer
from trainee_bench.meta_tasks.offices.task_file import MailHandIn, MeetingHandIn
from trainee_bench.meta_tasks.offices.values import write_value

Requirement = tuple[str, tuple[str, ...]]
"""Something that a result must have, and what that is: ("Says", ("{ready}", …))."""
_MOST_ROWS = 200
"""The most right rows of a table that are given; a browser draws them without delay."""


class RightResult(BaseModel):
    """The result that is right at this seed: what it must have, and the rows of a table or the
    text of a mail."""

    kind: str
    must: tuple[Requirement, ...]
    titles: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    total: int = 0
    """The number of right rows; only the first are given."""
    text: str = ""


def right_result(office: Office, task: str, truth: object) -> RightResult:
    """Return the right result: of a table as code computed it, of all else as the file states."""
    source = office.tasks[task]
    hand_in = source.file.hand_in
    if hand_in.mail is not None:
        return RightResult(kind="mail", must=_mail(source, hand_in.mail), text=hand_in.mail.text)
    if hand_in.meeting is not None:
        return RightResult(kind="meeting", must=_meeting(source, hand_in.meeting))
    assert hand_in.table is not None, "a task has one kind of result"
    columns = hand_in.table.columns
    rows = truth.rows if isinstance(truth, TableAnswer) else ()
    return RightResult(
        kind="table",
        must=(("File", (hand_in.table.path,)),),
        titles=tuple(columns),
        rows=tuple(
            tuple(write_value(row[title]) for title in columns) for row in rows[:_MOST_ROWS]
        ),
        total=len(rows),
    )


def _mail(source: TaskSource, mail: MailHandIn) -> tuple[Requirement, ...]:
    answered = source.mails[source.file.files[mail.replies_to]] if mail.replies_to else None
    requirements: Sequence[Requirement] = (
        ("To", mail.to or ((answered.sender,) if answered else ())),
        ("Copy to", mail.cc),
        ("Subject", (mail.subject or f"Re: {answered.subject if answered else ''}",)),
        ("Says", tuple(phrase.replace("|", " or ") for phrase in mail.says)),
        ("Never says", mail.never),
        ("At most", (f"{mail.max_words} words",)),
    )
    return tuple(each for each in requirements if each[1])


def _meeting(source: TaskSource, meeting: MeetingHandIn) -> tuple[Requirement, ...]:
    def clock(given: str) -> tuple[str, ...]:
        stated = f"the fact {given}" if given in source.file.facts else given
        return (stated,) if given else ()

    requirements: Sequence[Requirement] = (
        ("With", meeting.with_),
        ("Length", (pluralize(meeting.minutes, "minute"),)),
        ("Not before", clock(meeting.not_before)),
        ("Not after", clock(meeting.not_after)),
        ("Room", ("the smallest that fits" if meeting.room == SMALLEST else meeting.room,)),
        ("Title", (meeting.title or "any",)),
    )
    return tuple(each for each in requirements if each[1])
