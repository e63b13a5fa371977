"""What an analysis of sales asks for: of whom, of which quarter, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from trainee_bench.meta_tasks.authoring import (
    Converter,
    FirstOf,
    TextTemplate,
    english_list,
    one_of,
)

DEPARTMENTS = ("Sales_1", "Sales_2", "Sales_3")
QUARTERS = (1, 2, 3, 4)


class SalesQueryType(StrEnum):
    """The nine analyses."""

    TOP_EMPLOYEE = "top_sales_employee"
    STATISTICS = "sales_statistics"
    AVERAGES = "per_dept_avg_sales"
    EXTREME_ACROSS = "cross_depts_extreme_employee"
    EXTREME_EACH = "per_dept_extreme_employee"
    TOP_EACH = "per_dept_top_n"
    TOP_ACROSS = "cross_depts_top_n"
    PEOPLE_COUNT = "dept_person_qoq_count"
    DEPARTMENTS_COUNT = "all_depts_qoq_count"

    @property
    def of_one_department(self) -> bool:
        """Whether it is about a single department."""
        return self in (
            SalesQueryType.TOP_EMPLOYEE,
            SalesQueryType.STATISTICS,
            SalesQueryType.PEOPLE_COUNT,
        )

    @property
    def department_counts(self) -> tuple[int, ...]:
        """Of how many departments it may be."""
        if self is SalesQueryType.DEPARTMENTS_COUNT:
            return (len(DEPARTMENTS),)
        return (1,) if self.of_one_department else (2, 3)

    @property
    def has_mode(self) -> bool:
        """Whether the best or the worst may be asked for."""
        return self in (SalesQueryType.EXTREME_ACROSS, SalesQueryType.EXTREME_EACH)

    @property
    def has_n(self) -> bool:
        """Whether several may be asked for."""
        return self in (SalesQueryType.TOP_EACH, SalesQueryType.TOP_ACROSS)

    @property
    def across(self) -> bool:
        """Whether people of several departments are ranked together."""
        return self in (SalesQueryType.EXTREME_ACROSS, SalesQueryType.TOP_ACROSS)

    @property
    def compares(self) -> bool:
        """Whether a quarter is compared with the one before it."""
        return self in (SalesQueryType.PEOPLE_COUNT, SalesQueryType.DEPARTMENTS_COUNT)

    @property
    def ranks(self) -> bool:
        """Whether people are ranked by their sales."""
        return self.across or self in (
            SalesQueryType.TOP_EMPLOYEE,
            SalesQueryType.EXTREME_EACH,
            SalesQueryType.TOP_EACH,
        )


class RankingEnd(StrEnum):
    """Which end of a ranking."""

    TOP = "top"
    BOTTOM = "bottom"


class TrendDirection(StrEnum):
    """Which way sales went since the quarter before."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True)
class SalesQuery:
    """One analysis: ``n`` people from the ``mode`` end where people are ranked, those that
    went in the ``direction`` where quarters are compared."""

    type: SalesQueryType
    departments: tuple[str, ...]
    quarter: int
    year: int
    mode: RankingEnd = RankingEnd.TOP
    n: int = 1
    direction: TrendDirection = TrendDirection.UP

    @property
    def quarters(self) -> tuple[int, ...]:
        """The quarters it looks at, in their order."""
        return (self.quarter - 1, self.quarter) if self.type.compares else (self.quarter,)

    @property
    def output(self) -> str:
        """The name of the file to hand in."""
        quarter, joined = f"Q{self.quarter}", "-".join(self.departments)
        return {
            SalesQueryType.TOP_EMPLOYEE: f"dept_{joined}_{quarter}_top_sales.json",
            SalesQueryType.STATISTICS: f"dept_{joined}_{quarter}_sales_stats.json",
            SalesQueryType.AVERAGES: f"depts_{joined}_{quarter}_avg.json",
            SalesQueryType.EXTREME_ACROSS: f"depts_{joined}_{quarter}_{self.mode}_employee.json",
            SalesQueryType.EXTREME_EACH: f"depts_{joined}_{quarter}_{self.mode}_per_dept.json",
            SalesQueryType.TOP_EACH: f"depts_{joined}_{quarter}_top{self.n}_per_dept.json",
            SalesQueryType.TOP_ACROSS: f"depts_{joined}_{quarter}_top{self.n}.json",
            SalesQueryType.PEOPLE_COUNT: f"dept_{joined}_{quarter}_{self.direction}_person_count.json",
            SalesQueryType.DEPARTMENTS_COUNT: f"all_{quarter}_{self.direction}_dept_count.json",
        }[self.type]

    @property
    def before(self) -> str:
        """The quarter that a comparison begins with."""
        return f"Q{self.quarter - 1} {self.year}"


_WORDS: Mapping[str, Converter[Any]] = {
    "departments": english_list(one_of({name: name for name in DEPARTMENTS})),
    "mode": one_of({RankingEnd.TOP: "highest", RankingEnd.BOTTOM: "lowest"}),
    "direction": one_of({TrendDirection.UP: "higher", TrendDirection.DOWN: "lower"}),
    "n": one_of({1: "the employee", 2: "the 2 employees", 3: "the 3 employees"}),
}
_BEST = "{n} with the {mode} sales in Q{quarter} {year}"
_WENT = "whose sales in Q{quarter} {year} were {direction} than in {before}"
_EACH = f"Find, for each of {{departments}}, {_BEST}."
_ACROSS = f"Find {_BEST} among all employees of {{departments}} together."
_FIGURES = "sold in Q{quarter} {year}, in all and per person."
_SENTENCES: dict[SalesQueryType, str] = {
    SalesQueryType.TOP_EMPLOYEE: "Find {n} of {departments} with the {mode} sales in Q{quarter} {year}.",
    SalesQueryType.STATISTICS: f"Work out how much {{departments}} {_FIGURES}",
    SalesQueryType.AVERAGES: f"Work out how much each of {{departments}} {_FIGURES}",
    SalesQueryType.EXTREME_ACROSS: _ACROSS,
    SalesQueryType.EXTREME_EACH: _EACH,
    SalesQueryType.TOP_EACH: _EACH,
    SalesQueryType.TOP_ACROSS: _ACROSS,
    SalesQueryType.PEOPLE_COUNT: f"Count the employees of {{departments}} {_WENT}.",
    SalesQueryType.DEPARTMENTS_COUNT: f"Count the departments among {{departments}} {_WENT}.",
}
SENTENCE = FirstOf(
    [
        TextTemplate(SalesQuery, sentence, _WORDS, fixed={"type": type})
        for type, sentence in _SENTENCES.items()
    ]
)
"""What is to be found out. Two types that ask for the same are read as the first of them."""
