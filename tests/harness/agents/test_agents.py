"""The agents: each found by its file, each works a day, and only honest work is worth anything."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from trainee_bench.harness.agents import builtin, cheats
from trainee_bench.harness.agents.agent import ModelAgent, PrivilegedAgent, UnknownAgent
from trainee_bench.harness.agents.builtin.command import CommandAgent
from trainee_bench.harness.agents.builtin.oracle import Oracle, OracleFailed
from trainee_bench.harness.agents.cheats.commonest_answer import most_common_answer
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.supervision import AgentExit, run_agent
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.meta_tasks.benchmark import load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.world.action_log import LogEntry

SCRIPTED = [
    n for n, agent in discover_agents().items() if not issubclass(agent, ModelAgent | CommandAgent)
]
"""Those that need no model and no program."""


class At:
    """A recruit's work on one day, as an episode lets it work."""

    def __init__(self, recruit: AgentRunner, composition: ComposedDay):
        self.recruit = recruit
        self.composition = composition

    async def work(self, session: AgentSession) -> None:
        await self.recruit.work(session, self.composition)


async def worked(name: str) -> tuple[AgentExit, list[TaskGrade], list[LogEntry], ComposedDay]:
    """What comes of the quickstart's first day when the agent of this name works it."""
    composition = compose_day(load_shipped_benchmark().scenarios[0])
    recruit = AgentRunner.from_name(name)
    limits = EpisodeLimits(steps=recruit.steps or EpisodeLimits().steps)
    day = await stage_day(composition)
    async with day.world:
        session = await session_of(day, limits)
        conduct = await run_agent(At(recruit, composition), session)
        return conduct, await day.grades(), await day.world.log(), composition


async def session_of(day: StagedDay, limits: EpisodeLimits) -> AgentSession:
    said = await day.world.read(lambda tx: build_prompt(tx, limits))
    transport = InProcessToolTransport(day.seat)
    return AgentSession(transport, transport.tools({}), said, day.composition.day, limits)


@pytest.mark.parametrize("name", SCRIPTED)
async def test_every_agent_works_a_day_to_its_end_and_gets_what_it_deserves(name: str) -> None:
    conduct, grades, _, _ = await worked(name)
    assert conduct.agent_error is None
    assert conduct.ended in (EndReason.AGENT, EndReason.DAY_OVER)
    scores = [grade.score for grade in grades]
    tolerated = discover_agents()[name].score_ceiling
    if name == "careless":
        assert max(scores) == 1 > min(scores) > 0
    elif tolerated is None:
        assert scores == [1, 1, 1]
    else:
        assert all(score is not None and score <= max(tolerated, 0.2) for score in scores)
        assert not any(grade.success for grade in grades)


@pytest.mark.parametrize("name", SCRIPTED)
async def test_every_agent_does_the_same_twice(name: str) -> None:
    first, second = await worked(name), await worked(name)
    assert first[2] == second[2]


async def test_the_sprayer_asks_everybody_alone_and_in_groups() -> None:
    _, _, log, composition = await worked("sprayer")
    sent = Counter(str(entry.arguments["to"]) for entry in log if entry.tool == "chat_send_message")
    groups = [to for to in sent if to.startswith("G")]
    assert len(groups) == 2
    assert {person.id for person in composition.company.people} == set(sent) - set(groups)
    written = [entry for entry in log if entry.tool in ("files_write", "files_copy") and entry.ok]
    assert written


async def test_empty_files_lie_under_the_right_names() -> None:
    _, _, log, composition = await worked("empty_files")
    outputs = [path for task in composition.tasks for path in task.instance.told.deliverable_paths]
    assert [(entry.arguments["path"], entry.arguments["text"]) for entry in log] == [
        (path, "") for path in outputs
    ]


async def test_input_copies_are_unchanged() -> None:
    _, _, log, _ = await worked("input_copies")
    assert any(entry.tool == "files_copy" and entry.ok for entry in log)
    assert not any(entry.tool in ("files_write", "files_edit") for entry in log)


