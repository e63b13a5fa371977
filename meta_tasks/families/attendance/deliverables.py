"""What is handed in, type by type."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from trainee_bench.meta_tasks.deliverable import Deliverable
from trainee_bench.meta_tasks.families.attendance.query import (
    AttendanceQuery,
    AttendanceQueryType,
    RankingMetric,
)

_PRESENCE_OF_ONE = (
    "control total: minutes from first in to last out, lunch included, added up over all days "
    "that count and have both"
)
_PRESENCE = f"{_PRESENCE_OF_ONE}; of all employees asked about"


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    employee_id: str = Field(description='as in the roster, such as "E1000"')
    name: str = Field(description="as in the roster")


class LateRow(_Row):
    """Somebody and their late days."""

    late_days: int = Field(description="days on which they were late")
    late_minutes: int = Field(description="late minutes on these days, added up")
    presence_minutes: int = Field(description=_PRESENCE_OF_ONE)


class EarlyRow(_Row):
    """Somebody and their early days."""

    early_days: int = Field(description="early days")
    early_minutes: int = Field(description="early minutes on these days, added up")
    presence_minutes: int = Field(description=_PRESENCE_OF_ONE)


class RemoteRow(_Row):
    """Somebody and their remote days."""

    remote_days: int = Field(description="remote days")
    presence_minutes: int = Field(description=_PRESENCE_OF_ONE)


class PerfectRow(_Row):
    """Somebody without a flaw."""

    presence_minutes: int = Field(description=_PRESENCE_OF_ONE)


class LateOrEarly(Deliverable):
    """Whether anybody was late or left early."""

    has_late_or_early: bool = Field(
        description="whether anybody has a late day or an early day in the period"
    )
    person_days: int = Field(
        description="each employee's days present in the period, added up over employees"
    )
    presence_minutes: int = Field(description=_PRESENCE)


class AbsenceDays(Deliverable):
    """How often people were absent."""

    total_absence_days: int = Field(description="absent days, added up over employees")
    presence_minutes: int = Field(description=_PRESENCE)


class AverageDays(Deliverable):
    """Late and early days per head."""

    avg_late_days: float = Field(
        description="late days of all employees, divided by the number of employees, two decimals"
    )
    avg_early_days: float = Field(
        description="early days of all employees, divided by the number of employees, two decimals"
    )
    presence_minutes: int = Field(description=_PRESENCE)


class AverageOvertime(Deliverable):
    """Overtime per head."""

    average_overtime_hours: float = Field(
        description="hours of overtime of all employees, divided by the number of employees, two "
        "decimals"
    )
    presence_minutes: int = Field(description=_PRESENCE)


class AttendanceStatistics(Deliverable):
    """All averages together."""

    employees: int = Field(description="number of employees")
    avg_late_days: float = Field(description="late days per employee, two decimals")
    avg_early_days: float = Field(description="early days per employee, two decimals")
    avg_absence_days: float = Field(description="absent days per employee, two decimals")
    attendance_rate: float = Field(
        description="per cent, 0 to 100, two decimals: days on which employees were present, of "
        "all days that count for them (present and absent)"
    )
    presence_minutes: int = Field(description=_PRESENCE)


class LateEmployees(Deliverable):
    """Those asked for, with their late days."""

    employees: tuple[LateRow, ...] = Field(description="one for each employee asked for")


class EarlyEmployees(Deliverable):
    """Those asked for, with their early days."""

    employees: tuple[EarlyRow, ...] = Field(description="one for each employee asked for")


class RemoteEmployees(Deliverable):
    """Those asked for, with their remote days."""

    employees: tuple[RemoteRow, ...] = Field(description="one for each employee asked for")


class PerfectEmployees(Deliverable):
    """Those without a flaw."""

    employees: tuple[PerfectRow, ...] = Field(description="one for each employee asked for")


PeopleReport = LateEmployees | EarlyEmployees | RemoteEmployees | PerfectEmployees

_MODELS: dict[AttendanceQueryType, type[Deliverable]] = {
    AttendanceQueryType.HAS: LateOrEarly,
    AttendanceQueryType.ABSENCE: AbsenceDays,
    AttendanceQueryType.AVERAGE_DAYS: AverageDays,
    AttendanceQueryType.OVERTIME: AverageOvertime,
    AttendanceQueryType.STATISTICS: AttendanceStatistics,
    AttendanceQueryType.REMOTE: RemoteEmployees,
    AttendanceQueryType.PERFECT: PerfectEmployees,
}


def deliverable_model(question: AttendanceQuery) -> type[Deliverable]:
    """What is handed in to *question*."""
    if question.ranks_by is None:
        return _MODELS[question.type]
    return LateEmployees if question.ranks_by is RankingMetric.LATE else EarlyEmployees
