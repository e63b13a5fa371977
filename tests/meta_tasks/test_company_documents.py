"""The ordinary parts of every company: documents on its drive, public knowledge, small talk."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import combinations

import pytest

from tests.meta_tasks.days import staged
from tests.world.office import COMPANY, DAY, NILS, ROBIN, act, at, office, wait_until
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.company_documents import (
    drive_files,
    initial_events,
    referrals,
    small_talk,
)
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, ScenarioDay, TaskSpec
from trainee_bench.world.apps.chat import MessageArrives, SmallTalk
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.apps.files import FileAppears
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.colleagues.understanding import (
    Intent,
    QuestionInterpreter,
    Topic,
    hear,
    topics_collide,
)
from trainee_bench.world.company.people import create_company
from trainee_bench.world.transaction import WorkingDay

PATH = re.compile(r"`?(drive:/[\w/.]+\w)")


def test_the_ordinary_folders_are_there_with_the_handbook_and_the_rules() -> None:
    paths = list(drive_files())
    assert paths == sorted(paths)
    assert {path.split("/")[1] for path in paths} == {
        "financial",
        "handbook",
        "human_resources",
        "kb",
    }
    assert "drive:/handbook/intern_handbook.md" in paths
    assert "drive:/financial/procurement_rules.md" in paths


@pytest.mark.parametrize("path", drive_files())
def test_a_file_names_only_paths_that_exist(path: str) -> None:
    text = drive_files()[path]
    assert text.startswith("# ") and text.endswith("\n")
    named = PATH.findall(text)
    folders = {f"drive:/{name}" for name in ("handbook", "financial", "human_resources", "kb")}
    made_by_tasks = {"drive:/kb/articles"}
    assert set(named) <= set(drive_files()) | folders | made_by_tasks


@pytest.mark.parametrize(
    "topic", ["Welcome", "manager or a senior", "payroll", "leave", "IT", "accountants", "Finance"]
)
def test_the_handbook_speaks_of_whom_to_ask(topic: str) -> None:
    assert topic in drive_files()["drive:/handbook/intern_handbook.md"]


def test_events_are_the_same_each_time_and_every_company_has_the_same_files() -> None:
    company = create_company("one")
    assert initial_events(company) == initial_events(company)
    other = create_company("another", 200)
    mine, theirs = (
        [event for event in initial_events(company_) if isinstance(event, FileAppears)]
        for company_ in (company, other)
    )
    assert mine == theirs and len(mine) == len(drive_files())


@pytest.mark.parametrize("size", [10, 50, 500])
def test_referrals_name_people_of_this_company_and_files_that_exist(size: int) -> None:
    company = create_company("one", size)
    names = {person.id: person.name for person in company.people}
    for referral in referrals(company):
        assert len(referral.asks) >= 5
        assert not referral.person or names[referral.person] in referral.text
        paths = [path.rstrip(".") for path in PATH.findall(referral.text)]
        assert all(p in drive_files() or p == "drive:/human_resources" for p in paths)
        assert referral.person or paths


def test_no_two_public_topics_are_taken_for_each_other() -> None:
    topics = [Topic(r.topic, r.asks, r.keys) for r in referrals(create_company("one"))]
    assert [(a.id, b.id) for a, b in combinations(topics, 2) if topics_collide(a, b)] == []


def test_responsibility_for_it_is_a_matter_of_hr() -> None:
    company = create_company("one")
    (it,) = [r for r in referrals(company) if r.topic == "responsibility for IT"]
    assert it.person == company.department("HR").managers[0].id


async def test_a_colleague_refers_the_trainee_to_the_right_person() -> None:
    async with staged("kb_fix.easy", 3) as day:
        company = day.composition.company
        asked = company.staff("Marketing", manager=False)[0]
        for referral in (e for e in initial_events(company) if isinstance(e, ReferralPublished)):
            sent = await day.call("chat_send_message", {"to": asked.id, "text": referral.asks[0]})
            if sent.time.hour < 10:
                await day.call("desk_wait", {"until": "10:00", "wake": False})
            await day.call("desk_wait", {"minutes": 10, "wake": False})
            after = sent.data["message"]["id"]
            history = await day.call("chat_read_history", {"peer": asked.id, "after": after})
            said = [m["text"] for m in history.data["messages"] if m["sender"] == asked.id]
            assert referral.text in said[0]


@pytest.mark.parametrize("rule", ["kb_fix.hard", "kb_fix.away.hard", "kb_fix.split.hard"])
async def test_chart_owners_answer_about_all_articles_that_a_message_names(
    rule: str,
) -> None:
    day = await stage_day(single_task_day(rule, 3))
    clues = day.composition.tasks[0].instance.hidden.clues
    holder = max(sorted({clue.holder for clue in clues}), key=[clue.holder for clue in clues].count)
    files = sorted({key for clue in clues for key in clue.keys if key.endswith(".md")})
    async with day.world:
        question = f"What are the new ids of the charts in {', '.join(files)}?"
        await day.call("chat_send_message", {"to": holder, "text": question})
        await day.call("desk_wait", {"minutes": 60, "wake": False})
        history = await day.call("chat_read_history", {"peer": holder})
    said = " ".join(str(message["text"]) for message in history.data["messages"])
    owned = [clue.payload for clue in clues if clue.holder == holder]
    assert len(owned) > 1
    assert all(payload in said for payload in owned)


# small talk -------------------------------------------------------------------------------


BOUNDS = WorkingDay(DAY.replace(hour=8), DAY.replace(hour=20))
SEEDS = range(60)


def drawn(
    seed: int, most: int = 2, bounds: WorkingDay = BOUNDS
) -> list[tuple[datetime, SmallTalk]]:
    scenario = Scenario(name="chat", seed=seed, days=(DaySpec(tasks=()),), small_talk=most)
    return list(small_talk(COMPANY, bounds, ScenarioDay(scenario=scenario, day=0)))


def test_a_day_has_at_most_two_the_same_ones_each_time() -> None:
    days = [drawn(seed) for seed in SEEDS]
    assert days == [drawn(seed) for seed in SEEDS]
    assert {len(day) for day in days} <= set(range(3))
    assert len({event.text for day in days for _, event in day}) >= 8
    assert all(len(drawn(seed, most=most)) <= most for seed in SEEDS for most in (0, 1))


def test_it_comes_from_different_people_in_their_hours_and_within_the_day() -> None:
    short = WorkingDay(DAY.replace(hour=9), DAY.replace(hour=11))
    for seed in SEEDS:
        for bounds in (BOUNDS, short):
            day = drawn(seed, bounds=bounds)
            assert len({event.sender for _, event in day}) == len(day)
            for time, event in day:
                hours = COMPANY.person(event.sender).hours
                assert hours.starts <= time.time() < hours.ends
                assert bounds.starts < time < bounds.ends


def test_no_small_talk_asks_or_tells_anything() -> None:
    topics = [Topic("printer", tuple(f"Where is printer number {n}?" for n in range(5)))]
    listener = QuestionInterpreter(topics)
    for text in {event.text for seed in SEEDS for _, event in drawn(seed)}:
        assert "?" not in text and not any(char.isdigit() for char in text)
        assert listener.understand(hear(text)).intent is not Intent.CLEAR


async def test_it_is_told_but_ends_no_wait_while_a_message_does() -> None:
    chat = SmallTalk(sender=NILS, to=ROBIN, text="There is cake.")
    real = MessageArrives(sender=NILS, to=ROBIN, text="The plan has changed.")
    async with await office(later=((at(9), chat), (at(10), real))) as world:
        done = await act(world, lambda tx: Desk(tx).wait(minutes=None, until="12:00", wake=True))
        assert done.now == at(10)
        assert [notice.kind for notice in done.notices] == ["chatter", "message"]


async def test_absent_colleagues_do_not_chat() -> None:
    away = AbsenceBegins(person=NILS, until=DAY + timedelta(days=2), public=False)
    chat = SmallTalk(sender=NILS, to=ROBIN, text="There is cake.")
    async with await office(away, later=((at(9), chat),)) as world:
        assert await wait_until(world, at(10)) == []
        assert await world.read(lambda tx: tx.rows("SELECT * FROM message")) == []


def test_small_talk_does_not_depend_on_the_tasks_of_the_day() -> None:
    tasks = (TaskSpec(rule="kb_fix.easy"), TaskSpec(rule="sales.easy"))
    scenario = Scenario(name="chat", seed=3, days=(DaySpec(tasks=tasks),))
    assert list(small_talk(COMPANY, BOUNDS, ScenarioDay(scenario=scenario, day=0))) == drawn(3)
