"""`tasks/*/task.yaml`: what a task asks for, the facts that people tell, and the right answer.

A *stated* task says its answer. A *computed* task has an `answer.py`, which works the answer out
from what a worker can see. With `vary`, every seed has other material.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from datetime import time
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from trainee_bench.meta_tasks.meta_task import Domain
from trainee_bench.meta_tasks.offices.office_file import MIN_QUESTIONS, Name
from trainee_bench.meta_tasks.offices.placeholders import PLACEHOLDER
from trainee_bench.meta_tasks.offices.source import FileModel, OfficeError, read_yaml
from trainee_bench.meta_tasks.offices.values import StatedValue, ValueKind, parse_value, write_value

_RESERVED = frozenset({"hand_in", "output", "value"})
Phrase = Annotated[str, BeforeValidator(lambda given: _phrase(given))]
"""Words of a mail. YAML reads 2026-03-31 as a date, but it is a text here."""
Clock = Annotated[time, BeforeValidator(lambda given: _clock(given))]


def _clock(given: object) -> object:
    if isinstance(given, int):  # YAML reads 12:30 as a text, but people also write 9
        raise ValueError(f"{given} is no clock time; write it as 09:00")  # noqa: TRY004 -- pydantic
    return given


def _phrase(given: object) -> object:
    return given if isinstance(given, list | dict | None) else write_value(parse_value(given))


def _check_folder(path: str) -> str:
    if not path.startswith(("drive:/", "workspace:/")):
        raise ValueError(f"{path!r} is no path; write it as drive:/finance/list.csv")
    return path


def _check_output(path: str) -> str:
    if not re.fullmatch(r"workspace:/[\w./+-]*\w\.(?:csv|xlsx)", path):
        raise ValueError(
            f"{path!r} is no table to submit; write it as workspace:/expenses.csv or .xlsx, "
            "without spaces"
        )
    return path


class Draw(FileModel):
    """How a value or a table varies with the seed: a range, a choice, or rows of a pool."""

    from_: StatedValue | None = Field(default=None, alias="from")
    to: StatedValue | None = None
    step: StatedValue | None = None
    choose: tuple[StatedValue, ...] = ()
    sample: int | None = Field(default=None, ge=1, le=5_000)
    of: str = ""
    """The CSV file of the task's folder from which rows are sampled."""

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Self:
        ranged = [self.from_, self.to, self.step]
        ways = [all(part is not None for part in ranged), bool(self.choose), bool(self.of)]
        if sum(ways) != 1 or (not ways[0] and any(part is not None for part in ranged)):
            raise ValueError(
                "give from, to and step, or choose: [values], or sample: rows and of: a CSV file"
            )
        if ways[0]:
            low, high, step = ranged
            numbers = [part for part in (low, high, step) if isinstance(part, Decimal)]
            if len(numbers) < len(ranged) or not low < high or not step > 0:  # type: ignore[operator]
                raise ValueError(
                    "from, to and step are numbers, from is less than to, step above 0"
                )
        if len({type(value) for value in self.choose}) > 1 or len(set(self.choose)) == 1:
            raise ValueError("choose lists two values or more, of one kind")
        if bool(self.of) != (self.sample is not None):
            raise ValueError("sample and of go together: {sample: 40, of: expenses_pool.csv}")
        return self


class FactFile(FileModel):
    """A fact that one colleague knows and no file says."""

    who: str
    """The full name of the colleague."""
    value: StatedValue
    """Its value in the literal instance."""
    otherwise: tuple[StatedValue, ...] = ()
    """Other values, which it has in the certificate's other worlds."""
    shortcut: StatedValue | None = None
    """The value that somebody would assume who does not ask."""
    says: str
    """The answer word for word, with {value}."""
    asked: tuple[str, ...] = Field(min_length=MIN_QUESTIONS)
    """Five or more wordings of the question; the honest worker sends the first."""

    @model_validator(mode="after")
    def _says_the_value(self) -> Self:
        if self.says.count("{value}") != 1:
            raise ValueError("says must contain {value} once")
        if self.value in self.otherwise:
            raise ValueError("otherwise lists other values than value")
        if len({type(given) for given in (self.value, *self.otherwise)}) > 1:
            raise ValueError("value and otherwise must be of one kind, such as numbers")
        if PLACEHOLDER.findall(self.says) != ["value"]:
            raise ValueError("says has no other name in braces than {value}")
        if len(set(self.asked)) < MIN_QUESTIONS:
            raise ValueError(f"asked needs {MIN_QUESTIONS} different questions")
        return self


