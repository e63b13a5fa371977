"""The learner: it reflects on a day with the feedback alone, and takes its notes to the next."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client
from rich.console import Console

from tests.harness.agents.llm.fake_service import FINISH, FakeService, says
from tests.harness.days import twice
from trainee_bench.harness.agents.agent import LearningAgent
from trainee_bench.harness.agents.builtin.learner import Learner
from trainee_bench.harness.agents.llm.reflection import MAX_NOTES_CHARS, truncate_notes
from trainee_bench.harness.agents.runtime.runner import AgentRunner
from trainee_bench.harness.batch.options import RunOptions
from trainee_bench.harness.batch.pipeline import create_run, execute, open_run, resume_run
from trainee_bench.harness.episodes.transports import InMemoryServers
from trainee_bench.harness.models.conversation import (
    ContextOverflow,
    FinishReason,
    ModelReply,
    UserMessage,
)
from trainee_bench.harness.records.plan import AgentConfig, DaySequenceMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult, ResultFile, ResultFileError
from trainee_bench.harness.records.run_folder import RunFolder
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.limits import EpisodeLimits
from trainee_bench.harness.session.prompt import build_prompt
from trainee_bench.harness.session.tool_transports import InProcessToolTransport
from trainee_bench.harness.session.turns import Thought
from trainee_bench.harness.testbench.staged_day import single_task_day, stage_day
from trainee_bench.meta_tasks.scenario import Scenario

HERE = "tests.harness.agents.builtin.test_learner"
MISSED = "T1: 0.00\n  [ ] It is signed"
RULES = (
    ("kb_fix.easy", "sales.sales_statistics"),
    ("meeting_attend.sum.u1", "resume_select.pool6"),
)


def scenarios() -> tuple[Scenario, ...]:
    return tuple(twice(*rules, name=f"s{number}") for number, rules in enumerate(RULES))


def plan(*agents: AgentConfig, only: int = len(RULES)) -> RunPlan:
    return RunPlan(benchmark="test", scenarios=scenarios()[:only], agents=agents)


def learner(
    day_sequence: DaySequenceMode = DaySequenceMode.AS_WRITTEN, model: str = "scripted-learner"
) -> AgentConfig:
    return AgentConfig(
        name=f"{model}-{day_sequence}", agent="learner", model=model, day_sequence=day_sequence
    )


def carried_out(made: RunPlan, path: Path) -> dict[str, EpisodeResult]:
    return by_id(execute(create_run(made, path), Console(quiet=True)).results)


def by_id(results: Sequence[EpisodeResult]) -> dict[str, EpisodeResult]:
    return {result.episode: result for result in results}


def meaning(results: dict[str, EpisodeResult]) -> dict[str, object]:
    return {id: result.model_dump(exclude={"wall_seconds"}) for id, result in results.items()}


# the agent --------------------------------------------------------------------------------


async def after_a_day(
    service: FakeService, memory: str = "", feedback: str = MISSED, place: int = 0, days: int = 1
) -> tuple[Learner, AgentSession]:
    """A learner that has worked and reflected, and its session: number *place* of *days* in the
    same office."""
    agent = Learner.from_config(AgentConfig(name="x", agent="learner"))
    agent.memory, agent.service = memory, service
    composition = single_task_day("kb_fix.easy", 0)
    day = await stage_day(composition)
    async with day.world:
        said = await day.world.read(lambda tx: build_prompt(tx, EpisodeLimits()))
        transport = InProcessToolTransport(day.seat)
        session = AgentSession(
            transport, transport.tools({}), said, composition.day, EpisodeLimits(), place, days
        )
        with session.scope:
            await agent.work(session)
        session.asides += await agent.reflect(feedback)
    return agent, session


async def test_it_is_shown_its_day_its_notes_and_the_feedback_and_writes_new_notes() -> None:
    service = FakeService(FINISH)
    agent, session = await after_a_day(service, "- be early")
    (asked,) = (request for request in service.asked if not request.tools)
    (said,) = asked.messages
    assert isinstance(said, UserMessage)
    for part in (MISSED, "- be early", session.prompt, "desk_finish_day"):
        assert part in said.text
    assert agent.memory == "- the notes of a patient model"
    assert session.thoughts[-1].cost_usd == 0.01


async def test_the_notes_stand_in_the_system_prompt_of_the_day() -> None:
    reminded, plain = FakeService(FINISH), FakeService(FINISH)
    await after_a_day(reminded, "- be early")
    await after_a_day(plain)
    assert "- be early" in reminded.turns[0].system
    assert reminded.turns[0].system.startswith(plain.turns[0].system)
    assert "Notes that you wrote" not in plain.turns[0].system


async def test_within_a_week_it_notes_what_will_count_and_after_it_how_to_work() -> None:
    asked = dict[int, str]()
    for place in (0, 1):
        service = FakeService(FINISH)
        await after_a_day(service, "- EUR 45", feedback="", place=place, days=2)
        (request,) = (one for one in service.asked if not one.tools)
        (said,) = request.messages
        assert isinstance(said, UserMessage)
        assert said.text.endswith("What was found:\n(nothing was due today)")
        asked[place] = request.system
        others = "Names, files and numbers are different today"
        assert (others in service.turns[0].system) == (place == 0)
    assert "everything that will count on a later day" in asked[0]
    assert "not what the answers were" not in asked[0]
    assert "not what the answers were" in asked[1]


@pytest.mark.parametrize(
    "notes", [says(" \n"), says("I cannot.", finish=FinishReason.REFUSAL)], ids=["empty", "refused"]
)
async def test_a_reply_of_no_use_leaves_the_notes_as_they_are(notes: ModelReply) -> None:
    service = FakeService(FINISH)
    service.notes = notes
    agent, session = await after_a_day(service, "- be early")
    assert agent.memory == "- be early"
    assert session.counts.incidents["reflection_failed"] == 1


async def test_a_model_that_cannot_read_so_much_is_shown_less() -> None:
    service = FakeService(FINISH)
    tries = iter([True, True, False])

    def overflowing(request: object) -> ModelReply:
        if next(tries):
            raise ContextOverflow("much")
        return says("- short")

    service.notes = overflowing
    agent, session = await after_a_day(service)
    assert agent.memory == "- short"
    assert session.counts.incidents == {"context_overflow": 2}
    lengths = [len(r.messages[0].text) for r in service.asked if not r.tools]  # type: ignore[union-attr]
    assert lengths == sorted(lengths, reverse=True)


async def test_a_model_that_can_read_nothing_keeps_its_notes() -> None:
    service = FakeService(FINISH)
    service.notes = ContextOverflow("much")
    agent, session = await after_a_day(service, "- be early")
    assert agent.memory == "- be early"
    assert session.counts.incidents["reflection_failed"] == 1


def test_notes_are_kept_in_whole_lines_and_not_without_end() -> None:
    assert truncate_notes(" - one\n") == "- one"
    assert truncate_notes("\ud800") == "?"
    long = truncate_notes("- a line of notes\n" * MAX_NOTES_CHARS)
    assert len(long) <= MAX_NOTES_CHARS
    assert set(long.splitlines()) == {"- a line of notes"}
    assert len(truncate_notes("x" * 2 * MAX_NOTES_CHARS)) == MAX_NOTES_CHARS


# in a run ---------------------------------------------------------------------------------


def test_notes_lie_in_the_run_and_what_they_cost_is_counted(tmp_path: Path) -> None:
    results = carried_out(plan(learner(), only=1), tmp_path / "run")
    first, second = results.values()
    (notes,) = (tmp_path / "run" / "memories").iterdir()
    assert notes.name == f"{first.episode}.md"
    assert notes.read_text(encoding="utf-8").startswith("- ")
    assert (first.remembers, second.remembers) == (None, first.episode)
    trajectory = json.loads((tmp_path / "run" / str(first.trajectory)).read_text("utf-8"))
    assert first.identity is not None
    assert first.identity.isolation == "insider"
    assert notes.read_text(encoding="utf-8")[:60] in json.dumps(trajectory, ensure_ascii=False)


def test_a_run_broken_off_between_two_days_goes_on_with_the_notes(tmp_path: Path) -> None:
    made, path = plan(learner(), only=1), tmp_path / "run"
    whole = meaning(carried_out(made, path))
    first = next(iter(whole))
    ledger = ResultFile(path / "results.jsonl")
    ledger.rewrite([result for result in ledger.read() if result.episode == first])
    again = by_id(execute(open_run(path), Console(quiet=True)).results)
    assert meaning(again) == whole


def test_episodes_that_remember_a_repeated_episode_are_repeated(tmp_path: Path) -> None:
    made, path = plan(learner(), only=1), tmp_path / "run"
    whole = meaning(carried_out(made, path))
    ledger = ResultFile(path / "results.jsonl")
    first, second = ledger.read()
    ledger.rewrite([first.model_copy(update={"error": "the line was dead"}), second])
    with RunFolder.open(path).locked():
        assert RunFolder.open(path).prepare_results() == []
    assert list((path / "memories").iterdir()) == []
    again = by_id(execute(open_run(path), Console(quiet=True)).results)
    assert meaning(again) == whole


class Counting:
    """Somebody's own learner: remembers on how many days it was told of."""

    memory: str
    feedback_tier = 3
    told: list[tuple[str, str]] = []
    remembered: list[str] = []

    async def work(self, session: AgentSession) -> None:
        self.remembered.append(self.memory)

    async def reflect(self, feedback: str) -> list[Thought]:
        self.told.append((self.memory, feedback))
        self.memory += "one day. "
        return [Thought("I see.", prompt_tokens=5, completion_tokens=2)]


