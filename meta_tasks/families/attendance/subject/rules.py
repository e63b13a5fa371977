"""The rules of honest work, repeated apart from the texts that state them.

So honest work fails if a text says something else.
"""

from __future__ import annotations

from collections.abc import Mapping

from trainee_bench.meta_tasks.families.attendance.brief import DAYS, AttendanceBrief
from trainee_bench.meta_tasks.families.attendance.subject.query import (
    AttendanceQuery,
    AttendanceQueryType,
)

OBJECTIVE_RULES = (
    "The punches, the staff roster and the manual are in",
    "Count exactly as the manual says. The manual also says whom to ask for information that is",
    "a JSON file with exactly these fields:",
    "minutes from the first `in` to the last `out` of each day present, lunch included, added up",
    "a day with only an `in` or only an `out` adds nothing",
)
MANUAL_RULES = (
    "These rules apply to everyone on the staff roster and to nobody else.",
    "Heads of departments count only if they are on the roster.",
    "Workdays are Monday to Friday; there are no public holidays in",
    "Only punches on workdays from 06:00 to 23:59 are valid, both minutes included. All others are",
    "Only the first `in` and the last `out` of each day count; punches in between change nothing.",
    '"Later" and "earlier" mean by at least one minute.',
    "A workday with no valid punch is an **absent** day.",
    "Every other workday is a day **present**.",
    "fixed hours: the first `in` is later than the start plus the grace for coming late.",
    "Late minutes are counted from the start itself, not from the end of the grace.",
    "flexible hours: the first `in` is more than 30 minutes after the start. Late minutes are",
    "fixed hours: the last `out` is earlier than the end minus the grace for leaving early.",
    "Early minutes are counted from the last `out` to the end itself.",
    "flexible hours: the time from the first `in` to the last `out`, minus 60 minutes for lunch,",
    "is less than 9 hours. Early minutes are the shortfall from 9 hours. There is no grace.",
    "A day can be both late and early. An absent day is neither, and it has no overtime.",
    "A day present is a **remote** day if any of its valid punches has the tag `remote`.",
    "Hours and lateness are counted as in the office.",
    "is the time from 18:30, or from the end of the department's hours if that is later, to the",
    "only full blocks of 30 minutes count: 29 minutes count as 0, 59 minutes as 30.",
    "For that department the day does not count at all: punches on it are ignored",
    "On a closure day nobody is present, absent, late, early or remote, and there is no overtime.",
    "For the other departments it is a day like any other.",
)
ONE_PUNCH_RULES: Mapping[bool, tuple[str, ...]] = {
    True: ("So is a workday without a valid `in` or without a valid `out`.",),
    False: (
        "With only a valid `in` or only a valid `out`, the day counts as present.",
        "Without a valid `in`, it is not late; leaving early and overtime count as on any other",
        "Without a valid `out`, it is not early and has no overtime.",
    ),
}
"""The manual's rules for days with only one punch, by whether such a day is absent."""

# rules of the objective ---------------------------------------------------------------------

_ROUNDING = "Round only the final result."
_ANY_ORDER = "The order of the employees does not matter."
_BY_TYPE: Mapping[AttendanceQueryType, tuple[str, ...]] = {
    AttendanceQueryType.HAS: (
        "find out whether anybody came late or left early.",
        "whether anybody has a late day or an early day in the period",
        "days present in the period, summed over all employees",
    ),
    AttendanceQueryType.ABSENCE: (
        "count the days on which employees were absent.",
        "absent days, summed over all employees",
    ),
    AttendanceQueryType.AVERAGE_DAYS: (
        "calculate the average number of late days (days on which somebody came too late) and of",
        "early days (days on which somebody left too early) per employee.",
        "late days of all employees, divided by the number of employees, two decimals",
        "early days of all employees, divided by the number of employees, two decimals",
        _ROUNDING,
    ),
    AttendanceQueryType.OVERTIME: (
        "calculate the average overtime per employee.",
        "hours of overtime of all employees, divided by the number of employees, two decimals",
        _ROUNDING,
    ),
    AttendanceQueryType.STATISTICS: (
        "prepare the attendance statistics.",
        "late days per employee, two decimals",
        "early days per employee, two decimals",
        "absent days per employee, two decimals",
        "as a percentage (0 to 100, two decimals) of their days present and absent together",
        _ROUNDING,
    ),
    AttendanceQueryType.EXTREME: (_ANY_ORDER,),
    AttendanceQueryType.TOP: (_ANY_ORDER,),
    AttendanceQueryType.REMOTE: (
        "name the employee with the most remote days (all of them if several tie).",
        _ANY_ORDER,
    ),
    AttendanceQueryType.PERFECT: (
        "name the employees with perfect attendance (no late, no early and no absent day).",
        _ANY_ORDER,
    ),
}


def rules_for(brief: AttendanceBrief) -> tuple[str, ...]:
    """The rules that the objective states about its question."""
    return (*_BY_TYPE[brief.question.type], *_ranking_rules(brief.question))


def _ranking_rules(question: AttendanceQuery) -> tuple[str, ...]:
    """The rules of ranking and ties; none if the question ranks nobody."""
    metric = question.ranks_by
    if metric is None:
        return ()
    if question.mode is None:
        return (
            f"name the top {question.percent} per cent of employees by {metric} days",
            f"{DAYS[metric]}):",
            f"rank by {metric} days, then {metric} minutes, both descending; take the first",
            f"employees, and everyone who has as many {metric} days and {metric} minutes as the",
            "last of them.",
        )
    end = "most" if question.mode.most else "fewest"
    rules = (
        f"name the employee with the {end} {metric} days ({DAYS[metric]}; break ties by the",
        f"{end} {metric} minutes, and name everybody who still ties",
    )
    if question.mode.most:
        return rules
    return (*rules, f"an employee with no {metric} day counts as 0 days and 0 minutes).")


def counted_rule(count: int, heads: int) -> str:
    """The rule that the top per cent of *heads* employees are *count* people."""
    return f"take the first {count} of {heads} employees"
