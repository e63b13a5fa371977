"""What is handed in about a meeting, and what of it is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pydantic import Field

from trainee_bench.meta_tasks.authoring import AnswerKeys, Deliverable, PersonRef, Text
from trainee_bench.meta_tasks.authoring.converters import to_cents
from trainee_bench.meta_tasks.families.meeting_attend.subject import PurchaseRequest


class DecisionEntry(Deliverable):
    """One decision."""

    topic: Text = Field(description="what it is about, in the words of the announcement")
    owner: PersonRef = Field(description="full name of the person responsible")
    due: date = Field(description="the date it is due, as YYYY-MM-DD")
    budget: int = Field(description="the budget in whole EUR")


class DecisionList(Deliverable):
    """The decisions of a meeting."""

    decisions: list[DecisionEntry] = Field(description="one for each decision, any order")


_REQUESTS = "one for each request to be listed, any order"


class RequestEntry(Deliverable):
    """One request."""

    name: PersonRef = Field(description="full name of the person who asks")
    item: Text = Field(description="what they ask for, in the words of the announcement")
    quantity: int = Field(description="pieces")
    unit_price: float = Field(description="price of one piece in EUR, exact to the cent")


class CostedRequestEntry(RequestEntry):
    """One request with its cost."""

    total: float = Field(description="quantity times unit_price in EUR, exact to the cent")


class RequestList(Deliverable):
    """The requests of a meeting."""

    requirement: list[RequestEntry] = Field(description=_REQUESTS)


class CostedRequestList(Deliverable):
    """The requests of a meeting with their costs."""

    requirement: list[CostedRequestEntry] = Field(description=_REQUESTS)
    statistics: float = Field(
        description="the sum of total over all listed requests in EUR, exact to the cent"
    )

    def without_costs(self) -> RequestList:
        """The same list where no costs are asked for."""
        entries = [one.model_dump(exclude={"total"}) for one in self.requirement]
        return RequestList.model_validate({"requirement": entries})


def costed_list(requests: Sequence[PurchaseRequest]) -> CostedRequestList:
    """These requests as they are to be listed, with their costs."""
    entries = [
        CostedRequestEntry(
            name=one.name,
            item=one.item,
            quantity=one.quantity,
            unit_price=one.price / 100,
            total=one.total / 100,
        )
        for one in requests
    ]
    return CostedRequestList(
        requirement=entries, statistics=sum(one.total for one in requests) / 100
    )


def rows_of(
    keys: AnswerKeys, entries: Iterable[Deliverable], *fields: str
) -> Counter[tuple[object, ...]]:
    """These fields of each entry, to be compared: by *keys*, amounts in cents (None if they are no
    whole number of cents)."""
    return Counter(
        tuple(to_cents(key) if isinstance(key, float) else key for key in keys.of(one, *fields))
        for one in entries
    )


@dataclass(frozen=True)
class MeetingAttendTruth:
    """The meeting as it is graded: its key, the file to hand in and what belongs in it.

    ``listed`` are the requests that the assignment wants, ``wishes`` all that were made.
    """

    key: str
    path: str
    wishes: tuple[PurchaseRequest, ...] = ()
    listed: tuple[PurchaseRequest, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
