"""The agents that play a recorded run by rote: strong where they have been, worthless elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean

import pytest

from tests.harness.days import composed_day, one_day
from tests.harness.runs import LINKS, config, day, invoke, read, run_day
from trainee_bench.harness.agents.builtin.rote import Rote
from trainee_bench.harness.agents.builtin.rote_renamed import RoteRenamed
from trainee_bench.harness.agents.repeatable_days import (
    RepeatableDay,
    TimedCall,
    check_recording,
    find_recording,
    read_repeatable_days,
    repeatable_day,
)
from trainee_bench.harness.records.plan import PlanError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.testbench.staged_day import oracle_log
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.world.week import NEXT_DAY

PAGE = "website_analysis.slow_page"
RULES = (LINKS, PAGE)
PLAYERS = ("rote", "rote_renamed")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which the oracle and an agent that does nothing work one day."""
    folder = tmp_path_factory.mktemp("recorded")
    return run_day(folder, "--agent", "nothing", "--agent", "oracle", rules=RULES)


def playing(recorded: Path, folder: Path, *options: object) -> Path:
    """The run of both players, which repeat *recorded*."""
    agents = [word for name in PLAYERS for word in ("--agent", f"{name}:{recorded}")]
    return run_day(folder, *agents, *options, rules=RULES)


def test_on_the_same_days_they_score_as_the_best_run_that_they_repeat(
    recorded: Path, tmp_path: Path
) -> None:
    results = read(playing(recorded, tmp_path))
    assert {result.agent: result.score for result in results} == {"rote": 1, "rote_renamed": 1}


def test_on_other_days_of_the_same_rules_they_score_next_to_nothing(
    recorded: Path, tmp_path: Path
) -> None:
    scores: dict[str, list[float]] = {name: [] for name in PLAYERS}
    for seed in (6, 7, 8):
        out = tmp_path / str(seed)
        out.mkdir()
        for result in read(playing(recorded, out, "--seed", seed)):
            scores[result.agent].append(result.score or 0)
    assert all(fmean(found) <= 0.05 for found in scores.values()), scores


def test_a_run_records_which_days_were_repeated_and_that_the_player_knew_them(
    recorded: Path, tmp_path: Path
) -> None:
    out = playing(recorded, tmp_path)
    expected = find_recording(recorded)
    agents = RunFolder.open(out).plan().agents
    assert [agent.recording for agent in agents] == [expected, expected]
    assert expected.path == str(recorded)
    assert {result.identity.isolation for result in read(out) if result.identity} == {"insider"}


def test_the_world_file_of_one_day_can_be_repeated_and_several_sources_are_numbered(
    recorded: Path, tmp_path: Path
) -> None:
    (world,) = (recorded / "worlds").glob("*oracle*.world")
    (idle,) = (recorded / "worlds").glob("*nothing*.world")
    agents = ("--agent", f"rote:{world}", "--agent", f"rote:{idle}")
    out = run_day(tmp_path, *agents, rules=RULES)
    assert {result.agent: result.score for result in read(out)} == {"rote-1": 1, "rote-2": 0}


@pytest.mark.parametrize(
    ("agent", "says"),
    [("rote", "use --agent rote:FOLDER"), ("rote:nowhere", "There is no run in nowhere")],
)
def test_without_a_run_to_repeat_it_is_wrong_use(agent: str, says: str, tmp_path: Path) -> None:
    path = config(tmp_path, one=[day(LINKS)])
    done = invoke("--config", path, "--agent", agent, "--out", tmp_path / "out", exits=2)
    assert says in done.output


async def test_a_run_that_has_changed_is_not_repeated(tmp_path: Path) -> None:
    world = tmp_path / "day.world"
    world.write_bytes(b"one")
    recording = find_recording(world)
    check_recording(recording)
    world.write_bytes(b"two")
    with pytest.raises(PlanError, match="has changed"):
        check_recording(recording)
    with pytest.raises(PlanError, match="cannot be repeated"):
        await read_repeatable_days(find_recording(world))


# which calls are made -----------------------------------------------------------------------


def recorded_day(
    composition: ComposedDay, *calls: tuple[str, dict[str, object], str]
) -> RepeatableDay:
    """The day of *composition* with these calls: a tool, its arguments, and the time."""
    worked = repeatable_day(composition, ())
    made = tuple(_call(composition, *call) for call in calls)
    return RepeatableDay(
        worked.scenario, worked.number, worked.length, worked.company, worked.tasks, (made,)
    )


