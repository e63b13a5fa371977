"""Code computes the values of a mail, and the people and the time of a meeting."""

from __future__ import annotations

import os
import shutil
from datetime import time
from pathlib import Path

import pytest

from tests.meta_tasks.offices.computed_tasks import add_computed_tasks
from tests.meta_tasks.offices.test_reading_an_office import edit
from trainee_bench.harness.certification.certificates import certify
from trainee_bench.harness.scaffolding.office_folder import template_folder
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.offices.hand_ins import MailAnswer, MeetingAnswer
from trainee_bench.meta_tasks.offices.named_values import people_named, statements
from trainee_bench.meta_tasks.offices.office import read_office
from trainee_bench.meta_tasks.offices.opened import VARIABLE, open_office
from trainee_bench.meta_tasks.offices.source import OfficeError
from trainee_bench.meta_tasks.task_context import CompositionError
from trainee_bench.world.apps.calendar import Calendar
from trainee_bench.world.meetings.meeting import Meeting

HOTELS, TALK = "nordlicht.hotels", "nordlicht.talk"
MAIL, CODE = "tasks/hotels/task.yaml", "tasks/hotels/answer.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, os.environ.get(VARIABLE, ""))
    shutil.copytree(template_folder(), tmp_path / "nordlicht")
    add_computed_tasks(tmp_path / "nordlicht")
    return tmp_path / "nordlicht"


def mail_at(seed: int) -> MailAnswer:
    result = single_task_day(HOTELS, seed).tasks[0].instance.graded.truth.result
    assert isinstance(result, MailAnswer)
    return result


async def worked(rule: str, seed: int, variant: str = "") -> TaskGrade:
    day = await stage_day(single_task_day(rule, seed))
    task = day.composition.tasks[0]
    ways = {way.name: way.work for way in task.meta_task.family_class.solver_variants()}
    async with day.world:
        await day.work({task.id: ways[variant]} if variant else {})
        (grade,) = await day.grades()
    return grade


# mails ----------------------------------------------------------------------------------------


async def test_the_right_mail_differs_by_seed_and_honest_work_writes_it(folder: Path) -> None:
    open_office(folder)
    assert len({mail_at(seed).says for seed in range(4)}) == 4
    for seed in range(2):
        assert (await worked(HOTELS, seed)).success


@pytest.mark.parametrize(
    "variant",
    ["another total", "another dearest", "every dearest of the files", "wrong text 1", "no facts"],
)
async def test_a_mail_with_a_wrong_value_or_without_one_fails(folder: Path, variant: str) -> None:
    open_office(folder)
    assert not (await worked(HOTELS, 0, variant)).success


async def test_a_mail_that_lists_every_candidate_fails(folder: Path) -> None:
    open_office(folder)
    composition = single_task_day(HOTELS, 0)
    right = mail_at(0)
    day = await stage_day(composition)
    async with day.world:
        await day.work()
        said = " ".join(group[0] for group in right.says)
        body = f"{said}. Or {' '.join(right.never[:40])}."
        to = ["Jörg Müller-Groß"]
        await day.call("mail_send", {"to": to, "subject": "Hotels", "body": body})
        (grade,) = await day.grades()
    assert not grade.success


def test_a_list_stands_for_each_of_its_items() -> None:
    values = {"names": ("Li Lei", "Nora Weiss"), "total": "x"}
    assert people_named(["{names}", "Li Lei", "{total}"], values) == ("Li Lei", "Nora Weiss", "x")
    assert statements(["with {names}|by {names}"], values) == (
        ("with Li Lei", "by Li Lei"),
        ("with Nora Weiss", "by Nora Weiss"),
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (MAIL, "answer: answer.py\nchecked: checked.csv", "", "{dearest} is no fact and no policy"),
        (MAIL, "answer: answer.py", "answer: other.py", "there is no file"),
        (MAIL, "[Jörg Müller-Groß]\n    subject", "['{chef}']\n    subject", ""),
    ],
)  # fmt: skip
def test_a_name_that_nothing_gives_is_refused(
    folder: Path, file: str, old: str, new: str, words: str
) -> None:
    edit(folder, file, old, new)
    if words:
        with pytest.raises(OfficeError) as refused:
            read_office(folder)
        assert words in str(refused.value)
    else:
        open_office(folder)
        with pytest.raises(CompositionError, match="hand_in names chef, dearest, others, total"):
            single_task_day(HOTELS, 0)


def test_code_that_the_mail_does_not_use_is_refused(folder: Path) -> None:
    reply = "tasks/customer_reply/task.yaml"
    (folder / "tasks" / "customer_reply" / "answer.py").write_text("def answer(f, g, p): return {}")
    edit(folder, reply, "domain:", "answer: answer.py\ndomain:")
    with pytest.raises(OfficeError, match="names no value that the code could compute"):
        read_office(folder)


@pytest.mark.parametrize(
    ("rule", "file", "old", "new", "words"),
    [
        (HOTELS, CODE, '"dearest": dearest', '"dearest": []', "an empty list as dearest"),
        (HOTELS, CODE, '"dearest": dearest', '"dearest": " - "', "an empty text as dearest"),
        (HOTELS, CODE, '"others": others', '"others": [""]', "an empty text as others"),
        (TALK, "tasks/talk/answer.py", "for shift in first]", "for shift in []]",
         "an empty list as people"),
    ],
)  # fmt: skip
def test_code_by_which_a_result_would_ask_for_nothing_is_refused(
    folder: Path, rule: str, file: str, old: str, new: str, words: str
) -> None:
    edit(folder, file, old, new)
    open_office(folder)
    with pytest.raises(CompositionError, match=words):
        single_task_day(rule, 0)