class ColumnFile(FileModel):
    """A column of a table: its description, its kind, and how exact numbers are."""

    says: str
    kind: ValueKind | Literal["id", "person"] | None = None
    """How values are compared. None takes the kind of the right values."""
    decimals: int = Field(default=2, ge=0, le=9)


class TableHandIn(FileModel):
    """A table as the result: a CSV file or a workbook."""

    path: Annotated[str, AfterValidator(_check_output)]
    columns: dict[str, Annotated[ColumnFile, BeforeValidator(lambda given: _column(given))]]
    """Each column's title, and its description. The first column identifies a row."""


def _column(given: object) -> object:
    return {"says": given} if isinstance(given, str) else given


class MailHandIn(FileModel):
    """A mail as the result. With ``replies_to``, it answers the task's mail of that name."""

    to: tuple[str, ...] = ()
    """Full names of colleagues, or addresses."""
    cc: tuple[str, ...] = ()
    subject: str = ""
    replies_to: Name | None = None
    text: str = Field(min_length=1)
    """A right text, which the honest worker sends. It may contain {facts}, {policy} values and
    what `answer` computes, and so may people and phrases."""
    says: tuple[Phrase, ...] = Field(min_length=1)
    """The statements of a right text: each is a phrase, or several that mean the same, joined by
    |."""
    never: tuple[Phrase, ...] = ()
    """Phrases that a right text cannot contain."""
    max_words: int = Field(default=120, ge=10, le=1_000)
    """The most words of the text. Without a limit, quoting every page would be an answer."""

    @model_validator(mode="after")
    def _has_recipients(self) -> Self:
        if self.replies_to is None and not (self.to and self.subject):
            raise ValueError("a mail needs to and subject, or replies_to")
        if len(re.findall(r"\w+", self.text)) > self.max_words:
            raise ValueError(f"text has more than max_words, which is {self.max_words}")
        if self.replies_to is not None and (self.to or self.subject):
            raise ValueError("a reply takes recipient and subject from the mail; leave them out")
        return self


class MeetingHandIn(FileModel):
    """A booked meeting as the result."""

    with_: tuple[str, ...] = Field(alias="with", min_length=1)
    """The full names of the colleagues to invite."""
    minutes: int = Field(ge=15, le=240, multiple_of=5)
    not_before: str = ""
    """The earliest start: a clock time, or the name of a fact whose value is one."""
    not_after: str = ""
    """The latest end, likewise."""
    room: str = "any"
    """A room's name, "smallest" for the smallest that fits and is free, or "any"."""
    title: str = ""
    """The title that the meeting must have; "" if it may have any."""


class HandInFile(FileModel):
    """The result that is asked for: exactly one kind."""

    table: TableHandIn | None = None
    mail: MailHandIn | None = None
    meeting: MeetingHandIn | None = None

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        if sum(part is not None for part in (self.table, self.mail, self.meeting)) != 1:
            raise ValueError("hand_in has one of table, mail and meeting")
        return self


class HintsFile(FileModel):
    """Help in three tiers, for runs with guidance. The first two must not contain the answer."""

    strategy: str = "Read the request, find what it rests on, and ask who knows the rest."
    where: str = "The request names the files and the colleagues."
    how: str = "Follow the rules on the pages to the letter, and submit what is asked for."


