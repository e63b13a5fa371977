"""Built-in tasks on days of an own office: they work where the company has what they need, and are
otherwise refused with the remedy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError

pytestmark = pytest.mark.timeout(300)
ROLES = (
    "{hr: People, sales_1: Sales, sales_2: Service, sales_3: Finance, marketing: Sales, "
    "product: Service, executive: Management}"
)
OWN = "nordlicht.customer_reply"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    folder = tmp_path / "nordlicht"
    shutil.copytree(template_folder(), folder)
    return folder


def given(folder: Path, *, roles: str = "{}", handbook: bool = False) -> None:
    """Write these roles and pages into office.yaml, and open the office."""
    file = folder / "office.yaml"
    lines = file.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("roles:", "handbook:"))]
    kept += [f"roles: {roles}", f"handbook: {str(handbook).lower()}"]
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")
    open_office(folder)


def scenario(*rules: str, week: bool = False) -> Scenario:
    days = [DaySpec(tasks=tuple(TaskSpec(rule=rule) for rule in rules))]
    if week:
        days += [DaySpec(name=f"day_{number}", tasks=()) for number in range(2, 6)]
    return Scenario(name="mixed", seed=4, office="nordlicht", days=tuple(days), week=week)


async def worked(*rules: str, week: bool = False) -> StagedDay:
    """Return the day after honest work; its tasks did not fail."""
    day = await stage_day(compose_day(scenario(*rules, week=week)))
    assert await day.work() == {}
    return day


def refusal(*rules: str, week: bool = False) -> str:
    with pytest.raises(CompositionError) as refused:
        compose_day(scenario(*rules, week=week))
    return str(refused.value)


@pytest.mark.parametrize(
    ("rule", "role"),
    [
        ("ads_strategy.balanced.easy", "marketing: Finance"),
        ("sales.top_sales_employee", "sales_1: Finance, sales_2: Logistics, sales_3: Management"),
        ("attendance.total_absence_days.L3", ": Finance"),
        ("website_analysis.slow_page", "marketing: Finance"),
    ],
)
def test_a_task_whose_department_is_missing_is_refused_with_the_line_for_office_yaml(
    folder: Path, rule: str, role: str
) -> None:
    given(folder)
    told = refusal(OWN, rule)
    assert told.startswith(f"{rule} does not fit Nordlicht Optik GmbH")
    assert "roles: {" in told and role in told


def test_departments_with_the_same_people_cannot_be_three_sales_departments(folder: Path) -> None:
    given(folder, roles="{sales_1: Sales, sales_2: Sales, sales_3: Sales}")
    assert "three departments that sell, each with its own people" in refusal(
        "sales.all_depts_qoq_count"
    )


@pytest.mark.parametrize(
    "rule",
    [
        "resume_select.pool6",
        "sales.per_dept_top_n",
        "transactions.n2.a0",
        "ads_strategy.balanced.very_easy",
        "data_completion.logistics.eta_distance_sla.very_easy",
    ],
)
async def test_with_roles_honest_work_finds_the_departments_that_tasks_name(
    folder: Path, rule: str
) -> None:
    given(folder, roles=ROLES)
    day = await worked(OWN, rule)
    async with day.world:
        assert [grade.score for grade in await day.grades()] == [1.0, 1.0]


async def test_a_week_of_built_in_and_own_tasks_is_worked(folder: Path) -> None:
    given(folder, roles=ROLES)
    day = await worked(OWN, "week.readings", week=True)
    async with day.world:
        assert [grade.score for grade in await day.grades()] == [1.0, 1.0]


async def test_the_directory_finds_a_department_by_its_role(folder: Path) -> None:
    given(folder, roles="{hr: People}")
    day = await stage_day(compose_day(scenario(OWN)))
    async with day.world:
        found = await day.call("chat_list_people", {"department": " hr"})
        assert {person["name"] for person in found.data["people"]} == {"Clara Voss", "Anton Beck"}


def test_a_head_whom_no_title_shows_is_refused_by_name(folder: Path) -> None:
    people = folder / "people.csv"
    text = people.read_text(encoding="utf-8")
    people.write_text(text.replace("Paula Richter,Head of Sales", "Paula Richter,Sales"), "utf-8")
    given(folder, roles=ROLES)
    told = refusal("ads_strategy.balanced.easy")
    assert "Paula Richter leads Sales, but titles do not show it" in told


def test_a_task_that_needs_a_page_of_the_built_in_company_names_the_entry_that_keeps_it(
    folder: Path,
) -> None:
    given(folder, roles=ROLES)
    assert "write handbook: true in office.yaml" in refusal("meeting_attend.check.u1")


async def test_the_kept_pages_are_enough_for_such_a_task(folder: Path) -> None:
    given(folder, roles=ROLES, handbook=True)
    day = await worked("meeting_attend.check.u1")
    async with day.world:
        assert [grade.score for grade in await day.grades()] == [1.0]


def test_the_roster_is_refused_where_nobody_has_the_title_that_the_monitor_names(
    folder: Path,
) -> None:
    given(folder, roles=ROLES.replace("}", ", engineering: Finance}"))
    assert "the HR Manager keeps the roster, but Clara Voss" in refusal(
        "website_analysis.slow_page"
    )
