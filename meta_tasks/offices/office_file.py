"""The files office.yaml, the company and its first day, and known.yaml, what everybody tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, time
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, RootModel, field_validator

from trainee_bench.meta_tasks.offices.source import FileModel
from trainee_bench.meta_tasks.offices.values import StatedValue
from trainee_bench.world.company.people import WorkingHours

NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
"""The name of an office, a task, or a part of a task."""
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}")
MIN_QUESTIONS = 5
"""The least number of wordings of a question that a colleague understands reliably."""


def check_name(name: str) -> str:
    """Return *name* if it can name an office, a task, a fact or a file in texts. Raises
    ValueError."""
    if not NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is no name here: use small letters, digits and underscores, such as "
            "travel_expenses"
        )
    return name


Name = Annotated[str, BeforeValidator(lambda given: check_name(str(given)))]


def _clock(text: str) -> time:
    if not _CLOCK.fullmatch(text):
        raise ValueError(text)
    return time.fromisoformat(text)


def parse_hours(text: str) -> WorkingHours:
    """Return working hours from "09:00-17:00". Raises ValueError."""
    starts, dash, ends = text.replace("\u2013", "-").replace(" ", "").partition("-")
    try:
        hours = WorkingHours(starts=_clock(starts), ends=_clock(ends))
    except ValueError:
        raise ValueError(f"{text!r} are no hours; write them as 09:00-17:00") from None
    if not dash or hours.starts >= hours.ends:
        raise ValueError(f"{text!r} are no hours; write them as 09:00-17:00")
    return hours


Hours = Annotated[
    WorkingHours,
    BeforeValidator(lambda given: parse_hours(given) if isinstance(given, str) else given),
]


class TraineeFile(FileModel):
    """The person whose work is simulated."""

    name: str = "Robin Hale"
    title: str = "Trainee"
    department: str = "Operations"
    manager: str = ""
    """The full name of the person they report to; "" for the first manager in people.csv."""
    hours: Hours = WorkingHours(starts=time(8), ends=time(18))
    id: str = ""
    email: str = ""


class ToolsFile(FileModel):
    """How an office offers tools that have variants. The built-in company has the usual ones."""

    mail_reply: Literal["usual", "copies"] = "usual"
    """With copies, a reply has `cc`."""


class OfficeFile(FileModel):
    """The content of office.yaml."""

    name: Name
    """The name that scenarios, rules and results use, such as nordlicht."""
    company: str = Field(min_length=1, max_length=80)
    """The company's name as people write it."""
    domain: str
    """The domain of its mail addresses, such as nordlicht.example."""
    day: date = Field(default=date(2025, 10, 6), ge=date(1970, 1, 1), le=date(2199, 12, 31))
    """The first simulated day. A week begins on the Monday of its week."""
    trainee: TraineeFile = TraineeFile()
    roles: Mapping[str, str] = Field(default_factory=dict)
    """The department that takes the place of a built-in one, such as {hr: People}."""
    policy: Mapping[Name, StatedValue] = Field(default_factory=dict)
    """Values that pages name as {name}, for all tasks."""
    tools: ToolsFile = ToolsFile()
    handbook: bool = False
    """Whether the built-in pages about the company are kept beside the folder's own."""

    @field_validator("company")
    @classmethod
    def _is_a_line(cls, company: str) -> str:
        if not company.isprintable():
            raise ValueError("the company's name must be one printable line")
        return company

    @field_validator("domain")
    @classmethod
    def _is_a_domain(cls, domain: str) -> str:
        if not _DOMAIN.fullmatch(domain):
            raise ValueError(f"{domain!r} is no domain; write it as nordlicht.example")
        return domain


class KnownAnswer(FileModel):
    """Something that everybody tells: the questions for it, and the answer."""

    ask: tuple[str, ...] = Field(min_length=1)
    says: str = Field(min_length=1)
    person: str = ""
    """The full name of the colleague whom the answer names, if it names one."""


class KnownFile(RootModel[tuple[KnownAnswer, ...]]):
    """The content of known.yaml."""
