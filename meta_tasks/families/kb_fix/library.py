"""The articles of the knowledge base, and the links to charts that are woven into them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random

CHART_ID = re.compile(r"\b(?:OLD|NEW)\d{6}\b")


@dataclass(frozen=True)
class Article:
    """An article without charts: its file's stem, and the titles of charts it could show."""

    stem: str
    charts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text, without links."""
        return _text(self.stem)


ARTICLES = (
    Article(
        "account_planning",
        (
            "Users per account by week",
            "Tickets by priority and account",
            "Revenue after support and discounts",
            "Plan steps done and open",
            "Accounts by size and age",
            "Renewals by quarter",
        ),
    ),
    Article(
        "annual_budgeting",
        (
            "Planned and actual spend by quarter",
            "Spend by department",
            "Running costs over five years",
            "Reserve used by month",
            "Drafts and signed budgets",
            "Cost of people per head",
        ),
    ),
    Article(
        "campaign_post_mortem",
        (
            "Clicks by channel and week",
            "Cost of a qualified lead",
            "Trial accounts by company size",
            "Visits to the pricing page",
            "Views of the four videos",
            "Media budget, planned and spent",
        ),
    ),
    Article(
        "onboarding_guide",
        (
            "Would recommend the first month",
            "Days to the first finished work",
            "Starts by department and year",
            "Answers after four weeks",
            "Equipment ready on day one",
            "Guides and the guided",
        ),
    ),
    Article(
        "privacy_brief",
        (
            "Requests to see data by month",
            "Requests to delete data by month",
            "Days until a request is answered",
            "Reports to the privacy contact",
            "Age of stored customer data",
            "Access rights by team",
        ),
    ),
    Article(
        "purchasing_guide",
        (
            "Orders by supplier",
            "Days from wish to delivery",
            "Deliveries on time",
            "Spend by cost centre",
            "Invoices that did not match",
            "Offers per order",
        ),
    ),
    Article(
        "release_checklist",
        (
            "Hours from merge to last customer",
            "Errors on the first day",
            "Load times before and after",
            "Releases stopped and resumed",
            "Tickets in the first hour",
            "Changes per release",
        ),
    ),
    Article(
        "risk_register",
        (
            "Risks by likelihood and cost",
            "The first five lines over a year",
            "Lines added and removed",
            "Signs seen by month",
            "Money spent on prevention",
            "Owners and their lines",
        ),
    ),
    Article(
        "sales_forecast",
        (
            "Forecast and result by quarter",
            "Share won by stage",
            "Committed, expected, possible",
            "Closing dates moved",
            "Value by team and stage",
            "Large deals in the quarter",
        ),
    ),
    Article(
        "support_service_levels",
        (
            "First answers on time by priority",
            "Reasons for missed targets",
            "Hours of work on P1 tickets",
            "Tickets by hour of the day",
            "Hand-overs per ticket",
            "Open tickets by age",
        ),
    ),
    Article(
        "warehouse_operations",
        (
            "Parcels by hour",
            "Differences found in counting",
            "Returns by reason",
            "Orders marked urgent",
            "Picking rounds per day",
            "Stock by hall",
        ),
    ),
)


@dataclass(frozen=True)
class ChartLink:
    """A link to a chart as it stands in an article. ``owner`` is a person's id."""

    chart: str
    title: str
    owner: str
    owner_name: str

    @property
    def outdated(self) -> bool:
        """Whether the chart still has an old id there."""
        return self.chart.startswith("OLD")

    def line(self, domain: str) -> str:
        """The line of markdown."""
        address = f"https://charts.{domain}/view/{self.chart}"
        return f"Chart: [{self.title}]({address}), owner: {self.owner_name}"


def insert_links(draws: Random, text: str, links: Sequence[ChartLink], domain: str) -> str:
    """*text* with a paragraph for each link at drawn places, the links in their order."""
    blocks = text.rstrip("\n").split("\n\n")
    places = sorted(draws.sample(insertion_points(blocks), len(links)))
    woven: list[str] = []
    for place, block in enumerate(blocks):
        woven.append(block)
        woven += [link.line(domain) for at, link in zip(places, links, strict=True) if at == place]
    return "\n\n".join(woven) + "\n"


def insertion_points(blocks: Sequence[str]) -> list[int]:
    """After which blocks a chart may stand: not after a heading, nor between a sentence that
    ends with a colon and what it announces."""
    return [
        number
        for number, block in enumerate(blocks)
        if not block.startswith("#") and not block.endswith(":")
    ]


@cache
def _text(stem: str) -> str:
    resource = files("trainee_bench.meta_tasks.families.kb_fix") / "articles" / f"{stem}.md"
    return resource.read_text(encoding="utf-8")
