"""An own office: everything that its folder has, its digest, and its first state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path

from trainee_bench.meta_tasks.answers import text_key
from trainee_bench.meta_tasks.families import discover_families
from trainee_bench.meta_tasks.meta_task import Rule
from trainee_bench.meta_tasks.offices.calendar_file import read_calendar
from trainee_bench.meta_tasks.offices.file_contents import (
    MAX_FILE_BYTES,
    appearance,
    file_content,
    is_text,
)
from trainee_bench.meta_tasks.offices.instance import TaskSource
from trainee_bench.meta_tasks.offices.mail_files import OfficeMail, read_mail
from trainee_bench.meta_tasks.offices.office_file import KnownFile, OfficeFile, check_name
from trainee_bench.meta_tasks.offices.office_task import FolderTask, TaskSetting
from trainee_bench.meta_tasks.offices.people_files import read_people, read_rooms
from trainee_bench.meta_tasks.offices.placeholders import fill
from trainee_bench.meta_tasks.offices.source import (
    OfficeError,
    flaw_at,
    read_bytes,
    read_text,
    read_yaml,
)
from trainee_bench.meta_tasks.offices.task_checks import check_filled, check_tasks
from trainee_bench.meta_tasks.offices.task_classes import task_class
from trainee_bench.meta_tasks.offices.task_file import TaskFile, read_task
from trainee_bench.meta_tasks.offices.values import Value
from trainee_bench.world.apps.calendar import MeetingBooked
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Company
from trainee_bench.world.errors import WorldError
from trainee_bench.world.filesystem.paths import parse_file_path
from trainee_bench.world.meetings.rooms import ROOMS
from trainee_bench.world.transaction import Event

MAX_FILES, MAX_BYTES = 20_000, 500_000_000
DIGEST_LENGTH = 16
"""The number of hexadecimal digits of a digest that scenarios and results name."""
_IGNORED = ("__pycache__",)
_FOLDERS = ("drive", "mail", "tasks")
_PACKAGE_FILE = "__init__.py"
"""A file in the folder of an office that a Python package offers; it is no part of the office."""


@dataclass(frozen=True)
class Office:
    """An own office. ``drive`` has the files by path as the folder has them, with names of rules'
    values in braces; ``folder`` is where it was read from."""

    file: OfficeFile
    company: Company
    rooms: Mapping[str, int]
    drive: Mapping[str, bytes]
    mails: tuple[OfficeMail, ...]
    meetings: tuple[MeetingBooked, ...]
    known: tuple[ReferralPublished, ...]
    tasks: Mapping[str, TaskSource]
    folder: Path
    digest: str
    policy: Mapping[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name that scenarios and rules use."""
        return self.file.name

    @property
    def reference(self) -> str:
        """The name with the digest, as a resolved scenario has it."""
        return f"{self.name}@{self.digest[:DIGEST_LENGTH]}"

    @cached_property
    def task_classes(self) -> Mapping[str, type[FolderTask]]:
        """The family of each task, by the task's name."""
        copies = self.file.tools.mail_reply == "copies"
        setting = TaskSetting(self.company, self.policy, self.drive, copies)
        return {name: task_class(source, setting) for name, source in self.tasks.items()}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """The rule of each task, by id, such as nordlicht.travel_expenses."""
        found = (rule for family in self.task_classes.values() for rule in family.rules())
        return {rule.id: rule for rule in found}

    @property
    def tool_variants(self) -> Mapping[str, str]:
        """The variant in which tools are offered, by tool: as office.yaml says, and with rooms of
        its own the booking that does not name the built-in rooms."""
        chosen = {"calendar_book": "own_rooms"} if self.rooms != ROOMS else {}
        if self.file.tools.mail_reply != "usual":
            chosen["mail_reply"] = self.file.tools.mail_reply
        return chosen

    @property
    def has_code(self) -> bool:
        """Whether tasks bring code that runs on this machine."""
        return any(source.code for source in self.tasks.values())

    def first_day(self, *, week: bool) -> date:
        """Return the first simulated day; for a *week*, the Monday of its week."""
        day = self.file.day
        return day - timedelta(days=day.weekday()) if week else day

    def first_events(self, starts: datetime) -> Iterator[Event]:
        """Yield the events that set up a world which begins at *starts*."""
        values = self.all_policy
        for path, data in self.drive.items():
            yield self._appearance(path, data, values)
        for mail in self.mails:
            if mail.at is not None and mail.at < starts:
                yield mail.filled(values).earlier(starts)
        for topic in self.known:
            yield topic.model_copy(update={"text": fill(topic.text, values)})

    def later_events(self, starts: datetime, ends: datetime) -> Iterator[tuple[datetime, Event]]:
        """Yield what happens by itself from *starts* to *ends*, with its time: meetings that are
        held then are in calendars from the beginning, and mails arrive at their dates."""
        for meeting in self.meetings:
            if starts.date() <= meeting.starts.date() <= ends.date():
                yield starts, meeting
        for mail in self.mails:
            if mail.at is not None and starts <= mail.at < ends:
                yield mail.at, mail.filled(self.all_policy).arrival()

    @property
    def all_policy(self) -> Mapping[str, Value]:
        """The values of rules of the office and of all its tasks, by name."""
        values = dict(self.policy)
        for source in self.tasks.values():
            values |= source.file.policy
        return values

    def _appearance(self, path: str, data: bytes, values: Mapping[str, Value]) -> Event:
        if not is_text(path):
            return appearance(path, data)
        return appearance(path, fill(data.decode("utf-8-sig"), values).encode())

    def with_policy(self, name: str, value: Value) -> Office:
        """Return the same office with another value of a rule, in pages and answers alike."""
        tasks = {
            key: replace(source, file=_with_policy(source.file, name, value))
            for key, source in self.tasks.items()
        }
        policy = {**self.policy, name: value} if name in self.policy else self.policy
        digest = hashlib.sha256(f"{self.digest} {name}={value}".encode()).hexdigest()
        return replace(self, tasks=tasks, policy=policy, digest=digest)


