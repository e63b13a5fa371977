"""What the desk, whoever leaves, Wednesday's message and Thursday's file say of a handover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time

from pydantic import Field

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    WORD,
    CsvFile,
    Deliverable,
    HiddenFact,
    RecordId,
    TextTemplate,
    english_list,
    one_of,
)

SUBJECT = "Invoice amounts"

# what is told ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandoverBrief:
    """What the desk says."""

    leaver: str
    leaves: time
    customers: tuple[str, ...]
    head: str
    file: str
    recipient: str
    by: time
    path: str
    fields: type[Deliverable]


class CustomerTotal(Deliverable):
    """What one customer has to pay."""

    customer: RecordId = Field(description="the customer's number")
    discount: int = Field(description="the discount that applies to their orders, in per cent")
    total: int = Field(description="the amounts of all their orders together, in EUR")


class InvoiceReport(Deliverable):
    """Friday's report."""

    customers: list[CustomerTotal] = Field(description="one for each customer")


RULES = (
    "looks after the discounts of three customers",
    "goes on leave on Tuesday at",
    "and cannot be reached for the rest of the week.",
    "The orders to which they apply come on Thursday at 09:00",
    "Ask for the discounts before",
    "writes to you if one of them changes later.",
    "By Thursday",
    (
        "a line for each order, with its number, a colon, and the amount to be paid in whole "
        "euros: pieces times price, less the customer's discount."
    ),
    "On Friday, hand in",
)
OBJECTIVE = TextTemplate(
    HandoverBrief,
    "{leaver} looks after the discounts of three customers, {customers}, goes on leave on Tuesday "
    "at {leaves}, and cannot be reached for the rest of the week. The orders to which they apply "
    "come on Thursday at 09:00, as {file}. Ask for the discounts before {leaver} leaves; {head} "
    "writes to you if one of them changes later. By Thursday {by}, mail {recipient}, with the "
    f'subject "{SUBJECT}", a line for each order, with its number, a colon, and the amount to be '
    "paid in whole euros: pieces times price, less the customer's discount. On Friday, hand in "
    "{path}, a JSON object with exactly these fields:\n{fields}",
    {
        "leaver": FULL_NAME,
        "customers": english_list(WORD),
        "head": FULL_NAME,
        "file": PATH,
        "recipient": FULL_NAME,
        "path": PATH,
        "fields": one_of({InvoiceReport: InvoiceReport.describe()}),
    },
)

# what is said once ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Discount:
    """What a customer gets off, in per cent."""

    customer: str
    percent: int


DISCOUNT_TOLD = TextTemplate(
    Discount, "{customer} gets {percent} per cent off.", {"customer": WORD}
)
FACT = HiddenFact(
    name="discount_{number}",
    questions=(
        "What discount does customer {customer} get?",
        "How many per cent off does {customer} have?",
        "Which discount have we agreed on with {customer}?",
        "What rebate applies to the orders of customer {customer}?",
        "Can you tell me the discount of {customer} before you leave?",
        "By how many per cent do we reduce the prices for {customer}?",
    ),
    answer=DISCOUNT_TOLD,
)


@dataclass(frozen=True)
class Raise:
    """By how many percentage points a customer's discount goes up."""

    customer: str
    points: int


RAISED = TextTemplate(
    Raise,
    "From today on {customer} gets {points} percentage points more off than before.",
    {"customer": WORD},
)


@dataclass(frozen=True)
class Order:
    """An order: its number, the customer, how many pieces, and the price of one in whole euros."""

    order: str
    customer: str
    pieces: int
    price: int

    def amount(self, discounts: Mapping[str, int]) -> int:
        """What has to be paid; prices are hundreds of euros, so that it is a whole number."""
        return self.pieces * self.price * (100 - discounts[self.customer]) // 100


ORDERS = CsvFile(Order, ("order", "customer", "pieces", "price_eur"))
