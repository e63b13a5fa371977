"""Every state of a day is the world after that action, and reading changes nothing."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from tests.harness.runs import config, day, invoke
from tests.harness.studio.shown import got, over, sent, studio, unfinished, visitor
from tests.harness.studio.test_shown_days import CLOSED, WISH
from trainee_bench.harness.analysis.report.publish import day_style
from trainee_bench.harness.episodes.replay import RecordedDay, read_recorded_day
from trainee_bench.harness.studio import history as history_module
from trainee_bench.harness.studio.history import EpisodeHistories, EpisodeHistory
from trainee_bench.harness.studio.page import STATIC, STYLES
from trainee_bench.harness.studio.requests import while_awaited
from trainee_bench.harness.studio.runs import ShownRuns
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
    """Return what all apps show."""
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
    """The first states of a day; and the digest and the items of each app after a replay of the
    same actions from the morning on."""
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
def test_states_read_in_any_order_are_those_of_a_replay(
    replayed: Replayed, numbers: list[int]
) -> None:
    states, digests, marks = replayed
    for number in numbers:
        assert states.read(number, every_mark) == marks[number]
        world = World.deserialize_inline(states.content(number))
        assert complete(world.digest()) == digests[number]
        assert complete(world.log()) == states.log[:number]
        complete(world.close())


def test_the_changes_of_a_step_are_the_items_that_differ_after_it(replayed: Replayed) -> None:
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


async def test_reading_a_world_leaves_its_file_unchanged(hostile_world: Path) -> None:
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


async def test_states_share_the_pages_that_a_step_has_not_written(ran: Path) -> None:
    recorded = await read_recorded_day(ran / "worlds" / "one.day_1.sprayer.1.world")
    states = states_of(recorded)
    size = len(states.content(len(states) - 1))
    assert len(states) > 50 and states.kept_bytes() < size * len(states) / 5
    states.close()


async def test_a_day_that_diverges_is_shown_up_to_there(hostile_world: Path) -> None:
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


HANGS = 60


async def history_of(run: Path, place: int) -> EpisodeHistory:
    return await EpisodeHistory.open(ShownRuns([run]).episode(f"0-{place}"))


async def test_a_question_whose_asker_is_gone_is_answered_before_the_states_are_freed(
    ran: Path,
) -> None:
    history = await history_of(ran, 0)
    begun, closed, answered = Event(), Event(), Event()

    def slow(tx: Transaction) -> None:
        begun.set()
        closed.wait(HANGS)
        tx.rows("SELECT * FROM fact")
        answered.set()

    asking = asyncio.create_task(history.read(0, slow))
    await run_sync(begun.wait, HANGS)
    asking.cancel()  # as a closing server does
    await asyncio.wait([asking])
    history.close()
    closed.set()
    assert await run_sync(answered.wait, HANGS)


async def test_a_closed_history_can_still_be_read_at_any_step(ran: Path) -> None:
    history = await history_of(ran, 1)
    history.close()
    with anyio.fail_after(HANGS):
        assert await history.read(50, lambda tx: tx.now) == history.entry(50).until


async def test_a_request_that_nobody_waits_for_any_more_is_stopped() -> None:
    messages = iter(["http.request", "http.disconnect"])
    stopped = Event()

    async def receive() -> dict[str, object]:
        return {"type": next(messages), "body": b"", "more_body": False}

    async def endless(request: Request) -> Response:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.set()

    with anyio.fail_after(HANGS):
        await while_awaited(endless)(Request({"type": "http"}, receive))
    assert stopped.is_set()


async def test_a_finished_episode_without_requests_is_forgotten(
    ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history_module, "_FORGOTTEN_SECONDS", 0.0)
    monkeypatch.setattr(history_module, "_UNUSED_SECONDS", 0.01)
    histories, episode = EpisodeHistories(), ShownRuns([ran]).episode("0-0")
    first = await histories.of(episode)
    assert await histories.of(episode) is first
    with anyio.move_on_after(0.2):
        await histories.release_unused()
    assert histories.open_keys == ()
    assert await histories.of(episode) is not first
    histories.close()


async def test_episodes_that_take_much_memory_are_kept_two_at_a_time(
    ran: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = ShownRuns([ran])
    for most, kept in ((history_module._KEPT_BYTES, 3), (1, 2)):
        monkeypatch.setattr(history_module, "_KEPT_BYTES", most)
        histories = EpisodeHistories()
        for place in range(3):
            await histories.of(runs.episode(f"0-{place}"))
        assert histories.open_keys == tuple(f"0-{place}" for place in range(3 - kept, 3))
        assert not histories._opening, "nothing is left of opening them"
        histories.close()


HONEST = "/api/episodes/{}/honest"
SPRAYER = "0-1"


def elements(tree: Any) -> Iterator[list[Any]]:
    if isinstance(tree, list):
        yield tree
        for child in tree[2]:
            yield from elements(child)


def told(tree: Any) -> list[str]:
    """Return the tooltips of a picture."""
    return ["".join(made[2]) for made in elements(tree) if made[0] == "title"]


async def test_the_picture_of_the_report_comes_as_a_tree_of_drawn_elements(short: Path) -> None:
    async with visitor(short) as client:
        (shown,) = (await got(client, HONEST.format(SPRAYER)))["days"]
        again = await got(client, HONEST.format("0-2"))
    assert again["days"] == [shown]
    names = {made[0] for made in elements(shown["picture"])}
    assert names <= {"svg", "g", "path", "rect", "circle", "text", "tspan", "title"}
    attributes = {name for made in elements(shown["picture"]) for name in made[1]}
    assert not [name for name in attributes if name.startswith(("on", "href", "style"))]
    assert any("desk_submit" in line for line in told(shown["picture"]))


async def test_each_day_of_a_week_has_its_picture(worked_week: Path) -> None:
    async with visitor(worked_week) as client:
        days = (await got(client, HONEST.format("0-0")))["days"]
    assert len(days) == 2 and len({shown["date"] for shown in days}) == 2


async def test_an_episode_that_is_not_over_and_a_bare_world_do_not_show_it(
    short: Path, tmp_path: Path, hostile_world: Path
) -> None:
    shutil.copytree(short, tmp_path / "a-run")
    finish = unfinished(tmp_path / "a-run")
    async with visitor(tmp_path / "a-run", hostile_world) as client:
        for episode in ("0-0", "1-0"):
            refused = await got(client, HONEST.format(episode), 409)
            assert refused["error"].startswith("The studio shows how to work the day of ")
            assert refused["error"].endswith(" once it has a result.")
        finish()
        assert (await got(client, HONEST.format("0-0")))["days"]
        await got(client, HONEST.format("7-7"), 404)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A benchmark of one small day, beside a folder with a run of it."""
    mine = config(tmp_path, one=[day("kb_fix.easy")])
    invoke("--config", mine, "--agent", "nothing", "--out", tmp_path / "runs" / "a-run")
    return mine


async def test_a_person_in_the_seat_sees_it_once_the_day_is_over_and_so_does_everybody(
    mine: Path, tmp_path: Path
) -> None:
    async with studio(tmp_path / "runs", mine) as client:
        seat = await sent(client, "/api/seats", **WISH)
        assert (await got(client, HONEST.format("0-0"), 409))["error"] == CLOSED
        await got(client, "/api/runs")  # the page looks for new runs, and so finds the person's
        own = await got(client, HONEST.format("1-0"), 409)
        assert own["error"].startswith("A person is working ")
        await sent(client, f"/api/seats/{seat['seat']}/finish")
        await over(client, f"/api/seats/{seat['seat']}")
        for episode in ("0-0", "1-0"):
            assert (await got(client, HONEST.format(episode)))["days"]


def test_the_studio_draws_it_in_the_classes_of_the_report() -> None:
    assert "needs.css" in STYLES
    assert (STATIC / "style" / "needs.css").read_text(encoding="utf-8").strip() in day_style()