def _with_policy(file: TaskFile, name: str, value: Value) -> TaskFile:
    if name not in file.policy:
        return file
    return file.model_copy(update={"policy": {**file.policy, name: value}})


# reading --------------------------------------------------------------------------------------


def read_office(folder: Path) -> Office:
    """Return the office of a folder. Raises OfficeError for the first flaw that it has."""
    if not (folder / "office.yaml").is_file():
        raise OfficeError(
            folder, "it has no office.yaml; `trainee-bench office new` makes a folder with one"
        )
    file = read_yaml(folder / "office.yaml", OfficeFile)
    if file.name in discover_families():
        flaw = f"name: {file.name} is a built-in family; choose another name"
        raise flaw_at(folder / "office.yaml", flaw, "name")
    contents = office_files(folder)
    for name in _FOLDERS:
        if (folder / name).exists() and not (folder / name).is_dir():
            raise OfficeError(folder / name, "it is no folder; put its files into a folder")
    company = read_people(folder / "people.csv", file)
    rooms = read_rooms(folder / "rooms.csv") if (folder / "rooms.csv").exists() else ROOMS
    drive = _drive(folder, contents)
    calendar = folder / "calendar.ics"
    office = Office(
        file=file,
        company=company,
        rooms=rooms,
        drive=drive,
        mails=_mails(folder, company),
        meetings=read_calendar(calendar, company, rooms) if calendar.exists() else (),
        known=_known(folder / "known.yaml", company),
        tasks=_tasks(folder, file, company),
        folder=folder,
        digest=files_digest(contents),
        policy=dict(file.policy),
    )
    check_tasks(folder, company, drive, file.policy, office.tasks)
    check_filled(folder, office.all_policy, office.mails, office.known, office.tasks)
    return office


