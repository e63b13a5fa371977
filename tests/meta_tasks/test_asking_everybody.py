"""A whole department is asked at once, and its answers are read with few looks."""

from __future__ import annotations

import pytest

from tests.meta_tasks.families.event_days import day_of
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.meta_tasks.authoring import ToolClient, ToolFailed, ask_everybody, everybody_in
from trainee_bench.meta_tasks.composition import ComposedDay
from trainee_bench.meta_tasks.scenario import NO_VARIATION, Variation

QUESTION = "On which dates in November are you free for the team event?"


def composed(variation: Variation = NO_VARIATION) -> ComposedDay:
    """A day on which the team event of Engineering, the largest department, is planned."""
    return day_of("A1", 1, department="Engineering", variation=variation)


async def asked(day: StagedDay, accepted: str) -> dict[str, str]:
    """What each person in Engineering answers. Raises what asking raises."""
    found: dict[str, str] = {}

    async def work(client: ToolClient) -> None:
        members = await everybody_in(client, "Engineering")
        said = await ask_everybody(client, members, QUESTION, lambda text: accepted in text)
        found.update(zip(members, said, strict=True))

    failures = await day.work({"T1": work})
    for failure in failures.values():
        raise failure
    return found


async def test_everybody_is_asked_and_each_answer_is_that_of_its_person() -> None:
    day = await stage_day(composed())
    async with day.world:
        told = await asked(day, "November")
        log = [entry.tool for entry in await day.world.log()]
    clues = day.composition.tasks[0].instance.clues
    assert len(clues) > 15 and told.keys() == {clue.holder for clue in clues}
    assert all(clue.payload in told[clue.holder] for clue in clues)
    assert log.count("chat_read_history") < len(clues)
    assert log.count("chat_send_message") < len(clues) / 2, "several are asked in one message"


async def test_who_does_not_answer_is_named() -> None:
    (first, *_) = composed().tasks[0].instance.clues
    day = await stage_day(composed(Variation(withheld=(first.id,))))
    async with day.world:
        with pytest.raises(ToolFailed, match=f"{first.holder} did not answer"):
            await asked(day, "November")


async def test_an_answer_that_is_none_is_a_failure() -> None:
    day = await stage_day(composed())
    async with day.world:
        with pytest.raises(ToolFailed, match="did not answer: On which dates"):
            await asked(day, "December")
