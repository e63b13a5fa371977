"""Lost points: their cause, their step, what can still be reached, and the descriptions of
these."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.harness.days import composed_day, one_day
from tests.harness.runs import LINKS, MEETING, named, read, run_day
from trainee_bench.harness.agents.runtime.in_process_episode import run_agent_on_day
from trainee_bench.harness.analysis.report.store_worths import store_worths
from trainee_bench.harness.environment.day import Day, DayNotBegun
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import (
    CheckpointDecision,
    DecisionKind,
    EpisodeWorth,
    LossOrigin,
)
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import ToolCall
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.harness.worth.decisions import DecisionFinder, VerdictHistory
from trainee_bench.harness.worth.episode_worth import episode_worth
from trainee_bench.harness.worth.loss_words import step_in_words
from trainee_bench.harness.worth.losses import LossFinder, TaskFacts
from trainee_bench.harness.worth.moments import still_reachable
from trainee_bench.mcp_servers.verifier import DayGrade, day_grade
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import CheckGrade, TaskGrade, day_score, day_success
from trainee_bench.meta_tasks.scenario import Scenario, TaskSpec
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.week import NEXT_DAY

NOTHING_KNOWN = TaskFacts(begun=frozenset(), handed_in={}, not_asked=frozenset())
WORTHS = {MEETING: 10, LINKS: 30}


def scenario(worths: bool) -> Scenario:
    tasks = [
        {"rule": rule, **({"worth": worth} if worths else {})} for rule, worth in WORTHS.items()
    ]
    best = {"best": list(WORTHS)} if worths else {}
    days = [{"name": "day_1", "tasks": tasks, **best}]
    return Scenario.model_validate({"name": "one", "seed": 5, "days": days})


def grade(worths: bool, *scores: float) -> DayGrade:
    tasks = tuple(
        TaskGrade(
            task=f"T{number}", rule=rule, score=score, success=score == 1, checkpoints=(), harm=(),
            worth=WORTHS[rule] if worths else None,
        )
        for number, (rule, score) in enumerate(zip(WORTHS, scores, strict=True), 1)
    )  # fmt: skip
    best = sum(WORTHS.values()) if worths else None
    return DayGrade(
        score=day_score(tasks, best), success=day_success(tasks, best), score_version=1, tasks=tasks
    )


@pytest.mark.parametrize("worths", [False, True])
def test_the_shares_of_the_tasks_add_up_to_what_the_step_cost(worths: bool) -> None:
    finder = LossFinder(compose_day(scenario(worths)), (), NOTHING_KNOWN)
    (loss,) = finder.losses([grade(worths, 1.0, 1.0)], grade(worths, 0.5, 0.75))
    assert loss.lost == pytest.approx(1.0 if worths else 0.375)
    assert sum(task.share for task in loss.tasks) == pytest.approx(loss.lost)
    assert [task.lost for task in loss.tasks] == [0.5, 0.25]


CHECKED_MEETING, SEED = "meeting_attend.check_sum.u1", 5
Arguments = Mapping[str, JsonValue]
Change = Callable[[str, Arguments], Arguments]
ON_TIME = "You were in the meeting on time"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> EpisodeResult:
    """A result of any episode: only its names matter."""
    folder = tmp_path_factory.mktemp("losses")
    run_day(folder, "--agent", "nothing")
    return read(folder / "out")[0]


def get_it_wrong(tool: str, arguments: Arguments) -> Arguments:
    """Leave a request out of the list; the grand total stays right."""
    if tool != "files_write":
        return arguments
    written = json.loads(str(arguments["text"]))
    written["requests"].pop()
    return {**arguments, "text": json.dumps(written)}


def come_late(tool: str, arguments: Arguments) -> Arguments:
    """Wait a quarter of an hour longer."""
    if tool != "desk_wait":
        return arguments
    until = datetime.strptime(str(arguments["until"]), "%H:%M") + timedelta(minutes=15)
    return {**arguments, "until": f"{until:%H:%M}"}


def be_absent(tool: str, arguments: Arguments) -> Arguments:
    """Wait until the meeting is over, long before the deadline."""
    return {**arguments, "until": "15:00"} if tool == "desk_wait" else arguments


@pytest.mark.parametrize(
    ("change", "origin", "did"),
    [
        (get_it_wrong, LossOrigin.WRONG, "the work ended"),
        (come_late, LossOrigin.MISSED, "waited until"),
        (be_absent, LossOrigin.MISSED, "waited until 15:00"),
    ],
)
async def test_an_appointment_is_missed_only_by_an_agent_that_was_not_there_on_time(
    change: Change, origin: LossOrigin, did: str, result: EpisodeResult, tmp_path: Path
) -> None:
    composition = single_task_day(CHECKED_MEETING, SEED)
    right, changed = await stage_day(composition), await stage_day(composition)
    async with right.world, changed.world:
        await run_agent_on_day("oracle", right)
        for entry in await right.world.log():
            await changed.observe(entry.tool, change(entry.tool, entry.arguments))
        await (await changed.world.fork(tmp_path / "changed.world")).close()
    (loss,) = (await episode_worth(result, tmp_path / "changed.world")).losses
    (task,) = loss.tasks
    assert task.origin == origin
    assert ON_TIME in task.checkpoints
    assert loss.did.startswith(did)


HERE = __name__
_ASKED_FOR = re.compile(r"(drive:\S+) -> (workspace:\S+)")


async def _asked_for(session: AgentSession) -> tuple[str, str]:
    listed = await session.call("desk_tasks")
    found = _ASKED_FOR.search(listed.text)
    assert found is not None, listed.text
    return found[1], found[2]


async def copies(session: AgentSession) -> None:
    """Copies the article unchanged, looks at it, submits it, and asks nobody."""
    source, target = await _asked_for(session)
    await session.call("files_copy", source=source, target=target)
    await session.call("files_read", path=target)
    await session.call("desk_submit", task="T1")


async def scribbles(session: AgentSession) -> None:
    """Writes nonsense, submits it, then writes other nonsense twice, and finishes the day."""
    _, target = await _asked_for(session)
    await session.call("files_write", path=target, text="[one](https://charts/NEW-000001)")
    await session.call("desk_submit", task="T1")
    for _ in range(2):
        await session.call("files_delete", path=target)
        await session.call("files_write", path=target, text="nothing")


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EpisodeWorth]:
    """Return the worth of four agents' steps on a day with links to mend."""
    folder = tmp_path_factory.mktemp("decided")
    out = run_day(folder, *named("oracle", "nothing", f"{HERE}:copies", f"{HERE}:scribbles"))
    found = {}
    for result, worth in store_worths(RunFolder.open(out), None, 1):
        assert isinstance(worth, EpisodeWorth), worth
        found[result.agent] = worth
    return found


