"""What an agent remembers in the morning: kept, never learnt, wiped or poisoned in the night."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import anyio
import pytest
from rich.console import Console

from tests.harness.test_verify import called
from trainee_bench.harness.batch.pipeline import create_run, execute
from trainee_bench.harness.commands import replay, verify
from trainee_bench.harness.episodes.verification import verify_result
from trainee_bench.harness.records.plan import AgentConfig, EpisodeSpec, MemoryMode, RunPlan
from trainee_bench.harness.records.results import EpisodeResult
from trainee_bench.harness.session.agent_session import AgentSession
from trainee_bench.harness.session.turns import Thought
from trainee_bench.meta_tasks.scenario import DaySpec, Scenario, TaskSpec

NOTE, ELSEWHERE = "workspace:/notes/limit.md", "workspace:/limit.md"
SAID = "The limit is EUR 45 until Thursday 15:00."
LINKS = DaySpec(tasks=(TaskSpec(rule="kb_fix.easy"),))
THREE_DAYS = Scenario(name="one", days=(LINKS, DaySpec(tasks=()), DaySpec(tasks=())), week=True)
DIARIST = f"{__name__}:Diarist"


class Diarist:
    """Writes down on the first day what is said, in its notes, elsewhere, and in its memory."""

    mornings: ClassVar[list[tuple[str, str, str]]] = []
    memory = ""

    async def work(self, session: AgentSession) -> None:
        found = [await session.call("files_read", path=path) for path in (NOTE, ELSEWHERE)]
        noted, elsewhere = ("" if one.failed else str((one.data or {})["text"]) for one in found)
        self.mornings.append((self.memory, noted, elsewhere))
        if session.place == 0:
            for path in (NOTE, ELSEWHERE):
                await session.call("files_write", path=path, text=SAID)

    async def reflect(self, feedback: str) -> Sequence[Thought]:
        self.memory = self.memory or SAID
        return ()


class Forgetful:
    """Has no memory of its own, only notes."""

    async def work(self, session: AgentSession) -> None:
        await session.call("files_write", path=NOTE, text=SAID)


def worked(mode: MemoryMode, out: Path, agent: str = DIARIST) -> tuple[EpisodeSpec, EpisodeResult]:
    """The plan and the result of the three days with a memory treated so."""
    Diarist.mornings.clear()
    config = AgentConfig(name=f"one-{mode}", agent=agent, memory=mode)
    plan = RunPlan(benchmark="test", scenarios=(THREE_DAYS,), agents=(config,))
    (result,) = execute(create_run(plan, out), Console(quiet=True)).results
    assert result.error is None and result.agent_error is None
    return next(plan.episode_specs()), result


def test_with_memory_on_everything_is_there_in_the_morning(tmp_path: Path) -> None:
    worked(MemoryMode.ON, tmp_path / "run")
    assert Diarist.mornings == [("", "", ""), (SAID, SAID, SAID), (SAID, SAID, SAID)]


def test_with_memory_off_it_never_reflects_and_its_notes_are_kept(tmp_path: Path) -> None:
    _, result = worked(MemoryMode.OFF, tmp_path / "run")
    assert Diarist.mornings == [("", "", ""), ("", SAID, SAID), ("", SAID, SAID)]
    assert result.memory_digest is None


def test_with_memory_wiped_memory_and_notes_are_empty_and_nothing_else(tmp_path: Path) -> None:
    worked(MemoryMode.WIPED, tmp_path / "run")
    assert Diarist.mornings == [("", "", ""), ("", "", SAID), ("", "", SAID)]
    assert (tmp_path / "run" / "memories" / "one.week.one-wiped.1.md").read_text() == ""


def test_with_memory_poisoned_both_say_something_else_each_morning(tmp_path: Path) -> None:
    worked(MemoryMode.POISONED, tmp_path / "run")
    _, *later = Diarist.mornings
    assert all(memory == noted for memory, noted, _ in later)
    said = [memory for memory, _, _ in later]
    assert len({SAID, *said}) == 3
    for text in said:
        assert text.startswith("The limit is EUR ") and " until " in text
        assert not {"45", "15:00", "Thursday"} & set(text.rstrip(".").split())
    assert [elsewhere for _, _, elsewhere in later] == [SAID, SAID]
    first = list(Diarist.mornings)
    worked(MemoryMode.POISONED, tmp_path / "again")
    assert Diarist.mornings == first


@pytest.mark.parametrize("mode", [MemoryMode.WIPED, MemoryMode.POISONED])
def test_such_a_night_replays_and_is_verified_and_counts_for_agents_without_a_memory(
    mode: MemoryMode, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    spec, result = worked(mode, out, f"{__name__}:Forgetful")
    assert called(replay.command, out).exit_code == 0
    done = called(verify.command, out)
    assert done.exit_code == 0, done.output
    others = {
        MemoryMode.ON: "alters notes at night, but the memory",
        MemoryMode.WIPED: "otherwise than wiped ones are",
        MemoryMode.POISONED: "otherwise than poisoned ones are",
    }
    for other in set(others) - {mode}:
        config = spec.agent_config.model_copy(update={"memory": other})
        planned = spec.model_copy(update={"agent_config": config})
        problems = anyio.run(verify_result, planned, result, out).problems
        assert any(others[other] in one for one in problems)


def test_a_night_in_which_the_notes_were_spared_is_found(tmp_path: Path) -> None:
    out = tmp_path / "run"
    spec, result = worked(MemoryMode.ON, out, f"{__name__}:Forgetful")
    config = spec.agent_config.model_copy(update={"memory": MemoryMode.WIPED})
    planned = spec.model_copy(update={"agent_config": config})
    problems = anyio.run(verify_result, planned, result, out).problems
    assert sum("the notes were not wiped in the night" in one for one in problems) == 2


def test_a_plan_says_nothing_of_a_memory_that_is_simply_kept() -> None:
    assert "memory" not in AgentConfig(name="a", agent="nothing").model_dump_json()
    poisoned = AgentConfig(name="a", agent="nothing", memory=MemoryMode.POISONED)
    assert AgentConfig.model_validate_json(poisoned.model_dump_json()) == poisoned