def office_files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all files of an office, by their paths in its folder. Hidden files are no
    part of it, nor is what makes the folder a Python package.

    Raises OfficeError for links and for too much.
    """
    found: dict[str, bytes] = {}
    total = 0
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if not inner.as_posix().isprintable():
            shown = ascii(inner.as_posix())
            raise OfficeError(folder, f"the name {shown} cannot be shown; rename it")
        if path.is_symlink():
            raise OfficeError(path, "links and special files are not read; put a copy there")
        if any(part.startswith(".") or part in _IGNORED for part in inner.parts) or path.is_dir():
            continue
        if inner.as_posix() == _PACKAGE_FILE:
            continue
        if not path.is_file():
            raise OfficeError(path, "links and special files are not read; put a copy there")
        size = path.stat().st_size
        total += size
        if size > 2 * MAX_FILE_BYTES or total > MAX_BYTES or len(found) >= MAX_FILES:
            raise OfficeError(path, f"an office has at most {MAX_FILES:,} files and 500 MB")
        found[inner.as_posix()] = read_bytes(path, 2 * MAX_FILE_BYTES)
    return found


def _drive(folder: Path, contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of the drive by path. Raises OfficeError for one that agents could not
    read."""
    drive: dict[str, bytes] = {}
    for inner, data in contents.items():
        if not inner.startswith("drive/"):
            continue
        try:
            path = str(parse_file_path(f"drive:/{inner.removeprefix('drive/')}"))
        except WorldError as error:
            raise OfficeError(folder / inner, f"{error} Rename it.") from None
        if path in drive:
            raise OfficeError(folder / inner, "two files have this name; rename one")
        drive[path] = file_content(folder / inner, Path(inner).name, data).data
    return drive


def files_digest(contents: Mapping[str, bytes]) -> str:
    """Return the digest of an office with these files."""
    hashed = hashlib.sha256()
    for path, data in contents.items():
        hashed.update(f"{len(path)} {path} {len(data)} ".encode() + data)
    return hashed.hexdigest()


def _mails(folder: Path, company: Company) -> tuple[OfficeMail, ...]:
    mails = [read_mail(path, company) for path in _visible(folder / "mail", "*.eml")]
    seen: dict[str, str] = {}
    for mail in mails:
        where = folder / "mail" / mail.name
        if mail.at is None:
            raise OfficeError(where, "it has no Date")
        if mail.message_id in seen:
            raise OfficeError(where, f"{seen[mail.message_id]} has the same Message-ID")
        seen[mail.message_id] = mail.name
    return tuple(sorted(mails, key=lambda mail: (str(mail.at), mail.name)))


def _known(path: Path, company: Company) -> tuple[ReferralPublished, ...]:
    if not path.exists():
        return ()
    people = {person.name: person.id for person in company.people}
    topics = read_yaml(path, KnownFile).root
    asked: dict[str, int] = {}
    for number, topic in enumerate(topics):
        if topic.person and topic.person not in people:
            flaw = f"person: {topic.person!r} is not in people.csv; write the full name"
            raise flaw_at(path, flaw, number, "person")
        for place, question in enumerate(topic.ask):
            if asked.setdefault(text_key(question), number) != number:
                flaw = f"another topic has the question {question!r}; ask for each in other words"
                raise flaw_at(path, flaw, number, "ask", place)
    return tuple(
        ReferralPublished(
            topic=topic.ask[0].rstrip("?"),
            asks=topic.ask,
            text=topic.says,
            person=people.get(topic.person, ""),
        )
        for topic in topics
    )


def _tasks(folder: Path, office: OfficeFile, company: Company) -> dict[str, TaskSource]:
    found: dict[str, TaskSource] = {}
    for inner in sorted(path for path in (folder / "tasks").glob("*") if path.is_dir()):
        if inner.name.startswith(".") or inner.name in _IGNORED:
            continue
        try:
            name = check_name(inner.name)
        except ValueError as error:
            raise OfficeError(inner, str(error)) from None
        file = read_task(inner)
        mails = {path.name: read_mail(path, company) for path in _visible(inner, "*.eml")}
        found[name] = TaskSource(
            office=office.name,
            name=name,
            file=file,
            code=read_text(inner / file.answer) if file.answer else "",
            pools={path.name: read_text(path) for path in _visible(inner, "*.csv")},
            mails=mails,
        )
    return found


def _visible(folder: Path, glob: str) -> list[Path]:
    """Return the files of a folder that match, without hidden ones, which the digest leaves out."""
    return sorted(path for path in folder.glob(glob) if not path.name.startswith("."))
