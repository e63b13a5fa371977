"""The cheapest evaluation: all punches count, as if no department had been closed."""

from __future__ import annotations

from trainee_bench.meta_tasks.authoring import ToolClient, hand_in, read_brief, read_text
from trainee_bench.meta_tasks.families.attendance import documents
from trainee_bench.meta_tasks.families.attendance.brief import OBJECTIVE
from trainee_bench.meta_tasks.families.attendance.deliverables import compute_answer
from trainee_bench.meta_tasks.families.attendance.policy import AttendanceSheet


async def count_every_day(client: ToolClient) -> None:
    """Hand in what the files alone say."""
    brief = await read_brief(client, OBJECTIVE)
    listed = await client.call("files_list", folder=brief.folder)
    paths = [str(entry["path"]) for entry in listed.data["entries"]]
    manual, roster, punches = [
        await read_text(client, next(path for path in paths if path.endswith(ending)))
        for ending in (".md", "roster.json", ".csv")
    ]
    rules, _ = documents.parse_manual(manual, brief.scope)
    staff = documents.parse_roster(roster)
    asked = [one for one in staff if one.department in brief.scope.departments]
    rules_by_id = {one.employee_id: rules[one.department] for one in asked}
    found = documents.parse_punches(punches, rules_by_id)
    days = brief.days
    entries = [[found.get((one.employee_id, day.isoformat())) for day in days] for one in asked]
    sheet = AttendanceSheet(asked, days, entries, rules)
    open_all_month = {name: list[int]() for name in brief.scope.departments}
    answer = compute_answer(brief.question, sheet, open_all_month)
    await hand_in(client, brief.output, answer.as_deliverable(brief.question))
