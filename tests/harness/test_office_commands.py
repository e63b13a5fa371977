"""Own offices from the command line: made, checked, worked, verified, and never run unasked."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.harness.runs import call
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def _no_offices_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))


@pytest.fixture
def office(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    call("office", "new", folder)
    return folder


def test_a_new_office_has_nothing_wrong(office: Path) -> None:
    checked = call("office", "check", office)
    assert "harbour.travel_expenses: computed" in checked.output
    assert "wrong:" not in checked.output


def test_a_new_office_has_its_own_company_and_domain_in_all_texts(tmp_path: Path) -> None:
    call("office", "new", tmp_path / "my_clinic")
    usual = read_office(tmp_path / "my_clinic")
    assert (usual.company.name, usual.company.domain) == ("My Clinic", "my-clinic.example")
    names = ("--company", 'Praxis: "Süd" & Co', "--domain", "sued.example")
    call("office", "new", tmp_path / "practice", *names)
    own = read_office(tmp_path / "practice")
    assert (own.company.name, own.company.domain) == ('Praxis: "Süd" & Co', "sued.example")
    assert own.company.person("Nora Weiss").email == "nora.weiss@sued.example"
    for file in (tmp_path / "practice").rglob("*.*"):
        assert "nordlicht" not in file.read_text(encoding="utf-8").lower(), file


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--domain", "sued", "write it as nordlicht.example"),
        ("--domain", "lund-ship.example", "is not in people.csv"),
        ("--company", "a\nb", "one printable line"),
    ],
)
def test_names_that_no_office_can_have_leave_no_folder(
    tmp_path: Path, option: str, value: str, words: str
) -> None:
    refused = call("office", "new", tmp_path / "practice", option, value, exits=2)
    assert words in " ".join(refused.output.split())
    assert not (tmp_path / "practice").exists()


def test_a_second_new_office_does_not_replace_the_first(office: Path) -> None:
    again = call("office", "new", office, exits=2)
    assert "exists already" in again.output


def test_the_check_names_a_fact_that_nobody_can_ask_for(office: Path) -> None:
    task = office / "tasks" / "customer_reply" / "task.yaml"
    text = task.read_text(encoding="utf-8")
    task.write_text(text.replace("Siobhán O'Neill repairs", "Somebody repairs"), encoding="utf-8")
    checked = call("office", "check", office, exits=1)
    assert "nobody knows whom to ask" in " ".join(checked.output.split())


def test_the_check_says_why_honest_work_falls_short(office: Path) -> None:
    task = office / "tasks" / "meeting_prep" / "task.yaml"
    text = task.read_text(encoding="utf-8")
    task.write_text(text.replace("room: smallest", "room: Attic"), encoding="utf-8")
    checked = call("office", "check", office, exits=1)
    said = " ".join(checked.output.split())
    assert "honest work does not get full score: ToolFailed: there is no hour" in said


def test_the_tasks_of_an_office_are_worked_and_verified_with_it_alone(
    office: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    done = call("run", "--office", office, "--agent", "oracle", "--out", run)
    assert "brings code for its answers" in done.output
    results = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    assert [result["score"] for result in results] == [1.0, 1.0, 1.0]
    reference = open_office(office).reference
    assert {result["identity"]["office"] for result in results} == {reference}
    call("verify", run, "--office", office)
    monkeypatch.setenv(VARIABLE, "")
    alone = call("verify", run, exits=1)
    assert "name its folder with --office" in " ".join(alone.output.split())


def test_a_certificate_leaves_a_badge_that_runs_carry_until_the_office_changes(
    office: Path, tmp_path: Path
) -> None:
    given = ("--office", office, "--seeds", "1", "--claim", "solvable")
    done = call("certify", "harbour.customer_reply", *given)
    assert "harbour.customer_reply: literal · 1 seed · 1 claim" in done.output
    run = tmp_path / "run"
    call("run", "--office", office, "--agent", "nothing", "--out", run)
    assert json.loads((run / "run.json").read_text())["badges"] == {
        "harbour.customer_reply": "literal · 1 seed · 1 claim",
        "harbour.meeting_prep": "not certified",
        "harbour.travel_expenses": "not certified",
    }
    assert "literal · 1 seed · 1 claim" in (run / "report.md").read_text()


def test_a_day_has_own_and_built_in_tasks(office: Path, tmp_path: Path) -> None:
    rules = ["harbour.travel_expenses", "harbour.meeting_prep", "kb_fix.easy"]
    day = {"tasks": [{"rule": rule} for rule in rules]}
    scenario = {"name": "mixed", "office": "harbour", "days": [day]}
    config = tmp_path / "mixed.json"
    config.write_text(json.dumps({"name": "mixed", "scenarios": [scenario]}), encoding="utf-8")
    run = tmp_path / "run"
    call("run", "--config", config, "--office", office, "--agent", "oracle", "--out", run)
    (line,) = (run / "results.jsonl").read_text().splitlines()
    assert json.loads(line)["score"] == 1.0


def test_a_rule_of_an_office_does_not_exist_where_the_office_is_not_open() -> None:
    refused = call("certify", "harbour.travel_expenses", "--seeds", "1", exits=2)
    assert "no rule matches" in " ".join(refused.output.split())


def test_a_folder_without_an_office_is_refused_with_the_remedy(tmp_path: Path) -> None:
    refused = call("certify", "--office", tmp_path, "--seeds", "1", exits=2)
    assert "office new" in " ".join(refused.output.split())


def test_the_guide_describes_every_entry_of_a_task() -> None:
    from trainee_bench.meta_tasks.offices.office_file import OfficeFile
    from trainee_bench.meta_tasks.offices.task_file import (
        FactFile,
        MailHandIn,
        MeetingHandIn,
        TaskFile,
    )

    guide = call("office", "guide").output
    for model in (OfficeFile, TaskFile, FactFile, MailHandIn, MeetingHandIn):
        for name, field in model.model_fields.items():
            assert (field.alias or name) in guide, f"{model.__name__}.{name}"