def break_connections(monkeypatch: pytest.MonkeyPatch, *numbers: int) -> None:
    """Let the connections to the servers of these numbers, from 1, fail."""
    really, asked = InMemoryServers.connect, []

    @asynccontextmanager
    async def fragile(self: InMemoryServers, world: Path, person: str) -> AsyncIterator[Client]:
        asked.append(world)
        if len(asked) in numbers:
            raise ConnectionError("the line was dead")
        async with really(self, world, person) as client:
            yield client

    monkeypatch.setattr(InMemoryServers, "connect", fragile)


def test_anybodys_own_agent_can_learn_and_a_fault_before_the_second_day_takes_nothing_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_connections(monkeypatch, 2)
    Counting.told.clear()
    Counting.remembered.clear()
    own = AgentConfig(name="own", agent=f"{HERE}:Counting")
    first, second = carried_out(plan(own, only=1), tmp_path / "run").values()
    ((memory, feedback),) = Counting.told
    assert memory == ""
    assert "[ ] " in feedback
    assert "how: " in feedback
    assert (first.prompt_tokens, first.completion_tokens) == (5, 2)
    assert (second.tries, second.error, second.prompt_tokens) == (2, None, None)
    assert Counting.remembered == ["", "one day. "]


class Unwilling:
    """Somebody's own learner whose reflection breaks, each time otherwise."""

    memory: str
    breaks: BaseException | None = None

    async def work(self, session: AgentSession) -> None:
        assert self.memory == ""

    async def reflect(self, feedback: str) -> None:
        self.memory = "half a thought"
        if self.breaks is None:
            await anyio.sleep_forever()
        else:
            raise self.breaks


