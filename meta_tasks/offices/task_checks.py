"""Whether the tasks of an office name only what is there: people, files, pools, values of rules."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trainee_bench.meta_tasks.offices.file_contents import is_text
from trainee_bench.meta_tasks.offices.instance import TaskSource, seen_text
from trainee_bench.meta_tasks.offices.mail_files import OfficeMail
from trainee_bench.meta_tasks.offices.named_values import computed_names
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER, names_in
from trainee_bench.meta_tasks.offices.source import OfficeError, flaw_at
from trainee_bench.meta_tasks.offices.task_file import TaskFile
from trainee_bench.meta_tasks.offices.values import Value
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Company


def check_tasks(
    folder: Path,
    company: Company,
    drive: Mapping[str, bytes],
    policy: Mapping[str, Value],
    tasks: Mapping[str, TaskSource],
) -> None:
    """Raise OfficeError, with the line, where a task names what is not there."""
    names = {person.name for person in company.people}
    stated: dict[str, tuple[str, Value]] = {}
    for task, source in tasks.items():
        path = folder / "tasks" / task / "task.yaml"
        for person, place in _people(source.file):
            if person not in names:
                flaw = f"{person!r} is not in people.csv; write the full name"
                raise flaw_at(path, flaw, *place)
        _check_files(path, source, drive)
        _check_pools(path, source)
        _check_checked_rows(path.parent, source)
        _check_policy(path, source, drive, {**policy, **source.file.policy})
        _check_names(path, source.file, policy)
        _check_rows(path, source.file, policy)
        for name, value in source.file.policy.items():
            known = stated.setdefault(name, (task, value))
            if known[1] != value or policy.get(name, value) != value:
                flaw = f"policy.{name} has another value in {known[0]} or in office.yaml"
                raise flaw_at(path, f"{flaw}; pages can state only one", "policy", name)


def _people(file: TaskFile) -> Iterator[tuple[str, tuple[int | str, ...]]]:
    """Yield the people whom a task names, each with the place in its file."""
    yield file.requester, ("from",)
    for name, fact in file.facts.items():
        yield fact.who, ("facts", name, "who")
    if file.hand_in.meeting is not None:
        for number, person in enumerate(file.hand_in.meeting.with_):
            if not PLACEHOLDER.fullmatch(person):
                yield person, ("hand_in", "meeting", "with", number)


def _check_files(path: Path, source: TaskSource, drive: Mapping[str, bytes]) -> None:
    file = source.file
    for name, place in file.files.items():
        if place.endswith(".eml") and not place.startswith("drive:/"):
            if place not in source.mails:
                flaw = f"files.{name}: there is no {place} in the task's folder; put it there"
                raise flaw_at(path, flaw, "files", name)
        elif place not in drive and name not in file.vary:
            near = ", ".join(sorted(drive)[:8])
            flaw = f"files.{name}: the drive has no {place}; it has {near}"
            raise flaw_at(path, flaw, "files", name)
        elif place in drive and is_text(place):
            _check_table(path, f"files.{name}: {place}", place, drive[place].decode("utf-8-sig"))
    mail = file.hand_in.mail
    answered = mail.replies_to if mail is not None else None
    if answered is not None and not file.files.get(answered, "").endswith(".eml"):
        flaw = f"hand_in.mail.replies_to: {answered} is no mail of this task"
        raise flaw_at(path, f"{flaw}; name an .eml file of files", "hand_in", "mail", "replies_to")


def _check_pools(path: Path, source: TaskSource) -> None:
    for name, draw in source.file.vary.items():
        if not draw.of:
            continue
        pool = path.parent / draw.of
        _check_table(pool, "the pool", draw.of, source.pools.get(draw.of, ""))
        lines = list(csv.reader(io.StringIO(source.pools.get(draw.of, ""))))
        rows, wanted = len(lines) - 1, draw.sample or 0
        if rows < wanted:
            flaw = f"vary.{name}: {draw.of} has {max(rows, 0)} rows, but sample is {wanted}"
            raise flaw_at(path, f"{flaw}; add rows, or sample fewer", "vary", name)


def _check_checked_rows(folder: Path, source: TaskSource) -> None:
    """Raise OfficeError if the rows that a person worked out are no rows of the table."""
    name = source.file.checked
    if not name or source.file.hand_in.table is None:
        return
    path, columns = folder / name, list(source.file.table.columns)
    lines = csv.reader(io.StringIO(source.pools.get(name, "")))
    try:
        header = next(lines, [])
        if not header or header[0] != columns[0] or not set(header) <= set(columns):
            flaw = f"its columns are {', '.join(header) or 'missing'}; the table has "
            raise OfficeError(path, flaw + ", ".join(columns), 1)
        for cells in lines:
            if cells and len(cells) != len(header):
                flaw = f"it has {len(cells)} cells, but the header has {len(header)}"
                raise OfficeError(path, f"{flaw}; put texts with a comma in quotes", lines.line_num)
    except csv.Error as error:
        flaw = f"it is not CSV: {error}; save it anew as CSV"
        raise OfficeError(path, flaw, lines.line_num) from None


def _check_table(path: Path, what: str, name: str, text: str) -> None:
    """Raise OfficeError if a text is called .csv, but is no table that `answer` could get."""
    try:
        seen_text(name, text)
    except csv.Error as error:
        raise OfficeError(path, f"{what} is not CSV: {error}; save it anew as CSV") from None


def _check_policy(
    path: Path, source: TaskSource, drive: Mapping[str, bytes], values: Mapping[str, Value]
) -> None:
    """Raise OfficeError for a value of the task that no page or mail states."""
    places = source.file.files.values()
    mails = [source.mails[place].body for place in places if place in source.mails]
    pages = [
        drive[place].decode("utf-8-sig")
        for place in source.file.files.values()
        if place in drive and is_text(place)
    ]
    for name in source.file.policy:
        if not any(name in names_in(text, values) for text in (source.file.ask, *mails, *pages)):
            flaw = f"policy.{name}: no page that the task names contains {{{name}}}"
            raise flaw_at(path, f"{flaw}; write it there, or delete the value", "policy", name)


def _check_names(path: Path, file: TaskFile, policy: Mapping[str, Value]) -> None:
    """Raise OfficeError if a mail or a meeting names a value that nothing gives."""
    missing = sorted(computed_names(file, policy))
    if missing and not file.answer:
        flaw = f"hand_in: {{{missing[0]}}} is no fact and no policy; if it is computed, add "
        raise flaw_at(path, f"{flaw}answer: answer.py", "hand_in")
    if file.answer and file.hand_in.table is None and not missing:
        flaw = "answer: hand_in names no value that the code could compute; write one in braces "
        raise flaw_at(path, f"{flaw}into says, to, cc or with", "answer")


def _check_rows(path: Path, file: TaskFile, policy: Mapping[str, Value]) -> None:
    """Raise OfficeError if a stated row names a value that nothing gives."""
    known = {*file.facts, *file.policy, *policy}
    for number, row in enumerate(file.rows):
        for title, cell in row.items():
            for name in PLACEHOLDER.findall(cell) if isinstance(cell, str) else ():
                if name not in known:
                    flaw = f"rows: {{{name}}} is no fact and no policy; add it, or mend the name"
                    raise flaw_at(path, flaw, "rows", number, title)


def check_filled(
    folder: Path,
    values: Mapping[str, Value],
    mails: Sequence[OfficeMail],
    known: Sequence[ReferralPublished],
    tasks: Mapping[str, TaskSource],
) -> None:
    """Raise OfficeError for a name of a value where none is filled in: subjects and questions."""
    placed = [(folder / "mail" / mail.name, mail) for mail in mails]
    for task, source in tasks.items():
        placed += [(folder / "tasks" / task / name, mail) for name, mail in source.mails.items()]
    for path, mail in placed:
        for name in names_in(mail.subject, values):
            flaw = f"{{{name}}} in the subject is not filled in; name the value in the text"
            raise OfficeError(path, flaw)
    for topic in known:
        for name in names_in(" ".join(topic.asks), values):
            flaw = f"{{{name}}} in ask is not filled in; name the value in says"
            raise OfficeError(folder / "known.yaml", flaw)
