"""What the desk, Monday's meeting, Wednesday's mail and the files say of expense claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    CsvFile,
    Deliverable,
    TextTemplate,
    one_of,
)

SUBJECT = "Expense claims"

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClaimsBrief:
    """What the desk says."""

    department: str
    file: str
    approver: str
    by: time
    host: str
    room: str
    starts: time
    ends: time
    path: str
    fields: type[Deliverable]


class ClaimsReport(Deliverable):
    """Friday's report."""

    approved: int = Field(description="how many claims of the week were approved")
    rejected: int = Field(description="how many were rejected")
    approved_total: int = Field(description="the amounts of all approved claims together, in EUR")


RULES = (
    "This week you decide the expense claims of",
    (
        "Every morning at 09:00, from Monday to Friday, the claims of the day replace those of the "
        "day before in"
    ),
    (
        "a line for each of the day's claims, with its number, a colon, and approved or rejected. "
        "The last mail of the day counts."
    ),
    (
        "A claim is approved if its amount is not above the limit for its kind that is in force on "
        "that day."
    ),
    "changes are announced by mail.",
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    ClaimsBrief,
    "This week you decide the expense claims of {department}. Every morning at 09:00, from Monday "
    "to Friday, the claims of the day replace those of the day before in {file}. Each day by {by}, "
    f'mail {{approver}}, with the subject "{SUBJECT}", a line for each of the day\'s claims, with '
    "its number, a colon, and approved or rejected. The last mail of the day counts. A claim is "
    "approved if its amount is not above the limit for its kind that is in force on that day. "
    "{host} announces the limits in Monday's meeting in {room}, from {starts} to {ends}, and "
    "nowhere else; changes are announced by mail. On Friday, hand in {path}, a JSON object with "
    "exactly these fields:\n{fields}",
    {
        "file": PATH,
        "approver": FULL_NAME,
        "host": FULL_NAME,
        "room": WORD,
        "path": PATH,
        "fields": one_of({ClaimsReport: ClaimsReport.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ExpenseLimits:
    """The most that is paid for a claim of each kind, in whole euros."""

    meals: int
    taxi: int
    hotel: int

    def of(self, kind: str) -> int:
        """The limit of this kind."""
        return int(getattr(self, kind))


@dataclass(frozen=True)
class LimitChange:
    """The new limit of one kind."""

    kind: str
    limit: int


KINDS: Mapping[str, range] = {
    "meals": range(24, 56),
    "taxi": range(30, 62),
    "hotel": range(95, 160),
}
"""Within what the limits that are announced lie."""
SAID = TextTemplate(
    ExpenseLimits,
    "From today on we pay at most EUR {meals} for meals, EUR {taxi} for a taxi and EUR {hotel} for "
    "a night in a hotel.",
)
CHANGED = TextTemplate(
    LimitChange,
    "The limit for {kind} is EUR {limit} now, for today's claims already. The other limits stay as "
    "they are.",
    {"kind": one_of({kind: kind for kind in KINDS})},
)
CHANGE_SUBJECT = "Another limit for expenses"


@dataclass(frozen=True)
class ExpenseClaim:
    """A claim: its number, who made it, for what kind of expense, and how much in whole euros."""

    claim: str
    day: date
    name: str
    kind: str
    amount: int


CLAIMS = CsvFile(ExpenseClaim, ("claim", "date", "name", "kind", "amount_eur"))