@pytest.mark.parametrize(
    "breaks", [ZeroDivisionError("nothing to learn"), KeyboardInterrupt(), None], ids=repr
)
def test_a_reflection_that_breaks_is_the_agents_own_affair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaks: BaseException | None
) -> None:
    monkeypatch.setattr(Unwilling, "breaks", breaks)
    own = AgentConfig(name="own", agent=f"{HERE}:Unwilling")
    limited = plan(own, only=1).model_copy(update={"limits": EpisodeLimits(seconds=2)})
    first, second = carried_out(limited, tmp_path / "run").values()
    assert first.incidents == {"reflection_failed": 1}
    assert first.score == 0
    assert (second.agent_error, second.error) == (None, None)


class Taciturn:
    """Somebody's own learner that does not say what it thought."""

    memory: str

    async def work(self, session: AgentSession) -> None: ...

    async def reflect(self, feedback: str) -> None:
        self.memory = f"- {len(feedback)} characters"


def test_an_agent_that_returns_no_thoughts_still_learns(tmp_path: Path) -> None:
    own = AgentConfig(name="own", agent=f"{HERE}:Taciturn")
    first, _ = carried_out(plan(own, only=1), tmp_path / "run").values()
    assert (first.error, first.incidents, first.prompt_tokens) == (None, {}, None)
    assert RunFolder.open(tmp_path / "run").memories.read(first.episode) != ""


class Dead:
    """Somebody's own learner that never begins."""

    memory: str

    async def work(self, session: AgentSession) -> None:
        raise AssertionError("it has no servers")

    async def reflect(self, feedback: str) -> list[Thought]:
        return []


def test_a_day_whose_notes_were_never_written_is_not_worked_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_connections(monkeypatch, 1, 2)
    own = AgentConfig(name="own", agent=f"{HERE}:Dead")
    first, second = carried_out(plan(own, only=1), tmp_path / "run").values()
    assert first.error == "ConnectionError: the line was dead"
    assert second.error == f"the memory of {first.episode} is missing, because that episode broke"


def test_the_class_of_an_agent_says_whether_it_learns() -> None:
    assert AgentRunner.from_name("learner").learns
    assert AgentRunner.from_name("learner").feedback_tier == 2
    assert AgentRunner.from_name(f"{HERE}:Counting").feedback_tier == 3
    assert AgentRunner.from_name(f"{HERE}:Unwilling").feedback_tier == 1
    assert not AgentRunner.from_name("openai").learns
    assert not AgentRunner.from_name("oracle").learns
    own: LearningAgent = Counting()
    assert own


def test_a_run_goes_on_only_with_what_the_agent_remembered(tmp_path: Path) -> None:
    own, out = AgentConfig(name="own", agent=f"{HERE}:Taciturn"), tmp_path / "run"
    before = carried_out(plan(own, only=1), out)
    first = next(iter(before))
    assert before[first].memory_digest is not None
    ledger = ResultFile(out / "results.jsonl")
    ledger.rewrite([before[first]])  # as if it had been stopped during the second day
    memory = out / "memories" / f"{first}.md"
    kept = memory.read_bytes()
    memory.write_bytes(kept + b"- the answer is 42\n")
    with pytest.raises(ResultFileError, match="not what the agent remembered"):
        resume_run(out, RunOptions())
    memory.write_bytes(kept)
    assert meaning(by_id(_resumed(out))) == meaning(before)
    memory.unlink()
    ledger.rewrite([before[first]])
    assert meaning(by_id(_resumed(out))) == meaning(before)
    assert memory.read_bytes() == kept


def _resumed(out: Path) -> Sequence[EpisodeResult]:
    return execute(resume_run(out, RunOptions()), Console(quiet=True)).results
