"""Honest work counts by the manual and leaves out the closure days that a colleague tells.

The shortcut counts every day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.authoring.solving import check_rules
from trainee_bench.meta_tasks.families.attendance.brief import (
    OBJECTIVE,
    AttendanceBrief,
    ClosureDay,
    about,
    closures_fact,
)
from trainee_bench.meta_tasks.families.attendance.deliverables import compute_answer, top_count
from trainee_bench.meta_tasks.families.attendance.subject import documents
from trainee_bench.meta_tasks.families.attendance.subject.documents import (
    parse_manual,
    parse_punches,
    parse_roster,
)
from trainee_bench.meta_tasks.families.attendance.subject.policy import (
    AttendanceRules,
    AttendanceSheet,
    Employee,
)
from trainee_bench.meta_tasks.families.attendance.subject.query import DepartmentScope
from trainee_bench.meta_tasks.families.attendance.subject.rules import (
    MANUAL_RULES,
    OBJECTIVE_RULES,
    ONE_PUNCH_RULES,
    counted_rule,
    rules_for,
)
from trainee_bench.meta_tasks.tool_client import first
from trainee_bench.meta_tasks.work.achieving import FileHas, HandedIn
from trainee_bench.meta_tasks.work.asking import Question, Told
from trainee_bench.meta_tasks.work.need import Work
from trainee_bench.meta_tasks.work.reading import FileText, Page, PersonCalled, TaskBrief
from trainee_bench.meta_tasks.work.sources import Listing


@dataclass(frozen=True)
class ClosureDays(Question[tuple[ClosureDay, ...]]):
    """A question for the closure days of a month; *month* is its first day."""

    scope: DepartmentScope
    month: date
    csv: str

    @property
    def subjects(self) -> tuple[str, ...]:
        """The closure days of the scope in the month."""
        return (self._in(self.month),)

    def _in(self, month: date) -> str:
        return f"closure days of {self.scope} in {month:%Y-%m}"

    def ask(self, missing: Sequence[str]) -> str:
        """Ask for all days of the month."""
        return closures_fact(self.scope).question(about(self.scope, self.month, self.csv))

    def read(self, text: str) -> Mapping[str, tuple[ClosureDay, ...]]:
        """The closure days in *text*, by month."""
        told = closures_fact(self.scope).answer.search(text)
        return {} if told is None else {self._in(told.month): told.days}


async def honest_work(work: Work, task: str) -> None:
    """Read the manual, ask for the closure days, and count the punches without them."""
    brief = await work(TaskBrief(task, OBJECTIVE, OBJECTIVE_RULES, rules_for))
    paths = await work(Listing(brief.folder))
    manual, roster, punches = (
        first(path for path in paths if path.endswith(ending))
        for ending in (".md", "roster.json", ".csv")
    )
    text = await work(Page(manual, MANUAL_RULES))
    rules, contact = parse_manual(text, brief.scope)
    check_rules(manual, text, ONE_PUNCH_RULES[rules[brief.scope.departments[0]].missing_is_absent])
    knows = await work(PersonCalled(contact))
    question = ClosureDays(brief.scope, brief.first.replace(day=1), punches)
    told, staff, records = await work.three(
        Told(task, knows.id, question), FileText(roster, task), FileText(punches, task)
    )
    (closures,) = (told[subject] for subject in question.subjects)
    sheet = _sheet(brief, rules, parse_roster(staff), records)
    closed = {
        name: [sheet.days.index(closure.day) for closure in closures if closure.department == name]
        for name in brief.scope.departments
    }
    answer = compute_answer(brief.question, sheet, closed).as_deliverable(brief.question)
    await work(HandedIn(task, (FileHas(brief.output, answer.model_dump_json(indent=2)),)))


def _sheet(
    brief: AttendanceBrief,
    rules: Mapping[str, AttendanceRules],
    staff: Sequence[Employee],
    records: str,
) -> AttendanceSheet:
    """The sheet of the employees and days in question."""
    asked = [employee for employee in staff if employee.department in brief.scope.departments]
    if brief.question.percent:
        count = top_count(len(asked), brief.question.percent)
        check_rules("the objective", brief.task, [counted_rule(count, len(asked))])
    rules_by_id = {employee.employee_id: rules[employee.department] for employee in asked}
    found = parse_punches(records, rules_by_id)
    entries = [
        [found.get((employee.employee_id, f"{day}")) for day in brief.days] for employee in asked
    ]
    return AttendanceSheet(asked, brief.days, entries, rules)


async def count_every_day(client: ToolClient) -> None:
    """Hand in the result of the files alone, without asking for closure days."""
    brief = await read_brief(client, OBJECTIVE)
    listed = await client.call("files_list", folder=brief.folder)
    paths = [str(entry["path"]) for entry in listed.data["entries"]]
    manual, roster, punches = [
        await read_text(client, first(path for path in paths if path.endswith(ending)))
        for ending in (".md", "roster.json", ".csv")
    ]
    rules, _ = documents.parse_manual(manual, brief.scope)
    staff = documents.parse_roster(roster)
    asked = [employee for employee in staff if employee.department in brief.scope.departments]
    rules_by_id = {employee.employee_id: rules[employee.department] for employee in asked}
    found = documents.parse_punches(punches, rules_by_id)
    days = brief.days
    entries = [
        [found.get((employee.employee_id, day.isoformat())) for day in days] for employee in asked
    ]
    sheet = AttendanceSheet(asked, days, entries, rules)
    open_all_month = {name: list[int]() for name in brief.scope.departments}
    answer = compute_answer(brief.question, sheet, open_all_month)
    await hand_in(client, brief.output, answer.as_deliverable(brief.question))