def _call(
    composition: ComposedDay, tool: str, arguments: dict[str, object], clock: str
) -> TimedCall:
    at = datetime.combine(composition.day.starts, datetime.strptime(clock, "%H:%M").time())
    given = {name: str(value) for name, value in arguments.items()}
    return TimedCall(tool, given, at, at + timedelta(minutes=1))


def tools(calls: Sequence[TimedCall]) -> list[str]:
    return [call.tool for call in calls]


def test_days_that_share_the_rules_of_a_day_are_repeated_together_in_the_order_of_their_times() -> (
    None
):
    links = recorded_day(
        composed_day(LINKS), ("desk_now", {}, "09:00"), ("desk_finish_day", {}, "09:30")
    )
    page = recorded_day(composed_day(PAGE), ("mail_list", {}, "08:30"), ("desk_tasks", {}, "10:00"))
    other = recorded_day(composed_day("kb_fix.medium"), ("calendar_list", {}, "08:00"))
    both = Rote.of_days([other, links, page], composed_day(LINKS, PAGE, seed=3))
    assert tools(both.calls) == ["mail_list", "desk_now", "desk_tasks"]
    alone = Rote.of_days([other, links, page], composed_day(LINKS, seed=3))
    assert tools(alone.calls) == ["desk_now", "desk_finish_day"]


def test_of_days_with_the_same_rules_that_of_the_same_scenario_is_repeated() -> None:
    first = recorded_day(composed_day(LINKS, name="a"), ("desk_now", {}, "09:00"))
    second = recorded_day(composed_day(LINKS, name="b"), ("desk_tasks", {}, "09:00"))
    assert tools(Rote.of_days([first, second], composed_day(LINKS, name="b")).calls) == [
        "desk_tasks"
    ]


def test_the_renaming_player_takes_ids_names_and_files_from_the_texts_of_the_tasks() -> None:
    old, new = composed_day(PAGE, LINKS, seed=1), composed_day(PAGE, LINKS, seed=2)
    paths = [
        dict(zip((task.rule for task in made.tasks), made.deliverable_paths, strict=False))
        for made in (old, new)
    ]
    known = recorded_day(
        old,
        ("files_write", {"path": paths[0][LINKS], "text": "x"}, "09:00"),
        ("desk_wait", {"until": "12:00"}, "10:00"),
        ("desk_submit", {"task": next(t.id for t in old.tasks if t.rule == LINKS)}, "10:02"),
    )
    written, waited, submitted = RoteRenamed.of_days([known], new).calls
    assert written.arguments == {"path": paths[1][LINKS], "text": "x"}
    assert waited.arguments == {"until": "10:01", "wake": False}
    assert submitted.arguments["task"] == next(t.id for t in new.tasks if t.rule == LINKS)


def test_the_renaming_player_finds_people_in_no_text_by_their_role() -> None:
    old, new = composed_day(PAGE, seed=1), composed_day(PAGE, seed=2)
    texts = " ".join(task.instance.told.objective for task in (*old.tasks, *new.tasks))
    chief, here = (
        next(person for person in day.company.people if person.title == "CEO") for day in (old, new)
    )
    assert chief.name not in texts and here.name not in texts and chief.id != here.id
    said = {"to": chief.id, "text": f"Dear {chief.name}"}
    known = recorded_day(old, ("chat_send_message", said, "09:00"))
    (asked,) = RoteRenamed.of_days([known], new).calls
    assert asked.arguments == {"to": here.id, "text": f"Dear {here.name}"}


async def test_a_week_is_repeated_morning_by_morning_and_never_on_a_single_day() -> None:
    scenario = one_day(LINKS)
    days = (*scenario.days, scenario.days[0].model_copy(update={"name": "day_2", "tasks": ()}))
    week = compose_day(scenario.model_copy(update={"days": days, "week": True}))
    log = await oracle_log(week)
    worked = repeatable_day(week, log)
    split = next(place for place, entry in enumerate(log) if entry.tool == NEXT_DAY)
    own = [[e.tool for e in part if e.actor] for part in (log[:split], log[split:])]
    assert [tools(calls) for calls in worked.calls] == own
    for place in (0, 1):
        player = Rote.of_days([worked], week.on_day(place))
        assert tools(player.calls) == own[place]
    assert Rote.of_days([worked], composed_day(LINKS)).calls == ()
