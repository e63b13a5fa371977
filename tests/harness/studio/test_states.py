"""Every state of a day is the world as it was after that action, and looking changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainee_bench.harness.episodes.replay import RecordedDay, read_recorded_day
from trainee_bench.harness.studio.states import DayStates, ItemChange, NoSuchState
from trainee_bench.harness.studio.views import APP_VIEWS, ViewRequest
from trainee_bench.mcp_servers import default_toolboxes
from trainee_bench.mcp_servers.serving.log_replay import replay_log
from trainee_bench.world.transaction import Transaction
from trainee_bench.world.world import World


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
    size = len(b"".join(states._pages[-1]))
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
