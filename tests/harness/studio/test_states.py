"""Every state of a day is the world as it was after that action, and looking changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainee_bench.harness.episodes.replay import RecordedDay, read_recorded_day
from trainee_bench.harness.studio.states import DayStates, ItemChange, NoSuchState
from trainee_bench.harness.studio.views import APP_VIEWS, ViewRequest
from trainee_bench.harness.studio.views.app_view import Marks
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.trial import complete
from trainee_bench.world.world import World

STEPS = 40
Replayed = tuple[DayStates, list[str], list[dict[str, Marks]]]


def shown(tx: Transaction) -> dict[str, str]:
    """What all apps show."""
    return {app: view.show(tx, ViewRequest()).model_dump_json() for app, view in APP_VIEWS.items()}


def states_of(recorded: RecordedDay) -> DayStates:
    states = DayStates(recorded.composition)
    for entry in recorded.log:
        states.follow(entry)
    return states


async def test_a_state_is_what_replaying_up_to_its_action_gives(ran: Path) -> None:
    recorded = await read_recorded_day(ran / "worlds" / "one.day_1.oracle.1.world")
    states = states_of(recorded)
    assert len(states) == len(recorded.log) + 1 and states.diverged == ""
    composition = recorded.composition
    world = await World.create_inline(composition.world_config(), composition.populate)
    for number in range(len(states)):
        if number:
            await replay_log(world, recorded.log[number - 1 : number])
        now = await world.read(shown, states.employee)
        assert states.read(number, shown) == now
    assert states.read(3, shown) != states.read(len(recorded.log), shown)
    states.close()


@pytest.fixture(scope="module")
def replayed(ran: Path) -> Iterator[Replayed]:
    """The first states of a day; and the digest and the items of each app as a replay of as many
    actions from the morning on gives them."""
    recorded = anyio.run(read_recorded_day, ran / "worlds" / "one.day_1.sprayer.1.world")
    log, composition = recorded.log[:STEPS], recorded.composition
    states = DayStates(composition)
    world = complete(World.create_inline(composition.world_config(), composition.populate))
    digests, marks = [], []
    for number in range(len(log) + 1):
        if number:
            complete(replay_log(world, log[number - 1 : number]))
            states.follow(log[number - 1])
        digests.append(complete(world.digest()))
        marks.append(complete(world.read(every_mark, states.employee)))
    complete(world.close())
    yield states, digests, marks
    states.close()


def every_mark(tx: Transaction) -> dict[str, Marks]:
    return {app: view.marks(tx) for app, view in APP_VIEWS.items()}


@settings(max_examples=30, deadline=None)
@given(numbers=st.lists(st.integers(0, STEPS), min_size=1, max_size=6))
def test_in_whatever_order_states_are_looked_at_each_is_that_of_a_replay(
    replayed: Replayed, numbers: list[int]
) -> None:
    states, digests, marks = replayed
    for number in numbers:
        assert states.read(number, every_mark) == marks[number]
        world = World.deserialize_inline(states.content(number))
        assert complete(world.digest()) == digests[number]
        assert complete(world.log()) == states.log[:number]
        complete(world.close())


def test_what_a_step_changed_is_what_stands_otherwise_after_it(replayed: Replayed) -> None:
    states, _, marks = replayed
    for number in range(1, STEPS + 1):
        before, after = marks[number - 1], marks[number]
        otherwise = {
            app: {
                item
                for item in {*before[app], *after[app]}
                if before[app].get(item) != after[app].get(item)
            }
            for app in APP_VIEWS
        }
        named = {app: set(items) for app, items in states.changes(number).items()}
        assert named == {app: items for app, items in otherwise.items() if items}


async def test_a_state_has_the_log_as_it_was_written(hostile_world: Path) -> None:
    recorded = await read_recorded_day(hostile_world)
    states = states_of(recorded)
    content = sqlite3.connect(":memory:")
    content.deserialize(states.content(len(recorded.log)))
    file = sqlite3.connect(hostile_world)
    every_row = "SELECT * FROM action ORDER BY seq"
    assert content.execute(every_row).fetchall() == file.execute(every_row).fetchall() != []
    content.close()
    file.close()
    states.close()


async def test_looking_at_a_world_leaves_its_file_as_it_is(hostile_world: Path) -> None:
    before = hostile_world.read_bytes()
    states = states_of(await read_recorded_day(hostile_world))
    unread = states.read(1, lambda tx: APP_VIEWS["mail"].show(tx, ViewRequest(item="1")))
    again = states.read(1, lambda tx: APP_VIEWS["mail"].show(tx, ViewRequest(item="1")))
    assert unread == again and '"unread":true' in again.model_dump_json()
    assert hostile_world.read_bytes() == before
    states.close()


async def test_a_step_names_what_it_changed_and_an_item_the_step_that_changed_it_last(
    hostile_world: Path,
) -> None:
    states = states_of(await read_recorded_day(hostile_world))
    assert states.changes(0) == {}
    assert states.changes(1) == {"mail": {"1": ItemChange.ADDED}}
    made = states.changes(7)
    table = "workspace:/table.xlsx"
    assert made == {"files": {table: ItemChange.ADDED}, "sheets": {table: ItemChange.ADDED}}
    assert states.changes(8)["sheets"] == {table: ItemChange.CHANGED}
    assert states.changes(9)["desk"] == {"note-1": ItemChange.ADDED}
    assert states.changes(10)["desk"] == {"T1": ItemChange.CHANGED}
    assert states.changes(11) == {}, "a call that failed changes nothing"
    assert [states.origin("sheets", table, before) for before in (11, 8, 7, 6)] == [8, 8, 7, None]
    assert states.origin("files", "drive:/sales/sales_handbook.md", 11) is None
    states.close()


async def test_states_share_what_a_step_has_not_written(ran: Path) -> None:
    recorded = await read_recorded_day(ran / "worlds" / "one.day_1.sprayer.1.world")
    states = states_of(recorded)
    size = len(states.content(len(states) - 1))
    assert len(states) > 50 and states.kept_bytes() < size * len(states) / 5
    states.close()


async def test_a_day_that_goes_another_way_is_shown_up_to_there(hostile_world: Path) -> None:
    recorded = await read_recorded_day(hostile_world)
    changed = recorded.log[2].model_copy(update={"text": "something else"})
    states = DayStates(recorded.composition)
    for entry in (*recorded.log[:2], changed, *recorded.log[3:]):
        states.follow(entry)
    assert len(states) == 3
    with pytest.raises(NoSuchState, match="stopped: action 3 differs"):
        states.read(3, shown)
    states.close()


async def test_there_is_no_state_before_the_morning_or_after_the_last_action(
    hostile_world: Path,
) -> None:
    states = states_of(await read_recorded_day(hostile_world))
    for number in (-1, 12):
        with pytest.raises(NoSuchState, match="11 steps"):
            states.read(number, shown)
        with pytest.raises(NoSuchState, match="11 steps"):
            states.changes(number)
    states.close()


def test_every_app_that_days_offer_by_default_has_a_view() -> None:
    assert set(APP_VIEWS) == set(default_toolboxes())