def test_there_may_be_nothing_that_a_mail_must_not_say(folder: Path) -> None:
    edit(folder, CODE, '"others": others', '"others": []')
    open_office(folder)
    assert mail_at(0).never == ()


async def broken(rule: str, *claims: str) -> list[str]:
    return [claim.name for claim in (await certify(rule, range(1), claims)).claims if claim.broken]


CLAIMS = ("solvable", "live policy", "second opinion", "wrong list", "grounds", "counterfactuals")


async def test_the_claims_about_tables_hold_for_a_computed_mail(folder: Path) -> None:
    open_office(folder)
    assert await broken(HOTELS, *CLAIMS) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "claim"),
    [
        (CODE, 'policy["hotel_limit"]', "130", "live policy"),
        (CODE, "max(hotels", "min(hotels", "second opinion"),
        (CODE, 'facts["surcharge"] / 100', "0", "counterfactuals"),
        (MAIL, "  - The dearest expense is {dearest}.", "", "wrong list"),
        (MAIL, 'says: ["{total}", "{dearest}"]', 'says: ["{dearest}", "to the moon"]', "grounds"),
        (MAIL, "checked: checked.csv", "", "second opinion"),
        (MAIL, '["{others}"]', '["{others} or none"]', "mutants"),
    ],
)  # fmt: skip
async def test_a_wrong_key_of_a_computed_mail_breaks_a_claim(
    folder: Path, file: str, old: str, new: str, claim: str
) -> None:
    edit(folder, file, old, new)
    open_office(folder)
    assert claim in await broken(HOTELS, claim)


# meetings -------------------------------------------------------------------------------------


async def test_people_and_time_of_a_meeting_are_computed(folder: Path) -> None:
    open_office(folder)
    results = [single_task_day(TALK, seed).tasks[0].instance.graded.truth.result for seed in (0, 1)]
    assert all(isinstance(result, MeetingAnswer) for result in results)
    assert results[0].people != results[1].people or results[0].not_before != results[1].not_before
    for seed in (0, 1):
        assert (await worked(TALK, seed)).success
    for variant in ("somebody else, too", "somebody else instead"):
        assert not (await worked(TALK, 0, variant)).success


async def test_the_claims_hold_for_a_computed_meeting(folder: Path) -> None:
    open_office(folder)
    assert await broken(TALK, *CLAIMS) == []


@pytest.mark.parametrize(
    ("rule", "file", "old", "new", "words"),
    [
        (TALK, "tasks/talk/answer.py", 'shift["person"]', '"Nobody"', "is called 'Nobody'"),
        (TALK, "tasks/talk/answer.py", "start.time()", '"noon"', "start is no clock time"),
        (HOTELS, MAIL, "to: [Jörg Müller-Groß]", 'to: ["{dearest}"]', "is no mail address"),
        (HOTELS, CODE, '"dearest": dearest', '"dearest": ""', "an empty text as dearest"),
        (HOTELS, CODE, '"others": others', '"rest": others', "but hand_in names"),
        (HOTELS, CODE, "return {", "return [", "answer.py"),
    ],
)  # fmt: skip
async def test_values_that_no_result_can_state_are_refused(
    folder: Path, rule: str, file: str, old: str, new: str, words: str
) -> None:
    edit(folder, file, old, new)
    open_office(folder)
    with pytest.raises(CompositionError, match=words):
        single_task_day(rule, 0)


@pytest.mark.parametrize(
    ("hours", "starts"),
    [("09:00-17:30", time(13, 30)), ("14:20-17:30", time(14, 30)), ("08:00-14:15", time(13, 30))],
)
async def test_honest_work_books_when_everybody_is_at_work(
    folder: Path, hours: str, starts: time
) -> None:
    edit(folder, "people.csv", "Nora Weiss,Head of Service,Service,Greta Sommer,09:00-17:30,60",
         "Nora Weiss,Head of Service,Service,Greta Sommer,08:00-18:00,2")  # fmt: skip
    edit(folder, "people.csv", "Paula Richter,09:00-18:00,2", f"Paula Richter,{hours},2")
    open_office(folder)
    day = await stage_day(single_task_day("nordlicht.meeting_prep", 0))
    async with day.world:
        await day.work()
        (grade,) = await day.grades()
        meetings: list[Meeting] = await day.world.read(
            lambda tx: Calendar(tx).booked_by(tx.employee)
        )
    assert grade.success
    assert [meeting.starts.time() for meeting in meetings] == [starts]


async def test_honest_work_says_so_if_no_hour_suits_everybody(folder: Path) -> None:
    edit(folder, "people.csv", "Paula Richter,09:00-18:00,2", "Paula Richter,07:00-13:00,2")
    open_office(folder)
    day = await stage_day(single_task_day("nordlicht.meeting_prep", 0))
    async with day.world:
        (error,) = (await day.work()).values()
    assert "everybody is at work" in str(error)