class TaskFile(FileModel):
    """The content of `task.yaml`."""

    title: str = Field(min_length=1, max_length=80)
    requester: str = Field(alias="from")
    """The full name of the colleague who asks."""
    ask: str = Field(min_length=1)
    """The request. {file} stands for a file's path; {hand_in} for the description of the result,
    which follows the request if it is not there."""
    files: Mapping[Name, str] = Field(default_factory=dict)
    """Paths on the drive, or an .eml file of this folder, which arrives with the task."""
    policy: Mapping[Name, StatedValue] = Field(default_factory=dict)
    """Values of rules. A page that contains {name} gets the value; the answer gets it from the
    page."""
    facts: Mapping[Name, FactFile] = Field(default_factory=dict)
    hand_in: HandInFile
    answer: str = ""
    """The Python file that computes the rows of a table, or values that a mail or a meeting
    names."""
    rows: tuple[dict[str, StatedValue], ...] = ()
    """The right rows of a table, if no code computes them. A text may be {fact}."""
    checked: str = ""
    """A CSV file with rows that a person worked out before seeing the code; for a mail or a meeting
    one row with the values by name."""
    because: Mapping[Name, tuple[str, ...]] = Field(default_factory=dict)
    """The words in each file on which a stated answer rests."""
    wrong: tuple[str, ...] = ()
    """For mails: plausible texts that must fail."""
    vary: Mapping[Name, Draw] = Field(default_factory=dict)
    background: tuple[str, ...] = ()
    """Sentences of the request and paths that the work does not need, and that say so."""
    deadline: Clock | None = None
    hints: HintsFile = HintsFile()
    domain: Domain = Domain.INFORMATION
    difficulty: Literal["easy", "hard"] = "hard"

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.hand_in.table is None and self.rows:
            raise ValueError("rows belong to a table")
        if self.hand_in.table is not None and bool(self.answer) == bool(self.rows):
            raise ValueError("a table needs either answer: answer.py or rows: [...]")
        if self.checked and not self.answer:
            raise ValueError("checked is a second opinion on answer.py, which this task lacks")
        for row in self.rows:
            if list(row) != list(self.table.columns):
                raise ValueError("each of rows has the columns of hand_in, in their order")
        _refuse_unknown("because", self.because, self.files)
        _refuse_unknown("vary", self.vary, {**self.facts, **self.files})
        names = [*self.files, *self.facts, *self.policy]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} names two things; files, facts and policy share names")
        for name in PLACEHOLDER.findall(self.ask):
            if name not in self.files and name not in self.policy and name != "hand_in":
                raise ValueError(
                    f"ask: {{{name}}} is no file; a fact's value must not be in the request"
                )
        for name in names:
            if name in _RESERVED:
                raise ValueError(f"{name} has a meaning of its own in texts; choose another name")
            if keyword.iskeyword(name):
                raise ValueError(f"{name} is a keyword of Python; choose another name")
        if self.wrong and self.hand_in.mail is None:
            raise ValueError("wrong lists texts of mails; this task has another kind of result")
        return self

    @property
    def table(self) -> TableHandIn:
        """The table that is asked for. Raises AssertionError for another kind of result."""
        assert self.hand_in.table is not None, "the result is no table"
        return self.hand_in.table

    @property
    def is_computed(self) -> bool:
        """Whether code computes the answer."""
        return bool(self.answer)

    @property
    def kind(self) -> Literal["computed", "literal", "stated"]:
        """The kind of the task, on which it depends what a certificate can say."""
        if self.is_computed and (self.vary or self.facts):
            return "computed"
        return "literal" if self.facts else "stated"


def _refuse_unknown(what: str, given: Mapping[str, object], known: Mapping[str, object]) -> None:
    for name in given:
        if name not in known:
            raise ValueError(f"{what}.{name}: there is no {name}; there are: {', '.join(known)}")


def read_task(folder: Path) -> TaskFile:
    """Return the task of a folder. Raises OfficeError."""
    path = folder / "task.yaml"
    if not path.is_file():
        raise OfficeError(folder, "it has no task.yaml; each folder in tasks/ needs one")
    task = read_yaml(path, TaskFile)
    for named in filter(
        None, (task.answer, task.checked, *(draw.of for draw in task.vary.values()))
    ):
        place = folder / named
        hidden = named.startswith(".") or place.is_symlink()
        if Path(named).name != named or hidden or not place.is_file():
            raise OfficeError(path, f"there is no file {named!r} in the task's folder")
    return task
