"""The agents: each found by its file, each works a day, and only honest work is worth anything.

A person is an agent, too: calls come from outside, and the day ends as any agent's does."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import time
from pathlib import Path

import pytest

from tests import quick_round
from tests.harness.own_agents import COUNTING
from trainee_bench.harness.agents import builtin, cheats
from trainee_bench.harness.agents.agent import (
    ModelAgent,
    PrivilegedAgent,
    RepeatingAgent,
    UnknownAgent,
)
from trainee_bench.harness.agents.builtin.command import CommandAgent
from trainee_bench.harness.agents.builtin.oracle import Oracle, OracleFailed
from trainee_bench.harness.agents.cheats.commonest_answer import most_common_answer
from trainee_bench.harness.agents.person import PersonAgent, PersonHasLeft
from trainee_bench.harness.agents.runtime.registry import discover_agents, find_agent
from trainee_bench.harness.agents.runtime.runner import AgentRunner, forgets
from trainee_bench.harness.records.plan import AgentConfig
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EndReason, EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.supervision import AgentExit, run_agent
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.testbench.staged_day import StagedDay, stage_day
from trainee_bench.meta_tasks.benchmark import find_scenario, load_shipped_benchmark
from trainee_bench.meta_tasks.composition import ComposedDay, compose_day
from trainee_bench.meta_tasks.grade import TaskGrade
from trainee_bench.meta_tasks.scenario import Arrival, DaySpec, Scenario, TaskSpec
from trainee_bench.world.action_log import LogEntry
from trainee_bench.world.transaction import Verbosity

SCRIPTED = [
    name
    for name, agent in discover_agents().items()
    if not issubclass(agent, ModelAgent | CommandAgent | RepeatingAgent)
]
"""Those that need no model, program or recorded run."""


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
    cheating = {"empty_files", "input_copies", "commonest_answer", "memoriser", "rehearsed"}
    repeating = {"rote", "rote_renamed"}
    assert insiders == knowing | cheating | repeating


def test_a_broken_agent_stops_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shy.py").write_text("class Shy:\n    name = 'shy'\n", encoding="utf-8")
    monkeypatch.setattr(builtin, "__path__", [str(tmp_path)])
    with pytest.raises(TypeError, match="shy"):
        discover_agents.__wrapped__()


async def test_ones_own_agent_is_kept_from_day_to_day_and_dismissed_when_told() -> None:
    composition = compose_day(load_shipped_benchmark().scenarios[0])
    recruit = AgentRunner.from_name(COUNTING)
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
def test_an_agent_that_does_not_exist_is_refused(name: str, says: str) -> None:
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


SHAPE_RULES = ("meeting_attend.check_sum.u2", "kb_fix.medium", "website_analysis.slow_page")


async def oracle_scores(scenario: Scenario, day: int = 0) -> list[float | None]:
    """The scores of a day's tasks after the oracle's work."""
    staged = await stage_day(compose_day(scenario, day))
    async with staged.world:
        failures = await staged.work()
        assert not failures
        return [grade.score for grade in await staged.grades()]


def scenario(seed: int = 0, **changes: object) -> Scenario:
    day = {"tasks": [{"rule": rule} for rule in SHAPE_RULES]}
    return Scenario.model_validate({"name": "shape", "seed": seed, "days": [day], **changes})


@pytest.mark.parametrize("seed", quick_round.quick_first(range(6), 2))
async def test_tasks_that_stream_in_over_the_day(seed: int) -> None:
    assert await oracle_scores(scenario(seed, arrival=Arrival.STREAMED)) == [1, 1, 1]


async def test_a_task_that_arrives_late_in_the_afternoon() -> None:
    spec = TaskSpec(rule="kb_fix.easy", arrives=time(14, 10))
    assert await oracle_scores(Scenario(name="late", days=(DaySpec(tasks=(spec,)),))) == [1]


@pytest.mark.parametrize("size", quick_round.quick_only((10, 500), (10, 11, 23, 100, 237, 500)))
async def test_companies_from_the_smallest_to_the_largest(size: int) -> None:
    for seed in range(2):
        assert await oracle_scores(scenario(seed, company_size=size)) == [1, 1, 1]


@pytest.mark.parametrize("verbosity", Verbosity)
async def test_with_all_notices_and_with_none(verbosity: Verbosity) -> None:
    assert await oracle_scores(scenario(verbosity=verbosity)) == [1, 1, 1]


async def test_the_second_of_two_days_is_new_work_in_the_same_company() -> None:
    (day,) = scenario().days
    two = scenario(days=[day, day.model_copy(update={"name": "day_2"})])
    first, second = compose_day(two, 0), compose_day(two, 1)
    assert first.company == second.company
    truths = zip(first.tasks, second.tasks, strict=True)
    assert all(one.instance.graded.truth != other.instance.graded.truth for one, other in truths)
    assert await oracle_scores(two, 1) == [1, 1, 1]


async def test_tools_that_cost_more_than_usual_delay_no_appointment() -> None:
    dear = {"chat_send_message": 25, "chat_read_history": 4, "files_read": 9}
    assert await oracle_scores(scenario(minutes=dear)) == [1, 1, 1]


CONFIG = AgentConfig(name="person", agent="person", isolation="person")


@asynccontextmanager
async def seated(
    steps: int = 150, place: int = 0, days: int = 1
) -> AsyncIterator[tuple[PersonAgent, AgentSession, asyncio.Task[AgentExit]]]:
    """A person at work, the session, and how it will end."""
    staged = await stage_day(compose_day(find_scenario(), 0))
    async with staged.world:
        transport = InProcessToolTransport(staged.seat)
        limits = EpisodeLimits(steps=steps)
        day = staged.composition.today
        session = AgentSession(transport, transport.tools({}), "", day, limits, place, days)
        person = PersonAgent()
        working = asyncio.create_task(run_agent(person, session))
        await person.begun.wait()
        yield person, session, working
        working.cancel()


async def test_a_call_is_a_turn_and_whoever_leaves_has_finished_the_day() -> None:
    async with seated() as (person, session, working):
        answer = await person.call("desk_write_note", {"text": "mine"})
        assert answer.text.startswith("Note 1") and session.counts.steps == 1
        failed = await person.call("mail_read", {"mail": 9})
        assert failed.failed and session.counts.failed_calls == 1
        person.leave("Aids: none")
        assert (await working).ended is EndReason.AGENT
        assert [thought.message for thought in session.asides] == ["Aids: none"]
        with pytest.raises(PersonHasLeft, match="day is over"):
            await person.call("desk_now", {})


async def test_a_finished_day_waits_for_the_answer_of_its_person() -> None:
    async with seated() as (person, _, working):
        await person.call("desk_finish_day", {})
        await asyncio.sleep(0)
        assert person.day_over and not working.done()
        with pytest.raises(PersonHasLeft):
            await person.call("desk_now", {})
        person.leave()
        assert (await working).ended is EndReason.AGENT


async def test_the_clock_and_the_limit_of_steps_end_a_persons_day_as_an_agents() -> None:
    async with seated() as (person, _, working):
        await person.call("desk_wait", {"until": "20:00", "wake": False})
        person.leave()
        assert (await working).ended is EndReason.DAY_OVER
    async with seated(steps=2) as (person, _, working):
        await person.call("desk_now", {})
        await person.call("desk_now", {})
        person.leave()
        assert (await working).ended is EndReason.STEP_LIMIT


async def test_between_the_days_of_a_week_nobody_is_asked() -> None:
    async with seated(place=0, days=2) as (person, _, working):
        await person.call("desk_finish_day", {})
        assert (await working).ended is EndReason.AGENT
        assert not person.day_over


async def test_a_person_who_leaves_on_a_day_of_a_week_has_left_for_all_its_days() -> None:
    async with seated(place=0, days=2) as (person, session, working):
        person.leave()
        assert (await working).ended is EndReason.AGENT
        session.ended, session.place, session.another_day_follows = None, 1, False
        assert (await run_agent(person, session)).ended is EndReason.AGENT


async def test_a_day_that_breaks_off_leaves_no_call_without_an_answer() -> None:
    async with seated() as (person, session, working):
        session.stop(EndReason.TIME_LIMIT)
        await working
        with pytest.raises(PersonHasLeft):
            await asyncio.wait_for(person.call("desk_now", {}), 5)


def test_a_person_is_known_by_name_remembers_and_is_kept_for_a_further_try() -> None:
    assert find_agent("person") is PersonAgent and "person" not in discover_agents()
    assert not forgets(CONFIG)
    person = PersonAgent()
    runner = AgentRunner(CONFIG, agent=person)
    runner.reset()
    assert runner._agent is person
    with pytest.raises(UnknownAgent):
        find_agent("persona")
