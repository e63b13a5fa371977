"""Small talk: seldom, harmless, in working hours, and never in anybody's way."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.world.office import COMPANY, DAY, NILS, ROBIN, act, at, office, wait_until
from trainee_bench.meta_tasks.company_documents import small_talk
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, ScenarioDay, TaskSpec
from trainee_bench.world.apps.chat import MessageArrives, SmallTalk
from trainee_bench.world.apps.desk import Desk
from trainee_bench.world.colleagues.availability import AbsenceBegins
from trainee_bench.world.colleagues.understanding import Intent, QuestionInterpreter, Topic, hear
from trainee_bench.world.transaction import WorkingDay

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


async def test_who_is_away_does_not_chat() -> None:
    away = AbsenceBegins(person=NILS, until=DAY + timedelta(days=2), public=False)
    chat = SmallTalk(sender=NILS, to=ROBIN, text="There is cake.")
    async with await office(away, later=((at(9), chat),)) as world:
        assert await wait_until(world, at(10)) == []
        assert await world.read(lambda tx: tx.rows("SELECT * FROM message")) == []


def test_who_chats_does_not_depend_on_the_tasks_of_the_day() -> None:
    tasks = (TaskSpec(rule="kb_fix.easy"), TaskSpec(rule="sales.easy"))
    scenario = Scenario(name="chat", seed=3, days=(DaySpec(tasks=tasks),))
    assert list(small_talk(COMPANY, BOUNDS, ScenarioDay(scenario=scenario, day=0))) == drawn(3)
