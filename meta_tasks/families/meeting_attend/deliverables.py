"""The deliverables about a meeting, and the right answers."""

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


_REQUESTS = "one for each request that you list, any order"


class RequestEntry(Deliverable):
    """One request."""

    name: PersonRef = Field(description="full name of the person who asks")
    item: Text = Field(description='name of the item as announced, such as "stapler"')
    quantity: int = Field(description="number of pieces")
    unit_price: float = Field(description="price of one piece in EUR, exact to the cent")


class CostedRequestEntry(RequestEntry):
    """One request with its cost."""

    total: float = Field(description="`quantity` times `unit_price` in EUR, exact to the cent")


class RequestList(Deliverable):
    """The requests of a meeting."""

    requests: list[RequestEntry] = Field(description=_REQUESTS)


class CostedRequestList(Deliverable):
    """The requests of a meeting with their costs."""

    requests: list[CostedRequestEntry] = Field(description=_REQUESTS)
    total_cost: float = Field(
        description="the sum of `total` over all requests that you list, in EUR, exact to the cent"
    )

    def without_costs(self) -> RequestList:
        """The same list without costs, for types that do not ask for them."""
        entries = [entry.model_dump(exclude={"total"}) for entry in self.requests]
        return RequestList.model_validate({"requests": entries})


def costed_list(requests: Sequence[PurchaseRequest]) -> CostedRequestList:
    """The list of *requests* with their costs, ready to hand in."""
    entries = [
        CostedRequestEntry(
            name=request.name,
            item=request.item,
            quantity=request.quantity,
            unit_price=request.price / 100,
            total=request.total / 100,
        )
        for request in requests
    ]
    return CostedRequestList(
        requests=entries, total_cost=sum(request.total for request in requests) / 100
    )


def rows_of(
    keys: AnswerKeys, entries: Iterable[Deliverable], *fields: str
) -> Counter[tuple[object, ...]]:
    """These *fields* of each entry as comparable rows, normalized by *keys*.

    Amounts are in cents, or None if they are not a whole number of cents.
    """
    return Counter(
        tuple(to_cents(key) if isinstance(key, float) else key for key in keys.of(entry, *fields))
        for entry in entries
    )


@dataclass(frozen=True)
class MeetingAttendTruth:
    """The meeting's key, the file to hand in, and its right contents.

    ``listed`` are the requests to be listed, ``wishes`` all requests that were made.
    """

    key: str
    path: str
    wishes: tuple[PurchaseRequest, ...] = ()
    listed: tuple[PurchaseRequest, ...] = ()
    decisions: tuple[DecisionEntry, ...] = ()