def steps(worth: EpisodeWorth) -> list[tuple[DecisionKind, int, int | None]]:
    return [(decided.kind, decided.step, decided.handed_in) for decided in worth.decisions]


def test_an_agent_that_misses_nothing_or_does_nothing_has_decided_nothing(
    decided: dict[str, EpisodeWorth],
) -> None:
    assert decided["oracle"].decisions == ()
    assert decided["nothing"].decisions == ()


def test_a_wrong_write_that_was_handed_in_and_a_fact_never_asked_for_are_told_apart(
    decided: dict[str, EpisodeWorth],
) -> None:
    found = decided[f"{HERE}:copies"]
    assert steps(found) == [(DecisionKind.DONE, 2, 4), (DecisionKind.HANDED_IN, 4, 4)]
    wrote, handed_in = found.decisions
    assert "copied to workspace:/" in wrote.did and "is otherwise unchanged" in wrote.checkpoint
    assert handed_in.did == "T1 handed in" and "have told you" in handed_in.checkpoint


def test_the_last_write_that_made_it_wrong_decides_also_after_a_hand_in(
    decided: dict[str, EpisodeWorth],
) -> None:
    found = decided[f"{HERE}:scribbles"]
    by_kind = {decision.kind: decision for decision in found.decisions}
    assert by_kind[DecisionKind.DONE].step > 3
    assert by_kind[DecisionKind.DONE].handed_in is None
    assert by_kind[DecisionKind.HANDED_IN].step == 3


def test_a_checkpoint_lost_with_time_is_decided_where_it_was_lost() -> None:
    (found,) = _decisions(passed=(True, False), tool="desk_wait")
    assert (found.kind, found.step) == (DecisionKind.LOST, 1)


def test_a_checkpoint_never_met_nor_worked_on_is_decided_nowhere() -> None:
    assert _decisions(passed=(False, False), tool="desk_wait") == []


def _decisions(passed: tuple[bool, bool], tool: str) -> list[CheckpointDecision]:
    """Return the decisions of a day with one call of *tool*.

    *passed* says whether the only checkpoint was met before and after it.
    """
    composition = composed_day(LINKS, seed=5)
    history = VerdictHistory()
    grades = [_grade(met) for met in passed]
    for step, grade in enumerate(grades):
        history.note(step, [grade])
    finder = DecisionFinder(composition, [_call(tool)], frozenset(), history)
    return list(finder.decisions(day_grade(composition, grades[-1:])))


