"""A value of a rule is stated once, and pages, mails and answers of colleagues show it."""

from __future__ import annotations

import os
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from tests.meta_tasks.offices.test_reading_an_office import MAIL, edit
from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.testbench.staged_day import StagedDay, single_task_day, stage_day
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office, replaced
from trainee_bench.meta_tasks.offices.source import OfficeError

KNOWN = "known.yaml"
LETTER = "tasks/customer_reply/mail.eml"
REPLY = "tasks/customer_reply/task.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    folder = tmp_path / "nordlicht"
    shutil.copytree(template_folder(), folder)
    (folder / "mail").mkdir()
    late = MAIL.replace("Fri, 27 Feb 2026 10", "Mon, 02 Mar 2026 09").replace("fair-1", "fair-2")
    for name, text in {"1.eml": MAIL, "2.eml": late}.items():
        stated = text.replace("The stand is booked.", "Meals: up to {meal_limit} euros.")
        (folder / "mail" / name).write_text(stated, encoding="utf-8")
    edit(folder, KNOWN, "travel_policy.md.", "travel_policy.md; a meal is {meal_limit} euros.")
    return folder


async def texts_of(day: StagedDay) -> list[str]:
    await day.call("chat_send_message", {"to": "Li Lei", "text": "Where is the travel policy?"})
    await day.call("desk_wait", {"until": "10:00", "wake": False})
    mails = (await day.call("mail_list", {})).data["mails"]
    found = [(await day.call("mail_read", {"mail": mail["id"]})).data["text"] for mail in mails]
    messages = (await day.call("chat_read_history", {"peer": "Li Lei"})).data["messages"]
    return [*found, messages[-1]["text"]]


async def test_mails_and_colleagues_state_the_value(folder: Path) -> None:
    office = open_office(folder)
    for value in ("32", "41"):
        with replaced(office.with_policy("meal_limit", Decimal(value))):
            day = await stage_day(single_task_day("nordlicht.travel_expenses", 0))
        async with day.world:
            texts = await texts_of(day)
        assert len(texts) == 3
        assert all(f"{value} euros" in text and "{" not in text for text in texts), texts


def with_a_value_in_the_letter(folder: Path, sentence: str) -> None:
    edit(folder, LETTER, "It was bought on 2024-11-20.", f"It was bought on 2024-11-20. {sentence}")
    edit(folder, REPLY, "facts:", "policy: {price: 95}\nfacts:")
    edit(
        folder,
        REPLY,
        "by the warranty.\n    says:",
        "by the warranty. It costs {price}.\n    says:",
    )
    edit(folder, REPLY, '- "{ready}"', '- "{ready}"\n      - "{price}"')


async def broken(*claims: str) -> dict[str, list[str]]:
    certificate = await certify("nordlicht.customer_reply", range(1), claims)
    return {claim.name: claim.broken for claim in certificate.claims if claim.broken}


async def test_a_mail_of_a_task_states_a_value_that_honest_work_reads_there(folder: Path) -> None:
    with_a_value_in_the_letter(folder, "I would pay {price} euros.")
    open_office(folder)
    assert await broken("solvable", "live policy", "grounds") == {}
    day = await stage_day(single_task_day("nordlicht.customer_reply", 0))
    async with day.world:
        await day.work()
        (sent,) = (await day.call("mail_list", {"label": "sent"})).data["mails"]
        text = (await day.call("mail_read", {"mail": sent["id"]})).data["text"]
    assert "It costs 95." in text


async def test_live_policy_sees_a_number_beside_a_value_of_a_mail(folder: Path) -> None:
    with_a_value_in_the_letter(folder, "I would pay {price} euros, or 17 kroner.")
    open_office(folder)
    (flaw,) = (await broken("live policy"))["live policy"]
    assert "mail.eml states 17 as a plain number" in flaw


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("mail/1.eml", "Subject: Trade fair", "Subject: Up to {meal_limit}", "in the subject"),
        (KNOWN, "Where is the travel policy?", "Why {meal_limit} euros?", "in ask"),
        (REPLY, "facts:", "policy: {price: 95}\nfacts:", "no page that the task names contains"),
    ],
)  # fmt: skip
def test_a_name_where_no_value_is_filled_in_is_refused(
    folder: Path, file: str, old: str, new: str, words: str
) -> None:
    edit(folder, file, old, new)
    with pytest.raises(OfficeError) as refused:
        read_office(folder)
    assert words in str(refused.value)
    assert Path(file).name in str(refused.value)


# the request ----------------------------------------------------------------------------------


async def test_a_request_begins_with_the_name_of_who_asks(folder: Path) -> None:
    edit(folder, REPLY, "Please answer", "For me, please answer")
    open_office(folder)
    day = await stage_day(single_task_day("nordlicht.customer_reply", 0))
    async with day.world:
        tasks = (await day.call("desk_tasks", {})).data["tasks"]
        assert tasks[0]["objective"].startswith("Nora Weiss asks:\n\nFor me, please answer")
        assert not await day.work()


async def test_the_requester_is_named_so_that_they_can_get_the_result(folder: Path) -> None:
    edit(folder, REPLY, "from: Nora Weiss", "from: Greta Sommer")
    edit(folder, REPLY, "cc: [Nora Weiss]", "cc: [Nora Weiss, Greta Sommer]")
    edit(folder, REPLY, "Please answer", "With a copy to me, please answer")
    open_office(folder)
    assert await broken("solvable", "grounds") == {}
