"""A world of an own office: its mails, meetings, rooms, name and colleagues, through the tools."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.meta_tasks.offices.test_reading_an_office import EVENT, MAIL, edit
from trainee_bench.harness.integrations.harbor.tasks import prompt_of
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.meta_tasks.tool_client import ToolFailed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    folder = tmp_path / "nordlicht"
    shutil.copytree(template_folder(), folder)
    (folder / "mail").mkdir()
    (folder / "mail" / "1.eml").write_text(MAIL, encoding="utf-8")
    late = MAIL.replace("fair-1", "fair-2").replace("Fri, 27 Feb 2026 10", "Mon, 02 Mar 2026 11")
    late = late.replace("Subject: Trade fair", "Subject: Re: Trade fair")
    (folder / "mail" / "2.eml").write_text(late, encoding="utf-8")
    (folder / "calendar.ics").write_text(EVENT.format(more=""), encoding="utf-8")
    return folder


@pytest.fixture
async def day(folder: Path) -> AsyncIterator[StagedDay]:
    open_office(folder)
    staged = await stage_day(single_task_day("nordlicht.travel_expenses", 3))
    async with staged.world:
        yield staged


async def test_earlier_mails_lie_in_the_mailbox_and_later_ones_arrive(day: StagedDay) -> None:
    (mail,) = (await day.call("mail_list", {})).data["mails"]
    assert mail["subject"] == "Trade fair"
    assert mail["at"].startswith("2026-02-27T10:00")
    await day.call("desk_wait", {"until": "12:00", "wake": False})
    subjects = [mail["subject"] for mail in (await day.call("mail_list", {})).data["mails"]]
    assert subjects == ["Re: Trade fair", "Trade fair"]


async def test_a_mail_to_a_colleague_by_name_reaches_their_own_address(day: StagedDay) -> None:
    sent = await day.call(
        "mail_send", {"to": ["Emre Yıldız"], "subject": "Hello", "body": "Good morning."}
    )
    assert "emre.yildiz@nordlicht.example" in str(sent.data)
    with pytest.raises(ToolFailed, match="chat_list_people"):
        await day.call(
            "mail_send", {"to": ["nobody@nordlicht.example"], "subject": "Hello", "body": "Hi."}
        )


async def test_rooms_are_those_of_the_office(day: StagedDay) -> None:
    found = await day.call("calendar_find_rooms", {"starts": "14:00", "ends": "15:00", "people": 5})
    assert found.data["rooms"] == {"Sund": 6, "Firn": 10}
    booking = {"title": "A talk", "starts": "14:00", "ends": "15:00", "attendees": ["Li Lei"]}
    with pytest.raises(ToolFailed, match="Fjord, Sund, Firn"):
        await day.call("calendar_book", {**booking, "room": "Room_01"})
    await day.call("calendar_book", {**booking, "room": "Fjord"})


async def test_meetings_of_the_calendar_make_people_busy(day: StagedDay) -> None:
    busy = await day.call("calendar_find_busy", {"people": ["Nora Weiss"]})
    assert [span["starts"] for span in busy.data["busy"]["nora.weiss"]] == ["2026-03-02T10:00:00"]
    (meeting,) = (await day.call("calendar_list", {})).data["meetings"]
    assert (meeting["title"], meeting["room"]) == ("Weekly round", "Firn")


async def test_everybody_tells_what_the_office_knows(day: StagedDay) -> None:
    question = "Where is the travel policy?"
    await day.call("chat_send_message", {"to": "Mette Holm", "text": question})
    await day.call("desk_wait", {"until": "09:30", "wake": True})
    history = (await day.call("chat_read_history", {})).data["messages"]
    assert "drive:/handbook/travel_policy.md" in history[-1]["text"]


async def test_pages_state_the_values_of_rules(day: StagedDay) -> None:
    page = await day.call("files_read", {"path": "drive:/handbook/travel_policy.md"})
    assert "up to 32 euros" in page.data["text"]
    assert "{" not in page.data["text"]


async def test_the_prompt_names_the_company(day: StagedDay) -> None:
    assert "Nordlicht Optik GmbH" in await prompt_of(day.composition)


def test_the_same_day_of_a_changed_office_is_refused(folder: Path, tmp_path: Path) -> None:
    reference = open_office(folder).reference
    tasks = (TaskSpec(rule="nordlicht.travel_expenses"),)
    scenario = Scenario(name="one", days=(DaySpec(tasks=tasks),), office=reference)
    compose_day(scenario)
    changed = tmp_path / "changed" / "nordlicht"
    shutil.copytree(folder, changed)
    edit(changed, "rooms.csv", "Fjord,4", "Fjord,5")
    os.environ[VARIABLE] = str(changed)
    with pytest.raises(CompositionError, match="has changed"):
        compose_day(scenario)


def test_a_task_of_an_office_cannot_be_on_a_day_of_another_company(folder: Path) -> None:
    open_office(folder)
    tasks = (TaskSpec(rule="nordlicht.travel_expenses"),)
    with pytest.raises(CompositionError, match='"office": "nordlicht"'):
        compose_day(Scenario(name="one", days=(DaySpec(tasks=tasks),)))


def test_a_rule_that_the_company_lacks_something_for_says_what(folder: Path) -> None:
    open_office(folder)
    tasks = (TaskSpec(rule="meeting_book.capacity.c1"),)
    scenario = Scenario(name="one", days=(DaySpec(tasks=tasks),), office="nordlicht")
    with pytest.raises(CompositionError, match="rooms by their equipment"):
        compose_day(scenario)
