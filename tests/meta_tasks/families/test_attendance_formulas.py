"""The attendance rules, checked by hand: days, sums, averages, rankings."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainee_bench.meta_tasks.authoring.converters import month_before
from trainee_bench.meta_tasks.families.attendance.deliverables import (
    AttendanceAnswer,
    PerfectRow,
    clearly_differ,
    compute_answer,
    ranked,
    top_count,
)
from trainee_bench.meta_tasks.families.attendance.subject.policy import (
    AttendanceRules,
    AttendanceSheet,
    Employee,
    Tally,
    WorkedDay,
    department_policies,
    tally_day,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    AttendanceQuery,
    AttendanceQueryType,
    DepartmentScope,
    PolicyLevel,
    RankingMetric,
    RankingMode,
    workdays,
)

RULES = {
    level: department_policies(level, Random(1))["Sales_1"].rules
    for level in PolicyLevel
    if level != "L5"
}
L1, L2, L3, L4 = RULES.values()


def at(clock: str) -> int | None:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes) if clock else None


def counted(rules: AttendanceRules, comes: str, goes: str, *, remote: bool = False) -> Tally:
    return tally_day(rules, WorkedDay(at(comes), at(goes), remote))


# one day --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules, comes, late",
    [
        (L1, "09:10", 0), (L1, "09:11", 11), (L2, "09:35", 0), (L2, "09:36", 6),
        (L3, "09:05", 0), (L3, "09:06", 6), (L3, "08:40", 0), (L3, "10:00", 60),
        (L4, "10:30", 0), (L4, "10:31", 31), (L4, "11:00", 60), (L4, "09:50", 0),
    ],
)  # fmt: skip
def test_late_minutes_run_from_the_start_once_grace_or_window_is_over(
    rules: AttendanceRules, comes: str, late: int
) -> None:
    tally = counted(rules, comes, "21:00")
    assert (tally.late_days, tally.late_minutes) == (int(late > 0), late)


@pytest.mark.parametrize(
    "rules, comes, goes, early",
    [
        (L1, "09:00", "17:50", 0), (L1, "09:00", "17:49", 11), (L2, "09:30", "18:25", 0),
        (L2, "09:30", "18:24", 6), (L3, "09:00", "17:55", 0), (L3, "09:00", "17:00", 60),
        (L3, "08:00", "17:00", 60),  # having come earlier is no excuse with fixed hours
        (L4, "10:00", "20:00", 0), (L4, "10:00", "19:59", 1), (L4, "10:30", "20:30", 0),
        (L4, "10:30", "20:00", 30), (L4, "09:30", "19:30", 0),
    ],
)  # fmt: skip
def test_early_is_before_the_end_or_with_flexible_hours_less_than_nine_hours_worked(
    rules: AttendanceRules, comes: str, goes: str, early: int
) -> None:
    tally = counted(rules, comes, goes)
    assert (tally.early_days, tally.early_minutes) == (int(early > 0), early)


@pytest.mark.parametrize(
    "rules, goes, overtime",
    [
        (L1, "18:59", 0), (L1, "19:00", 30), (L2, "18:59", 0), (L2, "19:00", 30),
        (L3, "18:30", 0), (L3, "19:29", 30), (L3, "19:30", 60), (L3, "23:59", 300),
        (L4, "20:00", 0), (L4, "20:29", 0), (L4, "20:30", 30), (L4, "22:05", 120),
    ],
)  # fmt: skip
def test_overtime_counts_in_full_blocks_after_half_past_six_or_the_end(
    rules: AttendanceRules, goes: str, overtime: int
) -> None:
    assert counted(rules, "09:00", goes).overtime_minutes == overtime


def test_a_day_without_any_punch_is_absent_at_every_level() -> None:
    for rules in RULES.values():
        for day in (None, WorkedDay(None, None, True)):
            assert tally_day(rules, day) == Tally(absent_days=1)


def test_with_one_punch_the_day_is_absent_but_at_level_one() -> None:
    for rules in (L2, L3, L4):
        assert counted(rules, "09:00", "") == counted(rules, "", "20:00") == Tally(absent_days=1)
    assert counted(L1, "09:30", "") == Tally(late_days=1, late_minutes=30, present_days=1)
    assert counted(L1, "", "19:00", remote=True) == Tally(
        present_days=1, overtime_minutes=30, remote_days=1
    )
    assert counted(L1, "", "17:00") == Tally(early_days=1, early_minutes=60, present_days=1)


def test_remote_days_are_days_present_and_counted_like_others() -> None:
    assert counted(L3, "09:20", "18:00", remote=True) == Tally(
        late_days=1, late_minutes=20, present_days=1, remote_days=1, presence_minutes=520
    )
    assert counted(L3, "09:00", "", remote=True).remote_days == 0


# a sheet ----------------------------------------------------------------------------------

STAFF = [
    Employee("E1", "Ada Quist", "Sales_1"),
    Employee("E2", "Ben Olafsen", "Sales_1"),
    Employee("E3", "Cleo Marr", "Sales_1"),
]
DAYS = [date(2025, 9, number) for number in (1, 2, 3, 4)]


def month(*clocks: str) -> list[WorkedDay | None]:
    """A row of days such as "09:06-18:00" and "09:00-19:44 r"; "" is no punch at all."""
    row: list[WorkedDay | None] = []
    for clock in clocks:
        comes, _, rest = clock.partition("-")
        goes, _, tag = rest.partition(" ")
        row.append(WorkedDay(at(comes), at(goes), tag == "r") if clock else None)
    return row


ENTRIES = [
    month("09:06-18:00", "09:05-17:55", "", "09:00-19:44 r"),
    month("08:55-17:54", "09:20-17:00", "09:00-18:30 r", "09:02-"),
    month("09:00-18:00", "09:00-18:59", "09:00-19:00", "09:00-18:00 r"),
]
SHEET = AttendanceSheet(STAFF, DAYS, ENTRIES, {"Sales_1": L3})
TUESDAY = {"Sales_1": (1,)}


def asked(type: AttendanceQueryType, **more: object) -> AttendanceQuery:
    return AttendanceQuery(type, DepartmentScope.SALES_1, **more)  # type: ignore[arg-type]


def figures(
    type: AttendanceQueryType, closed: dict[str, tuple[int, ...]]
) -> dict[str, Fraction | int | bool]:
    return dict(compute_answer(asked(type), SHEET, closed).figures)


def people(
    question: AttendanceQuery, closed: dict[str, tuple[int, ...]]
) -> list[tuple[object, ...]]:
    found = compute_answer(question, SHEET, closed).people
    return [tuple(person.model_dump().values()) for person in found]


def test_absences_and_control_total() -> None:
    # Ada's Wednesday and Ben's Thursday. Ada 534 + 530 + 644, Ben 539 + 460 + 570,
    # Cleo 540 + 599 + 600 + 540 minutes.
    assert figures(AttendanceQueryType.ABSENCE, {}) == {
        "total_absence_days": 2,
        "presence_minutes": 5556,
    }
    # Without Tuesday 530, 460 and 599 less; without Wednesday Ada's absence, too.
    assert figures(AttendanceQueryType.ABSENCE, TUESDAY) == {
        "total_absence_days": 2,
        "presence_minutes": 3967,
    }
    wednesday = {"Sales_1": (2,)}
    assert figures(AttendanceQueryType.ABSENCE, wednesday) == {
        "total_absence_days": 1,
        "presence_minutes": 4386,
    }


def test_whether_anybody_was_late_or_early() -> None:
    assert figures(AttendanceQueryType.HAS, {}) == {
        "has_late_or_early": True, "person_days": 10, "presence_minutes": 5556,
    }  # fmt: skip
    calm = AttendanceSheet(STAFF[2:], DAYS, ENTRIES[2:], {"Sales_1": L3})
    assert compute_answer(asked(AttendanceQueryType.HAS), calm, {})["has_late_or_early"] is False
    only_on_monday = AttendanceSheet(STAFF[:1], DAYS, ENTRIES[:1], {"Sales_1": L3})
    closed = {"Sales_1": (0,)}
    assert (
        compute_answer(asked(AttendanceQueryType.HAS), only_on_monday, {})["has_late_or_early"]
        is True
    )
    assert (
        compute_answer(asked(AttendanceQueryType.HAS), only_on_monday, closed)["has_late_or_early"]
        is False
    )


def test_average_late_and_early_days() -> None:
    # Late: Ada on Monday, Ben on Tuesday. Early: Ben on Monday and Tuesday. Three people.
    found = figures(AttendanceQueryType.AVERAGE_DAYS, {})
    assert found["avg_late_days"] == found["avg_early_days"] == Fraction(2, 3)
    found = figures(AttendanceQueryType.AVERAGE_DAYS, TUESDAY)
    assert found["avg_late_days"] == found["avg_early_days"] == Fraction(1, 3)


def test_average_overtime() -> None:
    # Ada until 19:44: 74 minutes, of which 60 count; Ben until 18:30: none; Cleo until 18:59:
    # none, until 19:00: 30. An hour and a half for three people.
    assert figures(AttendanceQueryType.OVERTIME, {})["average_overtime_hours"] == Fraction(1, 2)
    thursday = {"Sales_1": (3,)}
    assert figures(AttendanceQueryType.OVERTIME, thursday)["average_overtime_hours"] == Fraction(
        1, 6
    )


def test_statistics_have_the_rate_in_per_cent() -> None:
    assert figures(AttendanceQueryType.STATISTICS, {}) == {
        "employees": 3,
        "avg_late_days": Fraction(2, 3),
        "avg_early_days": Fraction(2, 3),
        "avg_absence_days": Fraction(2, 3),
        "attendance_rate": Fraction(1000, 12),  # 10 of 12 days, 83.33 per cent
        "presence_minutes": 5556,
    }
    # Tuesday was present for all three: 7 of 9 days.
    assert figures(AttendanceQueryType.STATISTICS, TUESDAY)["attendance_rate"] == Fraction(700, 9)


def test_most_and_least_late_and_early() -> None:
    def of(mode: RankingMode, closed: dict[str, tuple[int, ...]]) -> list[tuple[object, ...]]:
        return people(asked(AttendanceQueryType.EXTREME, mode=mode), closed)

    # One late day each, but Ben's has 20 minutes and Ada's 6.
    assert of(RankingMode.MOST_LATE, {}) == [("E2", "Ben Olafsen", 1, 20, 1569)]
    assert of(RankingMode.MOST_LATE, TUESDAY) == [("E1", "Ada Quist", 1, 6, 1178)]
    assert of(RankingMode.LEAST_LATE, {}) == [("E3", "Cleo Marr", 0, 0, 2279)]
    both = [("E2", "Ben Olafsen", 0, 0, 1109), ("E3", "Cleo Marr", 0, 0, 1680)]
    assert of(RankingMode.LEAST_LATE, TUESDAY) == both
    assert of(RankingMode.MOST_EARLY, {}) == [("E2", "Ben Olafsen", 2, 66, 1569)]
    assert of(RankingMode.MOST_EARLY, TUESDAY) == [("E2", "Ben Olafsen", 1, 6, 1109)]
    assert [row[0] for row in of(RankingMode.LEAST_EARLY, {})] == ["E1", "E3"]


def test_most_remote_days_are_everybody_s_who_has_the_largest_number() -> None:
    question = asked(AttendanceQueryType.REMOTE)
    assert [row[0] for row in people(question, {})] == ["E1", "E2", "E3"]
    assert people(question, {"Sales_1": (2,)}) == [
        ("E1", "Ada Quist", 1, 1708), ("E3", "Cleo Marr", 1, 1679),
    ]  # fmt: skip


def test_perfect_attendance_may_hang_on_the_closure_day() -> None:
    assert people(asked(AttendanceQueryType.PERFECT), {}) == [("E3", "Cleo Marr", 2279)]
    ada = AttendanceSheet(STAFF[:1], DAYS[:2], [ENTRIES[0][:2]], {"Sales_1": L3})
    (perfect,) = compute_answer(asked(AttendanceQueryType.PERFECT), ada, {"Sales_1": (0,)}).people
    assert perfect == PerfectRow(employee_id="E1", name="Ada Quist", presence_minutes=530)
    assert compute_answer(asked(AttendanceQueryType.PERFECT), ada, TUESDAY).people == ()


def test_only_the_closed_department_leaves_the_day_out() -> None:
    staff = [STAFF[0], Employee("E4", "Dina Roos", "HR")]
    sheet = AttendanceSheet(staff, DAYS, [ENTRIES[1], ENTRIES[1]], {"Sales_1": L3, "HR": L3})
    everybody = AttendanceQuery(AttendanceQueryType.AVERAGE_DAYS, DepartmentScope.ALL)
    assert compute_answer(everybody, sheet, {"HR": (1,)})["avg_late_days"] == Fraction(1, 2)
    assert compute_answer(everybody, sheet, {"HR": (1,), "Sales_1": (0,)})["avg_early_days"] == 1


@pytest.mark.parametrize(
    "heads, percent, count",
    [(10, 5, 1), (10, 10, 1), (10, 15, 2), (10, 20, 2), (12, 5, 1), (12, 15, 2), (12, 20, 3),
     (80, 5, 4), (80, 15, 12), (86, 5, 5), (86, 20, 18)],
)  # fmt: skip
def test_the_top_per_cent_are_rounded_up(heads: int, percent: int, count: int) -> None:
    assert top_count(heads, percent) == count


def test_d8_whoever_ties_with_the_last_of_the_top_is_in_it_once() -> None:
    pairs = [(3, 40), (5, 10), (3, 40), (3, 41), (1, 90), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)]
    top = asked(AttendanceQueryType.TOP, percent=15, metric=RankingMetric.LATE)
    assert [n for n, one in enumerate(ranked(pairs, top)) if one] == [1, 3]
    third = AttendanceQuery(
        AttendanceQueryType.TOP, DepartmentScope.SALES_1, percent=30, metric=RankingMetric.LATE
    )
    assert [n for n, one in enumerate(ranked(pairs, third)) if one] == [0, 1, 2, 3]


@given(
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), min_size=1, max_size=30),
    percent=st.sampled_from([5, 10, 15, 20]),
)
def test_nobody_in_the_top_ranks_behind_anybody_outside(
    pairs: list[tuple[int, int]], percent: int
) -> None:
    chosen = ranked(
        pairs,
        AttendanceQuery(
            AttendanceQueryType.TOP, DepartmentScope.ALL, percent=percent, metric=RankingMetric.LATE
        ),
    )
    inside = [pair for pair, one in zip(pairs, chosen, strict=True) if one]
    outside = [pair for pair, one in zip(pairs, chosen, strict=True) if not one]
    assert len(inside) >= top_count(len(pairs), percent)
    assert not outside or min(inside) > max(outside)
    assert sum(pair > min(inside) for pair in inside) < top_count(len(pairs), percent)


# close calls ------------------------------------------------------------------------------


def test_answers_within_ten_tolerances_of_each_other_do_not_clearly_differ() -> None:
    def of(average: str, minutes: int) -> AttendanceAnswer:
        hours = ("average_overtime_hours", Fraction(average))
        return AttendanceAnswer(figures=(hours, ("presence_minutes", minutes)))

    assert clearly_differ(AttendanceQueryType.OVERTIME, of("5.00", 1), of("5.06", 1))
    assert not clearly_differ(AttendanceQueryType.OVERTIME, of("5.00", 1), of("5.05", 2))
    assert not clearly_differ(AttendanceQueryType.OVERTIME, of("5.00", 1), of("5.00", 2))


def test_a_half_in_the_third_place_is_on_the_edge() -> None:
    def edge(value: Fraction) -> bool:
        return AttendanceAnswer(figures=(("avg_late_days", value),)).is_rounding_tie

    assert edge(Fraction(2, 80)) and edge(Fraction(101, 200))
    assert not edge(Fraction(1, 80)) and not edge(Fraction(1, 3)) and not edge(Fraction(5))


# months -----------------------------------------------------------------------------------


def test_d1_the_data_are_of_the_month_before_the_day_itself() -> None:
    assert month_before(date(2025, 10, 1)) == date(2025, 9, 1)
    assert month_before(date(2026, 1, 31), 2) == date(2025, 11, 1)
    assert len(workdays(date(2025, 9, 1))) == 22
    assert workdays(date(2025, 8, 1))[-1] == date(2025, 8, 29)


def test_at_level_five_three_departments_have_flexible_hours_and_twelve_people() -> None:
    for seed in range(20):
        made = department_policies(PolicyLevel.L5, Random(seed))
        flexible = [team for team in made.values() if team.rules.flexible]
        assert [(team.heads, team.remote) for team in flexible] == [(12, 0.30)] * 3
        assert sum(team.heads for team in made.values()) == 86
