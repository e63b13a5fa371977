"""The step that decided a missed checkpoint: the write or the hand-in that nothing corrected."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest

from tests.harness.test_run import config, day
from tests.harness.test_run import invoke as run
from trainee_bench.harness.analysis.report.store_worths import store_worths
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.records.worth import CheckpointDecision, DecisionKind, EpisodeWorth
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.worth.decisions import DecisionFinder, VerdictHistory
from trainee_bench.mcp_servers.verifier import day_grade
from trainee_bench.meta_tasks.composition import compose_day
from trainee_bench.meta_tasks.grade import CheckGrade, TaskGrade
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec
from trainee_bench.world.action_log import LogEntry

LINKS = "kb_fix.easy"
HERE = "tests.harness.worth.test_decisions"
_ASKED_FOR = re.compile(r"(drive:\S+) -> (workspace:\S+)")


async def _asked_for(session: AgentSession) -> tuple[str, str]:
    listed = await session.call("desk_tasks")
    found = _ASKED_FOR.search(listed.text)
    assert found is not None, listed.text
    return found[1], found[2]


async def copies(session: AgentSession) -> None:
    """Copies the article as it is, looks at it, hands it in, and asks nobody."""
    source, target = await _asked_for(session)
    await session.call("files_copy", source=source, target=target)
    await session.call("files_read", path=target)
    await session.call("desk_submit", task="T1")


async def scribbles(session: AgentSession) -> None:
    """Writes nonsense, hands it in, then writes other nonsense twice, and goes home."""
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
    path, out = config(folder, one=[day(LINKS)]), folder / "out"
    names = ("oracle", "nothing", f"{HERE}:copies", f"{HERE}:scribbles")
    agents = [word for name in names for word in ("--agent", name)]
    done = run("--config", path, "--out", out, *agents)
    assert done.exit_code in (0, 1), done.output
    found = {}
    for result, worth in store_worths(RunFolder.open(Path(out)), None, 1):
        assert isinstance(worth, EpisodeWorth), worth
        found[result.agent] = worth
    return found


def steps(worth: EpisodeWorth) -> list[tuple[DecisionKind, int, int | None]]:
    return [(decided.kind, decided.step, decided.handed_in) for decided in worth.decisions]


def test_who_misses_nothing_or_does_nothing_has_decided_nothing(
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


def test_what_was_met_and_lost_with_time_is_decided_where_it_was_lost() -> None:
    (found,) = _decisions(passed=(True, False), tool="desk_wait")
    assert (found.kind, found.step) == (DecisionKind.LOST, 1)


def test_what_was_never_met_nor_worked_on_is_decided_nowhere() -> None:
    assert _decisions(passed=(False, False), tool="desk_wait") == []


def _decisions(passed: tuple[bool, bool], tool: str) -> list[CheckpointDecision]:
    """The decisions of a day of one call of *tool*, before and after which the only checkpoint was
    met as *passed* says."""
    spec = DaySpec(tasks=(TaskSpec(rule=LINKS),))
    composition = compose_day(Scenario(name="one", seed=5, days=(spec,)), 0)
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
