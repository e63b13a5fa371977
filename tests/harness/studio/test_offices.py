"""The page "Office": what its endpoints tell, what they open, and to whom they say no."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.harness.studio.own_office import (
    RULE,
    broken_office,
    new_office,
    office_benchmark,
    office_run,
)
from tests.harness.studio.shown import got, sent, studio, taken, visitor
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(300)]
TASK = "/api/offices/harbour/tasks/travel_expenses"


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.fixture
def office(tmp_path: Path) -> Path:
    folder = new_office(tmp_path)
    open_office(folder)
    return folder


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    folder = broken_office(tmp_path)
    open_office(folder)
    return folder


@pytest.fixture
def ran_in_broken(broken: Path, tmp_path: Path) -> Path:
    return office_run(broken, tmp_path)


async def test_without_an_office_the_list_is_empty_and_an_address_says_what_to_do() -> None:
    async with visitor() as client:
        assert (await got(client, "/api/offices"))["offices"] == []
        refused = await got(client, "/api/offices/harbour", 404)
        assert "--office FOLDER" in refused["error"]


async def test_the_page_has_the_company_its_people_and_every_task(office: Path) -> None:
    async with visitor() as client:
        page = await got(client, "/api/offices/harbour")
        people = {person["name"]: person for person in page["people"]}
        assert people["Nora Weiss"]["manager"] == "Greta Sommer"
        assert people["Nora Weiss"]["hours"] == "09:00-17:30"
        assert people["Nora Weiss"]["answers_in"] == 60
        assert page["trainee"]["manager"] == "Greta Sommer"
        assert [task["name"] for task in page["tasks"]] == [
            "customer_reply",
            "meeting_prep",
            "travel_expenses",
        ]
        assert {task["badge"] for task in page["tasks"]} == {"not certified"}
        assert page["rooms"] == {"Fjord": 4, "Sund": 6, "Firn": 10}


async def test_a_task_shows_its_facts_and_right_result_at_the_seed(office: Path) -> None:
    async with visitor() as client:
        first, second = [await got(client, TASK, seed=seed) for seed in (0, 1)]
        (fact,) = first["facts"]
        assert fact["who"] == "Tomasz Kern"
        assert fact["told"] != second["facts"][0]["told"]
        assert first["result"]["rows"] and first["result"]["rows"] != second["result"]["rows"]
        assert first["policy"] == {"meal_limit": "32", "hotel_limit": "130"}
        assert first["files"][0] == {
            "name": "expenses",
            "path": "drive:/finance/expenses_2026-02.csv",
            "app": "sheets",
        }
        assert "travel_policy.md" in first["request"]
        await got(client, TASK, 400, seed="one")
        await got(client, "/api/offices/harbour/tasks/nothing", 404)


async def test_honest_work_is_drawn_as_for_a_recorded_day(office: Path) -> None:
    async with visitor() as client:
        drawn = await got(client, f"{TASK}/honest", seed=3)
        (day,) = drawn["days"]
        assert day["picture"][0] == "svg" and "surcharge" in json.dumps(day["picture"])


async def test_the_drive_is_shown_as_an_agent_sees_it_also_without_any_task(office: Path) -> None:
    for file in sorted((office / "tasks").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    async with visitor() as client:
        opened = await sent(client, "/api/offices/harbour/worlds")
        state = f"/api/episodes/{opened['episode']}/state/0/files"
        shown = await got(client, state, item="drive:/handbook/warranty.md")
        assert "Repairs within 24 months" in "\n".join(shown["view"]["file"]["lines"])


async def test_a_page_on_the_drive_has_values_instead_of_their_names(office: Path) -> None:
    async with visitor() as client:
        opened = await sent(client, "/api/offices/harbour/worlds")
        state = f"/api/episodes/{opened['episode']}/state/0/files"
        shown = await got(client, state, item="drive:/handbook/travel_policy.md")
        assert "up to 32 euros" in "\n".join(shown["view"]["file"]["lines"])


async def test_a_day_of_a_task_opens_worked_honestly_and_is_in_no_list(office: Path) -> None:
    async with visitor() as client:
        body = {"task": "travel_expenses", "seed": 2}
        opened = await sent(client, "/api/offices/harbour/worlds", **body)
        facts = await got(client, f"/api/episodes/{opened['episode']}")
        assert (facts["state"], facts["score"], facts["success"]) == ("done", 1.0, True)
        assert facts["steps"] > 5 and facts["staged"]["words"] == "seed 2"
        assert await sent(client, "/api/offices/harbour/worlds", **body) == opened
        assert (await got(client, "/api/runs"))["runs"] == []
        assert (await got(client, "/api/episodes"))["rows"] == []
        honest = await got(client, f"/api/episodes/{opened['episode']}/honest")
        assert honest["days"]


async def test_a_broken_claim_is_told_with_its_world_and_opens_it(broken: Path) -> None:
    async with visitor() as client:
        page = await got(client, TASK)
        certificate = page["certificate"]
        assert certificate["current"] and certificate["holding"] == ["solvable", "second opinion"]
        (claim,) = certificate["broken"]
        assert claim["name"] == "live policy" and claim["says"]
        flaw = claim["flaws"][0]
        assert "policy.meal_limit: the texts say 32" in flaw["text"]
        assert flaw["world"] == "seed 0 · meal_limit 32 → 16"
        body = {"task": "travel_expenses", "claim": "live policy", "flaw": 0}
        opened = await sent(client, "/api/offices/harbour/worlds", **body)
        state = f"/api/episodes/{opened['episode']}/state/0/files"
        shown = await got(client, state, item="drive:/handbook/travel_policy.md")
        assert "up to 16 euros" in "\n".join(shown["view"]["file"]["lines"])
        await sent(client, "/api/offices/harbour/worlds", 404, **(body | {"flaw": 7}))
        lines = (await got(client, "/api/offices/harbour"))["tasks"]
        assert lines[2]["broken"] == ["live policy"]
        assert "broken: live policy" in lines[2]["badge"]
        (line,) = (await got(client, "/api/offices"))["offices"]
        assert line["broken"] == 1


async def test_an_edited_folder_is_read_again_and_its_certificate_is_of_earlier_contents(
    broken: Path,
) -> None:
    async with visitor() as client:
        before = await got(client, "/api/offices/harbour")
        task = broken / "tasks" / "travel_expenses" / "task.yaml"
        text = task.read_text(encoding="utf-8")
        task.write_text(text.replace("Travel expenses of", "Expenses of"), encoding="utf-8")
        after = await got(client, "/api/offices/harbour")
        assert after["tasks"][2]["title"] == "Expenses of February"
        assert after["reference"] != before["reference"]
        assert not (await got(client, TASK))["certificate"]["current"]
        assert after["tasks"][2]["badge"].startswith(
            "not certified: a badge is kept, but it was made"
        )
        assert after["tasks"][2]["broken"] == []
        task.write_text("title: [", encoding="utf-8")
        refused = await got(client, "/api/offices/harbour", 409)
        assert "task.yaml, line" in refused["error"]
        task.write_text(text, encoding="utf-8")
        assert await got(client, "/api/offices/harbour") == before


async def test_a_task_whose_code_fails_is_shown_with_the_reason(office: Path) -> None:
    answer = office / "tasks" / "travel_expenses" / "answer.py"
    answer.write_text("def answer(files, facts, policy):\n    return 1 / 0\n", encoding="utf-8")
    async with visitor() as client:
        page = await got(client, TASK)
        assert "ZeroDivisionError" in page["flaw"] and page["request"]
        refused = await got(client, f"{TASK}/honest", 409)
        assert "ZeroDivisionError" in refused["error"]


async def test_a_certificate_file_from_elsewhere_that_is_damaged_counts_as_none(
    office: Path,
) -> None:
    (office / ".certificates.json").write_text('{"certificates": {"a": 1}}', encoding="utf-8")
    async with visitor() as client:
        assert (await got(client, TASK))["certificate"] is None


async def test_nobody_takes_a_seat_unseen_in_an_office_whose_answers_were_shown(
    office: Path, tmp_path: Path
) -> None:
    async with studio([tmp_path / "runs"], office_benchmark(tmp_path)) as client:
        await got(client, TASK)
        body = {"benchmark": "mine", "scenario": "one"}
        refused = await sent(client, "/api/seats", 409, **body)
        assert "has shown this day" in refused["error"]


async def test_the_answers_stay_hidden_while_a_person_works_in_the_office_unseen(
    office: Path, tmp_path: Path
) -> None:
    async with studio([tmp_path / "runs"], office_benchmark(tmp_path)) as client:
        await taken(client)
        for place in ("/api/offices/harbour", TASK, f"{TASK}/honest"):
            refused = await got(client, place, 409)
            assert "is working a day in it now" in refused["error"]
        await sent(client, "/api/offices/harbour/worlds", 409)


async def test_the_overview_of_a_run_has_the_badge_of_each_task(ran_in_broken: Path) -> None:
    async with visitor(ran_in_broken) as client:
        overview = await got(client, "/api/runs/0/overview")
        assert overview["badges"] == {RULE: "computed · 1 seed · 3 claims · broken: live policy"}
