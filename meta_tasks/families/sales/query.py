"""What an analysis of sales asks for: of whom, of which quarter, and in which words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

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

    def sentence(self) -> str:
        """What is to be found out."""
        those, when = join_with_and(self.departments), f"Q{self.quarter} {self.year}"
        if self.type is SalesQueryType.STATISTICS:
            return f"Work out how much {those} sold in {when}, in all and per person."
        if self.type is SalesQueryType.AVERAGES:
            return f"Work out how much each of {those} sold in {when}, in all and per person."
        more = "higher" if self.direction is TrendDirection.UP else "lower"
        went = f"whose sales in {when} were {more} than in Q{self.quarter - 1} {self.year}"
        if self.type is SalesQueryType.PEOPLE_COUNT:
            return f"Count the employees of {those} {went}."
        if self.type is SalesQueryType.DEPARTMENTS_COUNT:
            return f"Count the departments among {those} {went}."
        end = "highest" if self.mode is RankingEnd.TOP else "lowest"
        who = f"the {self.n} employees" if self.n > 1 else "the employee"
        best = f"with the {end} sales in {when}"
        if self.type.across:
            return f"Find {who} {best} among all employees of {those} together."
        if self.type.of_one_department:
            return f"Find {who} of {those} {best}."
        return f"Find, for each of {those}, {who} {best}."


def join_with_and(names: Sequence[str]) -> str:
    """Names as one reads them: "A, B and C"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