async def test_an_oracle_that_gives_up_says_of_which_task_and_why() -> None:
    composition = compose_day(load_shipped_benchmark().scenarios[0])
    (honest, *_) = (task.meta_task.family_class.honest_work for task in composition.tasks)
    day = await stage_day(composition)
    async with day.world:
        session = await session_of(day, EpisodeLimits(steps=Oracle.steps or 0))
        unknown = Oracle(composition, {"T99": honest})
        with pytest.raises(OracleFailed, match="T99"), session.scope:
            await unknown.work(session)


def test_the_commonest_answer_is_the_commonest_of_each_field() -> None:
    texts = [json.dumps({"a": 1, "b": b}) for b in ("x", "y", "y")]
    assert json.loads(most_common_answer([json.dumps({"a": 2, "b": "x"}), *texts])) == {
        "a": 1,
        "b": "x",
    }
    assert most_common_answer(["one", "two", "two"]) == "two"
    assert most_common_answer(["", json.dumps({"a": 1}), ""]) == ""


# finding and hiring -----------------------------------------------------------------------


def test_an_agent_is_found_by_the_name_of_its_file() -> None:
    rooms = [Path(str(room.__file__)).parent for room in (builtin, cheats)]
    files = {path.stem for room in rooms for path in room.glob("*.py")} - {"__init__"}
    assert set(discover_agents()) == files
    assert all(agent.name == name for name, agent in discover_agents().items())


def test_only_those_that_are_told_secrets_are_insiders() -> None:
    insiders = {
        name for name, agent in discover_agents().items() if issubclass(agent, PrivilegedAgent)
    }
    knowing = {"oracle", "oracle_without_notes", "in_order", "one_by_one", "careless"}
    cheating = {"empty_files", "input_copies", "commonest_answer", "memoriser"}
    assert insiders == knowing | cheating


def test_a_broken_agent_stops_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shy.py").write_text("class Shy:\n    name = 'shy'\n", encoding="utf-8")
    monkeypatch.setattr(builtin, "__path__", [str(tmp_path)])
    with pytest.raises(TypeError, match="shy"):
        discover_agents.__wrapped__()


class Own:
    """Somebody's own agent, which remembers the days it has worked."""

    def __init__(self) -> None:
        self.days = 0

    async def work(self, session: AgentSession) -> None:
        self.days += 1
        for _ in range(self.days):
            await session.call("desk_now")


async def test_ones_own_agent_is_kept_from_day_to_day_and_dismissed_when_told() -> None:
    composition = compose_day(load_shipped_benchmark().scenarios[0])
    recruit = AgentRunner.from_name("tests.harness.agents.test_agents:Own")
    calls = []
    for dismissed in (False, False, True):
        if dismissed:
            recruit.reset()
        day = await stage_day(composition)
        async with day.world:
            session = await session_of(day, EpisodeLimits())
            await recruit.work(session, composition)
            calls.append(session.counts.tool_calls)
    assert calls == [1, 2, 1]
    assert recruit.steps is None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("orakel", "There are .*nothing.*oracle.*module:Class"),
        (":", "named as module:Class"),
        ("tests.harness:", "named as module:Class"),
        (".harness:Agent", "named as module:Class"),
        ("tests.harness.nowhere:Agent", "no module 'tests.harness.nowhere', to find an agent in"),
        ("tests.harness.agents.test_agents:Missing", "has no class 'Missing'"),
        ("tests.harness.agents.test_agents:session_of", "async def work"),
    ],
)
def test_who_is_not_there_is_not_hired(name: str, says: str) -> None:
    with pytest.raises(UnknownAgent, match=says):
        find_agent(name)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import nothing_of_this_name", "no module 'nothing_of_this_name', which unsound imports"),
        ("x = = 1", "unsound cannot be imported: SyntaxError"),
        ("raise RuntimeError('no key')", "unsound cannot be imported: RuntimeError: no key"),
    ],
)
def test_an_agents_module_that_cannot_be_imported_is_told_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, says: str
) -> None:
    (tmp_path / "unsound.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UnknownAgent, match=says):
        find_agent("unsound:Agent")