def _call(tool: str) -> LogEntry:
    times = [datetime(2025, 10, 1, 8), datetime(2025, 10, 1, 9)]
    return LogEntry(
        seq=1,
        at=times[0],
        until=times[1],
        actor="robin.hale",
        tool=tool,
        arguments={},
        ok=True,
        text="",
        data=None,
        notices=(),
        effects={},
    )


def _grade(passed: bool) -> TaskGrade:
    check = CheckGrade(
        name="kept",
        sentence="It stands",
        weight=1,
        passed=passed,
        seen=f"it stands: {passed}",
        where="",
        how="",
    )
    return TaskGrade(
        task="T1", rule=LINKS, score=passed, success=passed, checkpoints=(check,), harm=()
    )


TASKS = (TaskSpec(rule="meeting_attend.sum.u1"), TaskSpec(rule="kb_fix.easy"))


@pytest.fixture(scope="module")
def begun() -> Day:
    day = Day(one_day(*TASKS, name="reachable", seed=5))
    day.reset()
    return day


def test_at_the_start_everything_can_be_reached_and_the_day_is_not_touched(begun: Day) -> None:
    day = begun.fork()
    before = day.digest()
    found = still_reachable(day)
    assert (found.grade.score, found.is_best) == (1, True)
    assert day.digest() == before


def test_a_call_that_makes_something_impossible_costs_it_at_once(begun: Day) -> None:
    day = begun.fork()
    day.step([ToolCall("desk_wait", {"until": "17:45", "wake": False})])
    found = still_reachable(day)
    assert found.grade.score is not None
    assert found.grade.score < 1
    assert found.score_before == 0


def test_settled_tasks_stay_settled(begun: Day) -> None:
    day = begun.fork()
    day.step([ToolCall("desk_finish_day", {})])
    day.step([ToolCall("desk_finish_day", {})])
    assert day.done
    found = still_reachable(day)
    assert found.grade == day.grade()
    assert found.is_best


def test_a_day_has_to_be_begun() -> None:
    with pytest.raises(DayNotBegun):
        still_reachable(Day(one_day(*TASKS[:1], name="later", seed=5)))


AT = datetime(2025, 10, 1, 9, 25)
PEOPLE = 5


def step(tool: str, arguments: dict[str, JsonValue], *, ok: bool = True) -> str:
    entry = LogEntry(
        seq=1, at=AT, until=AT, actor="me", tool=tool, arguments=arguments, ok=ok, text="",
        data=None, notices=(), effects={},
    )  # fmt: skip
    return step_in_words(entry, PEOPLE)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("mail_send", {"to": ["a", "b"]}, "mail sent to a and b"),
        ("mail_send", {"to": ["a", "b", "c", "d"]}, "mail sent to 4 people"),
        ("mail_send", {"to": ["a", "b", "c", "d", "e"]}, "mail sent to all"),
        ("mail_send", {}, "mail sent to nobody"),
        ("desk_wait", {"minutes": 5}, "waited until 09:25"),
        ("desk_submit", {"task": "T2"}, "T2 handed in"),
        ("files_write", {"path": "workspace:/a.md", "text": "x"}, "workspace:/a.md written"),
        (
            "files_read",
            {"path": "drive:/a_long_name_of_a_folder/and_another_one/a.md"},
            "…/a.md read",
        ),
        (
            "calendar_book",
            {"title": "F-6: outlook", "starts": "14:15"},
            'booked "F-6: outlook" for 14:15',
        ),
        ("chat_create_group", {"name": "Team A"}, 'group "Team A" made'),
        (NEXT_DAY, {}, "the night passed"),
        ("somebodys_tool", {"what": "this"}, "somebodys_tool this"),
        ("desk_submit", {}, "desk_submit"),
    ],
)
def test_a_step_is_told_by_what_was_done_and_to_what(
    tool: str, arguments: dict[str, JsonValue], words: str
) -> None:
    assert step(tool, arguments) == words


def test_a_refused_step_says_so() -> None:
    assert step("desk_submit", {"task": "T9"}, ok=False) == "T9 handed in (refused)"


def test_words_have_one_line_and_an_end() -> None:
    told = step("chat_send_message", {"to": f"somebody\nwith {'a long name' * 30}"})
    assert "\n" not in told
    assert len(told) <= 60
